-- Written by `npm run docs:sql`.

-- lockState
-- answers deviceId int4, deviceCode text, semaphoreCode text, semaphoreName text, occurredAt text, episodeId float8, isActive bool, value float8, occurredAtMs float8, reportedAtMs float8, recoveredAtMs float8, recoveryMethod int2 null, nowMs float8
SELECT s.device_id AS "deviceId", d.code AS "deviceCode", s.semaphore_code AS "semaphoreCode",
  coalesce(e.name, s.semaphore_code) AS "semaphoreName", s.occurred_at::text AS "occurredAt",
  s.episode_id::float8 AS "episodeId", s.is_active AS "isActive", s.value::float8 AS value,
  round(date_part('epoch', s.occurred_at) * 1000) AS "occurredAtMs", round(date_part('epoch', s.reported_at) * 1000) AS "reportedAtMs",
  round(date_part('epoch', s.recovered_at) * 1000) AS "recoveredAtMs", s.recovery_method AS "recoveryMethod",
  round(date_part('epoch', now()) * 1000) AS "nowMs"
FROM alarm_state s
JOIN device d ON d.id = s.device_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code WHERE s.episode_id = $1::bigint AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
  FOR UPDATE OF s;

-- lockFreeStates
-- answers deviceId int4, deviceCode text, semaphoreCode text, semaphoreName text, occurredAt text, episodeId float8, isActive bool, value float8, occurredAtMs float8, reportedAtMs float8, recoveredAtMs float8, recoveryMethod int2 null, nowMs float8
SELECT s.device_id AS "deviceId", d.code AS "deviceCode", s.semaphore_code AS "semaphoreCode",
  coalesce(e.name, s.semaphore_code) AS "semaphoreName", s.occurred_at::text AS "occurredAt",
  s.episode_id::float8 AS "episodeId", s.is_active AS "isActive", s.value::float8 AS value,
  round(date_part('epoch', s.occurred_at) * 1000) AS "occurredAtMs", round(date_part('epoch', s.reported_at) * 1000) AS "reportedAtMs",
  round(date_part('epoch', s.recovered_at) * 1000) AS "recoveredAtMs", s.recovery_method AS "recoveryMethod",
  round(date_part('epoch', now()) * 1000) AS "nowMs"
FROM alarm_state s
JOIN device d ON d.id = s.device_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code WHERE s.episode_id = ANY($1::bigint[]) AND s.is_active AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
  FOR UPDATE OF s SKIP LOCKED;

-- lockFreeStates
-- answers id float8
SELECT h.id::float8 AS id
FROM unnest(
  $1::bigint[], $2::timestamptz[]
) AS k (id, occurred_at)
JOIN alarm_history h ON h.occurred_at = k.occurred_at AND h.id = k.id
FOR UPDATE OF h SKIP LOCKED;

-- listActive
-- answers id int8 null
SELECT s.episode_id AS id FROM alarm_state s JOIN device d ON d.id = s.device_id
WHERE s.episode_id = ANY($1::bigint[]) AND s.is_active AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));

-- writeRecoveries
UPDATE alarm_state s SET is_active = false, value = 0,
recovered_at = m.recovered_at, recovery_method = m.recovery_method, recovered_by = $1, note = $2
FROM unnest(
  $3::int[], $4::text[],
  $5::timestamptz[], $6::int2[]
) AS m (device_id, semaphore_code, recovered_at, recovery_method)
WHERE s.device_id = m.device_id AND s.semaphore_code = m.semaphore_code;

-- writeRecoveries
UPDATE alarm_history h SET
recovered_at = m.recovered_at, recovery_method = m.recovery_method, recovered_by = $1, note = $2
FROM unnest(
  $3::bigint[], $4::timestamptz[],
  $5::timestamptz[], $6::int2[]
) AS m (id, occurred_at, recovered_at, recovery_method)
WHERE h.id = m.id AND h.occurred_at = m.occurred_at;
