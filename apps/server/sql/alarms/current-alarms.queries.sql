-- Written by `npm run docs:sql`.

-- countStates
-- answers n int4
SELECT (1 * (SELECT count(*) FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
  AND true AND (
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
END) = ANY($1::text[]) AND p.assignee_id = $2
) AS alarm_state WHERE operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $7 AND occurred_at < $8 AND NOT (operator_id = ANY($9::int[]) AND model_id = ANY($10::int[]) AND region_id = ANY($11::int[]) AND semaphore_code = ANY($12::text[]) AND semaphore_code <> ALL($13::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $14::int[], $15::timestamptz[],
  $16::int[], $17::text[],
  $18::bigint[], $19::bigint[],
  $20::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($21::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END) AND $22 AND $23))::int AS n;

-- countStatesByDay
-- answers day text, n int4
SELECT by::text AS day, n FROM (
SELECT by, sum(n)::int AS n FROM (SELECT occurred_at::date AS by, 1 * count(*) AS n FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
AND "p"."occurred_at" >= $1 AND "p"."occurred_at" < $2 AND true AND (
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
END) = ANY($3::text[]) AND p.assignee_id = $4
) AS alarm_state WHERE operator_id = ANY($5::int[]) AND model_id = ANY($6::int[]) AND region_id = ANY($7::int[]) AND semaphore_code = ANY($8::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $9 AND occurred_at < $10 AND $11 AND $12 AND $13 GROUP BY 1) AS part GROUP BY by HAVING sum(n) <> 0) AS counted;

-- countStatesByCode
-- answers code text, level int4, count int4
SELECT s.by AS code, coalesce(e.alarm_level, 0) AS level, s.n AS count
  FROM (
SELECT by, sum(n)::int AS n FROM (SELECT semaphore_code AS by, 1 * count(*) AS n FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
  AND true AND (
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
END) = ANY($1::text[]) AND p.assignee_id = $2
) AS alarm_state WHERE operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $7 AND occurred_at < $8 AND NOT (operator_id = ANY($9::int[]) AND model_id = ANY($10::int[]) AND region_id = ANY($11::int[]) AND semaphore_code = ANY($12::text[]) AND semaphore_code <> ALL($13::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $14::int[], $15::timestamptz[],
  $16::int[], $17::text[],
  $18::bigint[], $19::bigint[],
  $20::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($21::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END) AND $22 AND $23 GROUP BY 1) AS part GROUP BY by HAVING sum(n) <> 0) AS s
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.by;

-- listActiveKeys
-- answers deviceId int4, semaphoreCode text, occurredAt text, id int8
SELECT device_id AS "deviceId", semaphore_code AS "semaphoreCode", occurred_at::text AS "occurredAt",
    episode_id AS id
  FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
  AND true AND (
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
END) = ANY($1::text[]) AND p.assignee_id = $2
) AS alarm_state WHERE operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $7 AND occurred_at < $8 AND NOT (operator_id = ANY($9::int[]) AND model_id = ANY($10::int[]) AND region_id = ANY($11::int[]) AND semaphore_code = ANY($12::text[]) AND semaphore_code <> ALL($13::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $14::int[], $15::timestamptz[],
  $16::int[], $17::text[],
  $18::bigint[], $19::bigint[],
  $20::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($21::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END) AND $22 AND $23
    AND episode_id <> ALL($24::bigint[])
  ORDER BY device_id, semaphore_code LIMIT $25;

-- listStillActive
-- answers id text
SELECT s.episode_id::text AS id
FROM unnest(
  $1::int[], $2::text[]
) AS k (device_id, semaphore_code)
JOIN alarm_state s ON s.device_id = k.device_id AND s.semaphore_code = k.semaphore_code
WHERE s.is_active;

-- listStateKeys
-- answers deviceId int4, semaphoreCode text, occurredAt text, id int8
SELECT device_id AS "deviceId", semaphore_code AS "semaphoreCode",
    occurred_at::text AS "occurredAt", episode_id AS id
  FROM (
    SELECT * FROM (
    SELECT device_id, semaphore_code, occurred_at, episode_id FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
  AND true AND (
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
END) = ANY($1::text[]) AND p.assignee_id = $2
) AS alarm_state WHERE operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $7 AND occurred_at < $8 AND NOT (operator_id = ANY($9::int[]) AND model_id = ANY($10::int[]) AND region_id = ANY($11::int[]) AND semaphore_code = ANY($12::text[]) AND semaphore_code <> ALL($13::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $14::int[], $15::timestamptz[],
  $16::int[], $17::text[],
  $18::bigint[], $19::bigint[],
  $20::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($21::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END) AND $22 AND $23 AND (occurred_at, episode_id) < ($24::timestamptz, $25::bigint)) AS state
    ORDER BY occurred_at DESC, episode_id DESC
    LIMIT $26 OFFSET $27
  ) AS page;

-- readStates
-- answers id int8 null, code text, equipCode text, equipId int4, equipName text null, organizationId int4, operatorId int4, operatorName text, equipTypeId int4, equipTypeName text, equipClassify text, equipModelId int4, equipModelName text, isOnline int4, regionName text, address text null, semaphoreCode text, semaphoreName text, alarmLevel int2 null, value int8, firstValue int8, isActive bool, meaning text, occurrenceTime timestamptz null, recoveryTime timestamptz null, recoveryMethod int2 null, recoveredBy text null, note text null, handling text, handlingVersion int4, ackTime timestamptz null, ackUserName text null, assigneeId int4, assigneeName text null, causeName text null, repeatCount int4, repeatFirstTime timestamptz null, repeatLastTime timestamptz null, chatter text null
SELECT
s.episode_id AS id,
d.code, d.code AS "equipCode", d.id AS "equipId", d.name AS "equipName",
o.organization_id AS "organizationId", o.id AS "operatorId", o.name AS "operatorName",
t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
m.id AS "equipModelId", m.name AS "equipModelName",
coalesce(ds.is_online, false)::int AS "isOnline", r.full_name AS "regionName", d.address,
s.semaphore_code AS "semaphoreCode", coalesce(e.name, s.semaphore_code) AS "semaphoreName",
e.alarm_level AS "alarmLevel", s.value, s.value AS "firstValue", s.is_active AS "isActive",
(
SELECT string_agg(
  CASE WHEN length(f.name) > length(e.name) AND right(f.name, length(e.name)) = e.name
    THEN left(f.name, -length(e.name))
      || CASE WHEN left(f.name, -length(e.name)) LIKE '%号' THEN coalesce(substring(e.name FROM '^(?:充电)?(仓|模块|风扇|风机)'), '') ELSE '' END
    ELSE f.name END,
  '、' ORDER BY f.bit_position)
FROM semaphore_definition f
WHERE f.entry_id = e.id AND f.equip_classify = t.classify AND CASE e.analysis_type
  WHEN 'BIT' THEN f.bit_position < 63 AND (last.value >> least(f.bit_position, 62)::int) & 1 = 1
  WHEN 'VALUE' THEN f.bit_position = last.value
END) AS meaning,
s.occurred_at AS "occurrenceTime", s.recovered_at AS "recoveryTime",
s.recovery_method AS "recoveryMethod", u.user_name AS "recoveredBy", s.note,
(
CASE
  WHEN p.settled IS NOT NULL THEN p.settled
  WHEN p.acked_at IS NULL
    OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
    OR CASE WHEN e.analysis_type = 'VALUE' THEN last.value <> p.seen_value ELSE last.value & ~p.seen_value <> 0 END
    OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
      AND c.until <= coalesce(s.recovered_at, now()))
    OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(s.recovered_at, now()) >= p.lasts_until)
  THEN CASE WHEN s.is_active THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
  WHEN p.closed_at IS NOT NULL THEN 'closed'
  WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
  WHEN s.is_active THEN 'acknowledged'
  ELSE 'closed'
END) AS handling, coalesce(p.version, 0) AS "handlingVersion",
p.acked_at AS "ackTime", p.acked_by_name AS "ackUserName",
p.assignee_id AS "assigneeId", w.user_name AS "assigneeName", p.cause_name AS "causeName",
coalesce(rp.occurrences, 1) AS "repeatCount", rp.first_at AS "repeatFirstTime", rp.last_at AS "repeatLastTime",
rp.chatter
  FROM unnest(
    $1::int[], $2::text[]
  ) WITH ORDINALITY AS k (device_id, semaphore_code, n)
  JOIN alarm_state s ON s.device_id = k.device_id AND s.semaphore_code = k.semaphore_code
JOIN device d ON d.id = s.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
LEFT JOIN app_user u ON u.id = "s"."recovered_by"
LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id
LEFT JOIN app_user w ON w.id = p.assignee_id
LEFT JOIN alarm_repeat rp ON rp.last_episode_id = s.episode_id
CROSS JOIN LATERAL (
  SELECT CASE WHEN s.is_active THEN s.value ELSE (
    SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id
  ) END AS value OFFSET 0
) AS last
  ORDER BY k.n;

-- readStatesById
-- answers id int8, code text, equipCode text, equipId int4, equipName text null, organizationId int4, operatorId int4, operatorName text, equipTypeId int4, equipTypeName text, equipClassify text, equipModelId int4, equipModelName text, isOnline int4, regionName text, address text null, semaphoreCode text, semaphoreName text, alarmLevel int2 null, value int8, firstValue int8, isActive bool, meaning text, occurrenceTime timestamptz, recoveryTime timestamptz null, recoveryMethod int2 null, recoveredBy text null, note text null, handling text, handlingVersion int4, ackTime timestamptz null, ackUserName text null, assigneeId int4, assigneeName text null, causeName text null, repeatCount int4, repeatFirstTime timestamptz null, repeatLastTime timestamptz null, chatter text null
SELECT
s.episode_id AS id,
d.code, d.code AS "equipCode", d.id AS "equipId", d.name AS "equipName",
o.organization_id AS "organizationId", o.id AS "operatorId", o.name AS "operatorName",
t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
m.id AS "equipModelId", m.name AS "equipModelName",
coalesce(ds.is_online, false)::int AS "isOnline", r.full_name AS "regionName", d.address,
s.semaphore_code AS "semaphoreCode", coalesce(e.name, s.semaphore_code) AS "semaphoreName",
e.alarm_level AS "alarmLevel", s.value, s.value AS "firstValue", s.is_active AS "isActive",
(
SELECT string_agg(
  CASE WHEN length(f.name) > length(e.name) AND right(f.name, length(e.name)) = e.name
    THEN left(f.name, -length(e.name))
      || CASE WHEN left(f.name, -length(e.name)) LIKE '%号' THEN coalesce(substring(e.name FROM '^(?:充电)?(仓|模块|风扇|风机)'), '') ELSE '' END
    ELSE f.name END,
  '、' ORDER BY f.bit_position)
FROM semaphore_definition f
WHERE f.entry_id = e.id AND f.equip_classify = t.classify AND CASE e.analysis_type
  WHEN 'BIT' THEN f.bit_position < 63 AND (last.value >> least(f.bit_position, 62)::int) & 1 = 1
  WHEN 'VALUE' THEN f.bit_position = last.value
END) AS meaning,
s.occurred_at AS "occurrenceTime", s.recovered_at AS "recoveryTime",
s.recovery_method AS "recoveryMethod", u.user_name AS "recoveredBy", s.note,
(
CASE
  WHEN p.settled IS NOT NULL THEN p.settled
  WHEN p.acked_at IS NULL
    OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
    OR CASE WHEN e.analysis_type = 'VALUE' THEN last.value <> p.seen_value ELSE last.value & ~p.seen_value <> 0 END
    OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
      AND c.until <= coalesce(s.recovered_at, now()))
    OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(s.recovered_at, now()) >= p.lasts_until)
  THEN CASE WHEN s.is_active THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
  WHEN p.closed_at IS NOT NULL THEN 'closed'
  WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
  WHEN s.is_active THEN 'acknowledged'
  ELSE 'closed'
END) AS handling, coalesce(p.version, 0) AS "handlingVersion",
p.acked_at AS "ackTime", p.acked_by_name AS "ackUserName",
p.assignee_id AS "assigneeId", w.user_name AS "assigneeName", p.cause_name AS "causeName",
coalesce(rp.occurrences, 1) AS "repeatCount", rp.first_at AS "repeatFirstTime", rp.last_at AS "repeatLastTime",
rp.chatter
  FROM (SELECT * FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
  AND true AND (
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
END) = ANY($1::text[]) AND p.assignee_id = $2
) AS alarm_state WHERE operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $7 AND occurred_at < $8 AND NOT (operator_id = ANY($9::int[]) AND model_id = ANY($10::int[]) AND region_id = ANY($11::int[]) AND semaphore_code = ANY($12::text[]) AND semaphore_code <> ALL($13::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $14::int[], $15::timestamptz[],
  $16::int[], $17::text[],
  $18::bigint[], $19::bigint[],
  $20::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($21::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END) AND $22 AND $23 AND episode_id = ANY($24::bigint[])) s
JOIN device d ON d.id = s.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
LEFT JOIN app_user u ON u.id = "s"."recovered_by"
LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id
LEFT JOIN app_user w ON w.id = p.assignee_id
LEFT JOIN alarm_repeat rp ON rp.last_episode_id = s.episode_id
CROSS JOIN LATERAL (
  SELECT CASE WHEN s.is_active THEN s.value ELSE (
    SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id
  ) END AS value OFFSET 0
) AS last
  ORDER BY s.occurred_at DESC, s.episode_id DESC;

-- readReplacedById
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
  FROM (
    SELECT * FROM alarm_history h WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND id = ANY($5::bigint[]) AND occurred_at >= $6 AND occurred_at < $7 AND id IN (SELECT m.episode_id FROM alarm_cause_member m WHERE m.cause_id = $8::bigint)
      AND NOT EXISTS (SELECT FROM alarm_state s WHERE s.episode_id = h.id)
  ) h
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
END) = ANY($9::text[]) AND p.assignee_id = $10;

-- read
-- answers id text, operatorId int4, equipTypeId int4, regionId int4
SELECT e.id::text AS id, e.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId",
  e.region_id AS "regionId"
FROM (SELECT episode_id AS id, operator_id, model_id, region_id FROM alarm_state) e JOIN equip_model m ON m.id = e.model_id
WHERE e.id = ANY($1::bigint[]);
