-- Written by `npm run docs:sql`.

-- countOpenAlarms
-- answers deviceId int4, level int4, handling text, count int4, shelvedCount int4
SELECT o.device_id AS "deviceId", o.level, o.handling, count(*)::int AS count,
      count(*) FILTER (WHERE o.episode_id IN (SELECT q.episode_id FROM (
      SELECT episode_id, device_id, occurred_at, $1::int AS shelf_id, $2::timestamptz AS until
      FROM alarm_state WHERE is_active AND (operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND semaphore_code <> ALL($7::text[]))  UNION ALL
      SELECT episode_id, device_id, occurred_at, q_shelf AS shelf_id, q_until AS until FROM alarm_state,
  unnest(
    $8::int[], $9::timestamptz[],
    $10::int[], $11::text[],
    $12::bigint[], $13::bigint[],
    $14::bigint[]
  ) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact)
      WHERE is_active AND q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($15::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END ) AS q))::int AS "shelvedCount"
    FROM (
  SELECT * FROM (
    SELECT
    "s"."episode_id" AS episode_id, d.id AS device_id, "s"."semaphore_code" AS code,
    "s"."occurred_at" AS occurred_at, coalesce(e.name, "s"."semaphore_code") AS name,
    coalesce(e.alarm_level, 0) AS level, p.assignee_id, p.acked_by_name, (
  CASE
    WHEN p.settled IS NOT NULL THEN p.settled
    WHEN p.acked_at IS NULL
      OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
      OR CASE WHEN e.analysis_type = 'VALUE' THEN s.value <> p.seen_value ELSE s.value & ~p.seen_value <> 0 END
      OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
        AND c.until <= coalesce(NULL::timestamptz, now()))
      OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(NULL::timestamptz, now()) >= p.lasts_until)
    THEN CASE WHEN true THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
    WHEN p.closed_at IS NOT NULL THEN 'closed'
    WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
    WHEN true THEN 'acknowledged'
    ELSE 'closed'
  END) AS handling
    FROM alarm_state s JOIN device d ON d.id = s.device_id
    LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
    WHERE s.is_active AND ("d"."operator_id" = ANY($16::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($17::int[])) AND "d"."region_id" = ANY($18::int[]))
  ) lasting WHERE handling <> 'closed'
  UNION ALL
  SELECT * FROM (
    SELECT
    "s"."episode_id" AS episode_id, d.id AS device_id, "s"."semaphore_code" AS code,
    "s"."occurred_at" AS occurred_at, coalesce(e.name, "s"."semaphore_code") AS name,
    coalesce(e.alarm_level, 0) AS level, p.assignee_id, p.acked_by_name, (
  CASE
    WHEN p.settled IS NOT NULL THEN p.settled
    WHEN p.acked_at IS NULL
      OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
      OR CASE WHEN e.analysis_type = 'VALUE' THEN (SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id) <> p.seen_value ELSE (SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id) & ~p.seen_value <> 0 END
      OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
        AND c.until <= coalesce(s.recovered_at, now()))
      OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(s.recovered_at, now()) >= p.lasts_until)
    THEN CASE WHEN false THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
    WHEN p.closed_at IS NOT NULL THEN 'closed'
    WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
    WHEN false THEN 'acknowledged'
    ELSE 'closed'
  END) AS handling
    FROM alarm_state s JOIN device d ON d.id = s.device_id
    LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
    WHERE NOT s.is_active AND s.episode_id IS NOT NULL AND s.recovered_at >= $19
      AND s.occurred_at >= $20::timestamptz - $21 * interval '1 day' AND s.occurred_at < $22
      AND ("d"."operator_id" = ANY($23::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($24::int[])) AND "d"."region_id" = ANY($25::int[]))
  ) unseen WHERE handling = 'recoveredUnacknowledged'
  UNION ALL
  SELECT * FROM (
    SELECT
    "h"."id" AS episode_id, d.id AS device_id, "h"."semaphore_code" AS code,
    "h"."occurred_at" AS occurred_at, coalesce(e.name, "h"."semaphore_code") AS name,
    coalesce(e.alarm_level, 0) AS level, p.assignee_id, p.acked_by_name, (
  CASE
    WHEN p.settled IS NOT NULL THEN p.settled
    WHEN p.acked_at IS NULL
      OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
      OR CASE WHEN e.analysis_type = 'VALUE' THEN h.value <> p.seen_value ELSE h.value & ~p.seen_value <> 0 END
      OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
        AND c.until <= coalesce(h.recovered_at, now()))
      OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(h.recovered_at, now()) >= p.lasts_until)
    THEN CASE WHEN (h.recovered_at IS NULL) THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
    WHEN p.closed_at IS NOT NULL THEN 'closed'
    WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
    WHEN (h.recovered_at IS NULL) THEN 'acknowledged'
    ELSE 'closed'
  END) AS handling
    FROM alarm_handling p
    JOIN alarm_history h ON h.occurred_at = p.occurred_at AND h.id = p.episode_id
    JOIN device d ON d.id = h.device_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
    WHERE p.settled IS NULL AND p.assignee_id IS NOT NULL AND p.closed_at IS NULL AND h.recovered_at IS NOT NULL
      AND ("d"."operator_id" = ANY($26::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($27::int[])) AND "d"."region_id" = ANY($28::int[]))
  ) taken WHERE handling = 'inProgress'
  UNION ALL
  SELECT
    "h"."id" AS episode_id, d.id AS device_id, "h"."semaphore_code" AS code,
    "h"."occurred_at" AS occurred_at, coalesce(e.name, "h"."semaphore_code") AS name,
    coalesce(e.alarm_level, 0) AS level, p.assignee_id, p.acked_by_name, h.state AS handling
  FROM alarm_settled h
  JOIN alarm_handling p ON p.episode_id = h.id
  JOIN device d ON d.id = h.device_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
  WHERE h.state = 'inProgress' AND ("d"."operator_id" = ANY($29::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($30::int[])) AND "d"."region_id" = ANY($31::int[]))
) o
    GROUP BY o.device_id, o.level, o.handling ORDER BY o.device_id, o.level, o.handling;

-- listGravestOpen
-- answers id text, deviceId int4, deviceCode text, deviceName text null, regionName text, semaphoreName text, meaning text, level int4, handling text, occurredAt timestamptz, assigneeName text null, ackedByName text, lastNote text, lastNoteByName text, lastNoteAt timestamptz
SELECT open.episode_id::text AS id, d.id AS "deviceId", d.code AS "deviceCode", d.name AS "deviceName",
      r.full_name AS "regionName", open.name AS "semaphoreName", (
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
  END) AS meaning, open.level,
      open.handling, open.occurred_at AS "occurredAt", w.user_name AS "assigneeName",
      open.acked_by_name AS "ackedByName", n.note AS "lastNote", n.user_name AS "lastNoteByName", n.at AS "lastNoteAt"
    FROM (
      SELECT * FROM (
  SELECT * FROM (
    SELECT
    "s"."episode_id" AS episode_id, d.id AS device_id, "s"."semaphore_code" AS code,
    "s"."occurred_at" AS occurred_at, coalesce(e.name, "s"."semaphore_code") AS name,
    coalesce(e.alarm_level, 0) AS level, p.assignee_id, p.acked_by_name, (
  CASE
    WHEN p.settled IS NOT NULL THEN p.settled
    WHEN p.acked_at IS NULL
      OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
      OR CASE WHEN e.analysis_type = 'VALUE' THEN s.value <> p.seen_value ELSE s.value & ~p.seen_value <> 0 END
      OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
        AND c.until <= coalesce(NULL::timestamptz, now()))
      OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(NULL::timestamptz, now()) >= p.lasts_until)
    THEN CASE WHEN true THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
    WHEN p.closed_at IS NOT NULL THEN 'closed'
    WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
    WHEN true THEN 'acknowledged'
    ELSE 'closed'
  END) AS handling
    FROM alarm_state s JOIN device d ON d.id = s.device_id
    LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
    WHERE s.is_active AND ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[]))
  ) lasting WHERE handling <> 'closed'
  UNION ALL
  SELECT * FROM (
    SELECT
    "s"."episode_id" AS episode_id, d.id AS device_id, "s"."semaphore_code" AS code,
    "s"."occurred_at" AS occurred_at, coalesce(e.name, "s"."semaphore_code") AS name,
    coalesce(e.alarm_level, 0) AS level, p.assignee_id, p.acked_by_name, (
  CASE
    WHEN p.settled IS NOT NULL THEN p.settled
    WHEN p.acked_at IS NULL
      OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
      OR CASE WHEN e.analysis_type = 'VALUE' THEN (SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id) <> p.seen_value ELSE (SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id) & ~p.seen_value <> 0 END
      OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
        AND c.until <= coalesce(s.recovered_at, now()))
      OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(s.recovered_at, now()) >= p.lasts_until)
    THEN CASE WHEN false THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
    WHEN p.closed_at IS NOT NULL THEN 'closed'
    WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
    WHEN false THEN 'acknowledged'
    ELSE 'closed'
  END) AS handling
    FROM alarm_state s JOIN device d ON d.id = s.device_id
    LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
    WHERE NOT s.is_active AND s.episode_id IS NOT NULL AND s.recovered_at >= $4
      AND s.occurred_at >= $5::timestamptz - $6 * interval '1 day' AND s.occurred_at < $7
      AND ("d"."operator_id" = ANY($8::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($9::int[])) AND "d"."region_id" = ANY($10::int[]))
  ) unseen WHERE handling = 'recoveredUnacknowledged'
  UNION ALL
  SELECT * FROM (
    SELECT
    "h"."id" AS episode_id, d.id AS device_id, "h"."semaphore_code" AS code,
    "h"."occurred_at" AS occurred_at, coalesce(e.name, "h"."semaphore_code") AS name,
    coalesce(e.alarm_level, 0) AS level, p.assignee_id, p.acked_by_name, (
  CASE
    WHEN p.settled IS NOT NULL THEN p.settled
    WHEN p.acked_at IS NULL
      OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
      OR CASE WHEN e.analysis_type = 'VALUE' THEN h.value <> p.seen_value ELSE h.value & ~p.seen_value <> 0 END
      OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
        AND c.until <= coalesce(h.recovered_at, now()))
      OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(h.recovered_at, now()) >= p.lasts_until)
    THEN CASE WHEN (h.recovered_at IS NULL) THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
    WHEN p.closed_at IS NOT NULL THEN 'closed'
    WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
    WHEN (h.recovered_at IS NULL) THEN 'acknowledged'
    ELSE 'closed'
  END) AS handling
    FROM alarm_handling p
    JOIN alarm_history h ON h.occurred_at = p.occurred_at AND h.id = p.episode_id
    JOIN device d ON d.id = h.device_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
    WHERE p.settled IS NULL AND p.assignee_id IS NOT NULL AND p.closed_at IS NULL AND h.recovered_at IS NOT NULL
      AND ("d"."operator_id" = ANY($11::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($12::int[])) AND "d"."region_id" = ANY($13::int[]))
  ) taken WHERE handling = 'inProgress'
  UNION ALL
  SELECT
    "h"."id" AS episode_id, d.id AS device_id, "h"."semaphore_code" AS code,
    "h"."occurred_at" AS occurred_at, coalesce(e.name, "h"."semaphore_code") AS name,
    coalesce(e.alarm_level, 0) AS level, p.assignee_id, p.acked_by_name, h.state AS handling
  FROM alarm_settled h
  JOIN alarm_handling p ON p.episode_id = h.id
  JOIN device d ON d.id = h.device_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
  WHERE h.state = 'inProgress' AND ("d"."operator_id" = ANY($14::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($15::int[])) AND "d"."region_id" = ANY($16::int[]))
) every
      ORDER BY nullif(level, 0) NULLS LAST, occurred_at, episode_id LIMIT $17
    ) open
  JOIN device d ON d.id = open.device_id
  JOIN operator o ON o.id = d.operator_id
  JOIN equip_model m ON m.id = d.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  JOIN region r ON r.id = d.region_id
  LEFT JOIN device_state ds ON ds.device_id = d.id
    LEFT JOIN alarm_history h ON h.occurred_at = open.occurred_at AND h.id = open.episode_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
    LEFT JOIN app_user w ON w.id = open.assignee_id
    LEFT JOIN LATERAL (
      SELECT a.note, a.user_name, a.at FROM alarm_handling_action a
      WHERE a.episode_id = open.episode_id AND a.note IS NOT NULL ORDER BY a.id DESC LIMIT 1
    ) n ON true
    ORDER BY nullif(open.level, 0) NULLS LAST, open.occurred_at, open.episode_id;

-- listNoted
-- answers at timestamptz, userName text, kind text, note text, deviceIds _int4, semaphoreName text, meaning text
SELECT g.at, g.user_name AS "userName", g.kind, g.note, g.device_ids AS "deviceIds",
    CASE WHEN g.n = 1 THEN coalesce(e.name, h.semaphore_code) END AS "semaphoreName",
    (
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
END) AS meaning
  FROM (
    SELECT a.at, a.user_id, a.user_name, a.kind, a.note, count(*)::int AS n, min(a.episode_id) AS episode_id,
      max(a.id) AS last_id, array_agg(a.device_id ORDER BY a.id) AS device_ids
    FROM alarm_handling_action a JOIN device d ON d.id = a.device_id
    WHERE a.note IS NOT NULL AND a.at >= $1 AND a.at < $2 AND ("d"."operator_id" = ANY($3::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($4::int[])) AND "d"."region_id" = ANY($5::int[]))
    GROUP BY a.at, a.user_id, a.user_name, a.kind, a.note
    ORDER BY a.at DESC, last_id DESC LIMIT $6
  ) g
  LEFT JOIN alarm_handling p ON g.n = 1 AND p.episode_id = g.episode_id
  LEFT JOIN alarm_history h ON h.occurred_at = p.occurred_at AND h.id = p.episode_id
  LEFT JOIN device d ON d.id = h.device_id
  LEFT JOIN equip_model m ON m.id = d.model_id
  LEFT JOIN equip_type t ON t.id = m.equip_type_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
  ORDER BY g.at DESC, g.last_id DESC;
