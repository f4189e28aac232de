-- Written by `npm run docs:sql`.

-- listTimeline
-- answers kind text, id text, time timestamptz, name text, state text, level int4, value text, saying text, note text, by text, endTime timestamptz, changes jsonb, at text
SELECT *, time::text AS at
  FROM (
    (SELECT $1::text COLLATE "C" AS kind, h.id::text AS id, h.occurred_at AS time,
coalesce(
  (SELECT concat_ws(' · ', e.name, (
SELECT string_agg(
  CASE WHEN length(f.name) > length(e.name) AND right(f.name, length(e.name)) = e.name
    THEN left(f.name, -length(e.name))
      || CASE WHEN left(f.name, -length(e.name)) LIKE '%号' THEN coalesce(substring(e.name FROM '^(?:充电)?(仓|模块|风扇|风机)'), '') ELSE '' END
    ELSE f.name END,
  '、' ORDER BY f.bit_position)
FROM semaphore_definition f
WHERE f.entry_id = e.id AND f.equip_classify = t.classify AND CASE e.analysis_type
  WHEN 'BIT' THEN f.bit_position < 63 AND (h.value >> least(f.bit_position, 62)::int) & 1 = 1
  WHEN 'VALUE' THEN f.bit_position = h.value
END))
    FROM dictionary_entry e
    JOIN device d ON d.id = h.device_id
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    WHERE e.type = 'ALARM' AND e.code = h.semaphore_code),
  h.semaphore_code),
    CASE WHEN h.recovered_at IS NULL THEN 'active' ELSE 'recovered' END,
    (SELECT e.alarm_level FROM dictionary_entry e WHERE e.type = 'ALARM' AND e.code = h.semaphore_code)::int,
    h.value::text, NULL::text, h.note, (SELECT u.user_name FROM app_user u WHERE u.id = h.recovered_by), h.recovered_at,
      NULL::jsonb
    FROM alarm_history h WHERE h.device_id = $2  AND h.occurred_at >= $3 AND h.occurred_at < $4
    ORDER BY h.occurred_at DESC, h.id DESC LIMIT $5) UNION ALL
    (SELECT $6::text COLLATE "C" AS kind, h.id::text AS id, h.at AS time,
    (SELECT
coalesce(
  (SELECT concat_ws(' · ', e.name, (
SELECT string_agg(
  CASE WHEN length(f.name) > length(e.name) AND right(f.name, length(e.name)) = e.name
    THEN left(f.name, -length(e.name))
      || CASE WHEN left(f.name, -length(e.name)) LIKE '%号' THEN coalesce(substring(e.name FROM '^(?:充电)?(仓|模块|风扇|风机)'), '') ELSE '' END
    ELSE f.name END,
  '、' ORDER BY f.bit_position)
FROM semaphore_definition f
WHERE f.entry_id = e.id AND f.equip_classify = t.classify AND CASE e.analysis_type
  WHEN 'BIT' THEN f.bit_position < 63 AND (a.value >> least(f.bit_position, 62)::int) & 1 = 1
  WHEN 'VALUE' THEN f.bit_position = a.value
END))
    FROM dictionary_entry e
    JOIN device d ON d.id = h.device_id
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    WHERE e.type = 'ALARM' AND e.code = a.semaphore_code),
  a.semaphore_code) FROM alarm_handling p
      JOIN alarm_history a ON a.occurred_at = p.occurred_at AND a.id = p.episode_id
      WHERE p.episode_id = h.episode_id),
    h.kind, NULL::int, NULL::text,
    CASE WHEN h.kind = 'close' THEN h.after ->> 'causeName' END,
    nullif(concat_ws('；', CASE WHEN h.kind IN ('claim', 'assign') THEN h.after ->> 'assigneeName' END, h.note), ''),
    h.user_name, NULL::timestamptz,
      NULL::jsonb
    FROM alarm_handling_action h WHERE h.device_id = $7  AND h.at >= $8 AND h.at < $9
    ORDER BY h.at DESC, h.id DESC LIMIT $10) UNION ALL
    (SELECT $11::text COLLATE "C" AS kind, h.id::text AS id, h.occurred_at AS time,
    coalesce((SELECT e.name FROM dictionary_entry e WHERE e.type = 'EVENT' AND e.code = h.semaphore_code),
      h.semaphore_code),
    CASE WHEN h.is_fault THEN 'fault' END, NULL::int,
    concat(h.value,
      (SELECT e.unit FROM dictionary_entry e WHERE e.type = 'EVENT' AND e.code = h.semaphore_code)), NULL::text, NULL::text, NULL::text,
    NULL::timestamptz,
      NULL::jsonb
    FROM event_history h WHERE h.device_id = $12  AND h.occurred_at >= $13 AND h.occurred_at < $14
    ORDER BY h.occurred_at DESC, h.id DESC LIMIT $15) UNION ALL
    (SELECT $16::text COLLATE "C" AS kind, h.id::text AS id, h.at AS time,
    NULL::text, CASE WHEN h.is_online THEN 'online' ELSE 'offline' END, NULL::int, NULL::text, h.address, NULL::text, NULL::text,
    NULL::timestamptz,
      NULL::jsonb
    FROM device_connection h WHERE h.device_id = $17  AND h.at >= $18 AND h.at < $19
    ORDER BY h.at DESC, h.id DESC LIMIT $20) UNION ALL
    (SELECT $21::text COLLATE "C" AS kind, h.id::text AS id, h.created_at AS time,
    h.topic, coalesce(h.result, h.state), NULL::int, NULL::text, h.reason, NULL::text, NULL::text, NULL::timestamptz,
      NULL::jsonb
    FROM device_command h WHERE h.device_id = $22  AND h.created_at >= $23 AND h.created_at < $24
    ORDER BY h.created_at DESC, h.id DESC LIMIT $25) UNION ALL
    (SELECT $26::text COLLATE "C" AS kind, h.id::text AS id, h.changed_at AS time,
    h.action, h.state, NULL::int, h.compartment::text, h.reason,
    CASE WHEN h.reason IS NULL THEN h.purpose END, h.created_by_name || coalesce('（' || h.approved_by_name || ' 同意）', ''),
    NULL::timestamptz,
      NULL::jsonb
    FROM remote_action h WHERE h.device_id = $27  AND h.changed_at >= $28 AND h.changed_at < $29
    ORDER BY h.changed_at DESC, h.id DESC LIMIT $30) UNION ALL
    (SELECT $31::text COLLATE "C" AS kind, h.id::text AS id, h.changed_at AS time,
    coalesce((SELECT p.name FROM part_type p WHERE p.code = h.part_type), h.part_type), h.state, NULL::int,
    (SELECT k.major || '.' || k.minor FROM software_package k WHERE k.id = h.package_id), h.reason, NULL::text,
    (SELECT t.created_by_name || coalesce('（' || t.approved_by_name || ' 同意）', '') FROM upgrade_task t WHERE t.id = h.task_id), NULL::timestamptz,
      NULL::jsonb
    FROM upgrade_target h WHERE h.device_id = $32  AND h.changed_at >= $33 AND h.changed_at < $34
    ORDER BY h.changed_at DESC, h.id DESC LIMIT $35) UNION ALL
    (SELECT $36::text COLLATE "C" AS kind, h.id::text AS id, h.changed_at AS time,
    (SELECT b.code FROM parameter_batch b WHERE b.id = h.batch_id), h.state, NULL::int,
    CASE WHEN h.is_trial THEN '试行' END, h.reason, NULL::text,
    (SELECT b.created_by_name || coalesce('（' || b.approved_by_name || ' 同意）', '') FROM parameter_batch b WHERE b.id = h.batch_id), NULL::timestamptz,
      NULL::jsonb
    FROM parameter_target h WHERE h.device_id = $37  AND h.changed_at >= $38 AND h.changed_at < $39
    ORDER BY h.changed_at DESC, h.id DESC LIMIT $40) UNION ALL
    (SELECT $41::text COLLATE "C" AS kind, h.id::text AS id, h.created_at AS time,
    h.level_name, h.state, NULL::int, NULL::text, h.reason, NULL::text, h.created_by_name, NULL::timestamptz,
      NULL::jsonb
    FROM log_extraction h WHERE h.device_id = $42  AND h.created_at >= $43 AND h.created_at < $44
    ORDER BY h.created_at DESC, h.id DESC LIMIT $45) UNION ALL
    (SELECT $46::text COLLATE "C" AS kind, h.id::text AS id, h.changed_at AS time,
    (SELECT a.name FROM advertisement a WHERE a.id = h.advertisement_id AND
(h.withdrawal IS NULL OR h.stored_at IS NOT NULL OR "a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $47::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree))), h.state, NULL::int,
    NULL::text, h.reason, NULL::text,
    (SELECT a.created_by_name FROM advertisement a WHERE a.id = h.advertisement_id AND
(h.withdrawal IS NULL OR h.stored_at IS NOT NULL OR "a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $48::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree))),
    NULL::timestamptz,
      NULL::jsonb
    FROM advertisement_delivery h WHERE h.device_id = $49  AND h.changed_at >= $50 AND h.changed_at < $51
    ORDER BY h.changed_at DESC, h.id DESC LIMIT $52) UNION ALL
    (SELECT $53::text COLLATE "C" AS kind, h.id::text AS id, h.at AS time,
    h.summary, CASE WHEN h.result_code = 200 THEN 'done' ELSE 'refused' END, NULL::int, NULL::text,
    h.result_message, NULL::text, h.login_name, NULL::timestamptz,
      CASE WHEN h.changes IS NOT NULL
    THEN jsonb_build_object('before', h.changes -> 'before', 'after', h.changes -> 'after') END
    FROM operation_log h WHERE h.target = $54 AND h.target LIKE '设备 %' AND true  AND h.at >= $55 AND h.at < $56
    ORDER BY h.at DESC, h.id DESC LIMIT $57))
    AS t (kind, id, time, name, state, level, value, saying, note, by, "endTime", changes)
  ORDER BY t.time DESC, t.kind DESC, CASE WHEN t.id ~ '^[0-9]+$' THEN t.id::numeric END DESC NULLS LAST, t.id DESC
  LIMIT $58;
