-- Written by `npm run docs:sql`.

-- readEpisodes
-- answers id int8, code text, equipCode text, equipId int4, equipName text null, organizationId int4, operatorId int4, operatorName text, equipTypeId int4, equipTypeName text, equipClassify text, equipModelId int4, equipModelName text, isOnline int4, regionName text, address text null, semaphoreCode text, semaphoreName text, alarmLevel int2 null, value int8, firstValue int8, meaning text, isActive bool, occurrenceTime timestamptz, recoveryTime timestamptz null, recoveryMethod int2 null, recoveredBy text null, note text null, handling text, handlingVersion int4, ackTime timestamptz null, ackUserName text null, assigneeId int4, assigneeName text null, causeName text null, repeatCount int4, repeatFirstTime timestamptz, repeatLastTime timestamptz, chatter text null
SELECT
h.id,
d.code, d.code AS "equipCode", d.id AS "equipId", d.name AS "equipName",
o.organization_id AS "organizationId", o.id AS "operatorId", o.name AS "operatorName",
t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
m.id AS "equipModelId", m.name AS "equipModelName",
coalesce(ds.is_online, false)::int AS "isOnline", r.full_name AS "regionName", d.address,
h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
e.alarm_level AS "alarmLevel", h.value, h.first_value AS "firstValue",
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
END) AS meaning,
h.recovered_at IS NULL AS "isActive",
h.occurred_at AS "occurrenceTime", h.recovered_at AS "recoveryTime",
h.recovery_method AS "recoveryMethod", u.user_name AS "recoveredBy", h.note,
(
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
END) AS handling, coalesce(p.version, 0) AS "handlingVersion",
p.acked_at AS "ackTime", p.acked_by_name AS "ackUserName",
p.assignee_id AS "assigneeId", w.user_name AS "assigneeName", p.cause_name AS "causeName",
coalesce(rp.occurrences, 1) AS "repeatCount", rp.first_at AS "repeatFirstTime", rp.last_at AS "repeatLastTime",
rp.chatter
  FROM unnest($1::timestamptz[], $2::bigint[]) AS k (occurred_at, id) JOIN alarm_history h ON
  h.occurred_at = k.occurred_at AND h.id = k.id
  AND h.occurred_at BETWEEN $3::timestamptz AND $4::timestamptz
JOIN device d ON d.id = h.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
LEFT JOIN app_user u ON u.id = "h"."recovered_by"
LEFT JOIN alarm_handling p ON p.episode_id = h.id
LEFT JOIN app_user w ON w.id = p.assignee_id
LEFT JOIN LATERAL (
  SELECT * FROM (
    SELECT * FROM alarm_repeat t
    WHERE t.device_id = h.device_id AND t.semaphore_code = h.semaphore_code AND t.last_at >= h.occurred_at
    ORDER BY t.last_at LIMIT 4
  ) t
  WHERE t.first_at <= h.occurred_at
    AND CASE WHEN e.analysis_type = 'VALUE' THEN h.first_value = ANY(t.seen) ELSE h.first_value & t.seen[1] <> 0 END
  LIMIT 1
) rp ON true
  ORDER BY h.occurred_at DESC, h.id DESC;

-- findEpisode
-- answers id int8, code text, equipCode text, equipId int4, equipName text null, organizationId int4, operatorId int4, operatorName text, equipTypeId int4, equipTypeName text, equipClassify text, equipModelId int4, equipModelName text, isOnline int4, regionName text, address text null, semaphoreCode text, semaphoreName text, alarmLevel int2 null, value int8, firstValue int8, meaning text, isActive bool, occurrenceTime timestamptz, recoveryTime timestamptz null, recoveryMethod int2 null, recoveredBy text null, note text null, handling text, handlingVersion int4, ackTime timestamptz null, ackUserName text null, assigneeId int4, assigneeName text null, causeName text null, repeatCount int4, repeatFirstTime timestamptz, repeatLastTime timestamptz, chatter text null, lateReports jsonb null
SELECT
h.id,
d.code, d.code AS "equipCode", d.id AS "equipId", d.name AS "equipName",
o.organization_id AS "organizationId", o.id AS "operatorId", o.name AS "operatorName",
t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
m.id AS "equipModelId", m.name AS "equipModelName",
coalesce(ds.is_online, false)::int AS "isOnline", r.full_name AS "regionName", d.address,
h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
e.alarm_level AS "alarmLevel", h.value, h.first_value AS "firstValue",
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
END) AS meaning,
h.recovered_at IS NULL AS "isActive",
h.occurred_at AS "occurrenceTime", h.recovered_at AS "recoveryTime",
h.recovery_method AS "recoveryMethod", u.user_name AS "recoveredBy", h.note,
(
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
END) AS handling, coalesce(p.version, 0) AS "handlingVersion",
p.acked_at AS "ackTime", p.acked_by_name AS "ackUserName",
p.assignee_id AS "assigneeId", w.user_name AS "assigneeName", p.cause_name AS "causeName",
coalesce(rp.occurrences, 1) AS "repeatCount", rp.first_at AS "repeatFirstTime", rp.last_at AS "repeatLastTime",
rp.chatter, h.late_reports AS "lateReports"
  FROM alarm_history h
JOIN device d ON d.id = h.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
LEFT JOIN app_user u ON u.id = "h"."recovered_by"
LEFT JOIN alarm_handling p ON p.episode_id = h.id
LEFT JOIN app_user w ON w.id = p.assignee_id
LEFT JOIN LATERAL (
  SELECT * FROM (
    SELECT * FROM alarm_repeat t
    WHERE t.device_id = h.device_id AND t.semaphore_code = h.semaphore_code AND t.last_at >= h.occurred_at
    ORDER BY t.last_at LIMIT 4
  ) t
  WHERE t.first_at <= h.occurred_at
    AND CASE WHEN e.analysis_type = 'VALUE' THEN h.first_value = ANY(t.seen) ELSE h.first_value & t.seen[1] <> 0 END
  LIMIT 1
) rp ON true
  WHERE h.id = $1::bigint AND h.occurred_at = ANY($2::timestamptz[])
    AND ("d"."operator_id" = ANY($3::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($4::int[])) AND "d"."region_id" = ANY($5::int[]));

-- momentsOf
-- answers at text
SELECT occurred_at::text AS at FROM alarm_state WHERE episode_id = $1::bigint;

-- momentsOf
-- answers at text
SELECT occurred_at::text AS at FROM alarm_history WHERE id = $1::bigint;

-- meanOf
-- answers mean float8
SELECT avg(extract(epoch FROM h.recovered_at - h.occurred_at))::float8 AS mean FROM (SELECT occurred_at, id FROM (
      SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $1) AS h
      WHERE operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]) AND semaphore_code = ANY($5::text[]) AND occurred_at >= $6 AND occurred_at < $7 AND assignee_id = $8
        AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $9) AS x WHERE occurred_at >= $10 AND occurred_at < $11 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL
      SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $12) AS h
      WHERE operator_id = ANY($13::int[]) AND model_id = ANY($14::int[]) AND region_id = ANY($15::int[]) AND semaphore_code = ANY($16::text[]) AND occurred_at >= $17 AND occurred_at < $18 AND assignee_id = $19
        AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $20) AS x WHERE occurred_at >= $21 AND occurred_at < $22 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL
      SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $23) AS h
      WHERE operator_id = ANY($24::int[]) AND model_id = ANY($25::int[]) AND region_id = ANY($26::int[]) AND semaphore_code = ANY($27::text[]) AND occurred_at >= $28 AND occurred_at < $29 AND assignee_id = $30
        AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $31) AS x WHERE occurred_at >= $32 AND occurred_at < $33 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL SELECT occurred_at, id FROM (SELECT occurred_at, episode_id AS id FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
AND "p"."occurred_at" >= $34 AND "p"."occurred_at" < $35 AND true AND (
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
END) = ANY($36::text[]) AND p.assignee_id = $37
) AS alarm_state WHERE operator_id = ANY($38::int[]) AND model_id = ANY($39::int[]) AND region_id = ANY($40::int[]) AND semaphore_code = ANY($41::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $42 AND occurred_at < $43 AND $44 AND $45 AND $46) AS few UNION ALL SELECT occurred_at, id FROM (
SELECT p.occurred_at, p.episode_id AS id
FROM (
  SELECT * FROM alarm_handling t
  WHERE t.settled IS NULL AND occurred_at >= $47 AND occurred_at < $48
    AND t.device_id = ANY($49::int[])
    AND t.assignee_id = $50
    AND NOT EXISTS (
      SELECT FROM alarm_state s
      WHERE s.is_active AND s.occurred_at = t.occurred_at AND s.episode_id = t.episode_id)
  OFFSET 0
) p
CROSS JOIN LATERAL (
  SELECT semaphore_code, value, recovered_at FROM alarm_history
  WHERE occurred_at = p.occurred_at AND id = p.episode_id AND recovered_at IS NOT NULL AND operator_id = ANY($51::int[]) AND model_id = ANY($52::int[]) AND region_id = ANY($53::int[]) AND semaphore_code = ANY($54::text[])
  OFFSET 0
) h
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
WHERE true AND (
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
END) = ANY($55::text[]) AND p.assignee_id = $56) AS few) AS h
  WHERE true) AS few
  JOIN alarm_history h ON h.occurred_at = few.occurred_at AND h.id = few.id
  WHERE h.recovered_at IS NOT NULL;
