-- Written by `npm run docs:sql`.

-- listCodes
-- answers id int4, vendor text, code text, semaphoreCode text, semaphoreName text null, alarmLevel int2 null, alarmValue float8, note text null, updateBy text null, updateTime timestamptz, version int4
SELECT c.id, c.vendor, c.code, c.semaphore_code AS "semaphoreCode", e.name AS "semaphoreName",
  e.alarm_level AS "alarmLevel", c.alarm_value::float8 AS "alarmValue", c.note, c.updated_by_name AS "updateBy",
  c.updated_at AS "updateTime", c.version
FROM ocpp_error_code c
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = c.semaphore_code
WHERE true AND c.id = $1 AND (c.vendor ILIKE $2 OR c.code ILIKE $3 OR c.note ILIKE $4)
ORDER BY c.vendor = '', c.vendor, c.code LIMIT $5 OFFSET $6;

-- listUnknown
-- answers vendor text, code text, info text, semaphoreCode text, count float8, firstTime timestamptz, lastTime timestamptz
SELECT u.vendor, u.code,
    (array_agg(u.info ORDER BY u.last_at DESC) FILTER (WHERE u.info IS NOT NULL))[1] AS info,
    (array_agg(u.semaphore_code ORDER BY u.last_at DESC))[1] AS "semaphoreCode",
    sum(u.count)::float8 AS count, min(u.first_at) AS "firstTime", max(u.last_at) AS "lastTime"
FROM ocpp_unknown_code u JOIN device d ON d.id = u.device_id
WHERE ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[])) AND NOT EXISTS (
  SELECT FROM ocpp_error_code c WHERE c.code = u.code AND c.vendor IN (u.vendor, ''))
  GROUP BY u.vendor, u.code
  ORDER BY max(u.last_at) DESC, u.vendor, u.code LIMIT $4 OFFSET $5;

-- lockCode
-- answers id int4, vendor text, code text, semaphoreCode text, alarmValue float8, note text null, version int4
SELECT id, vendor, code, semaphore_code AS "semaphoreCode", alarm_value::float8 AS "alarmValue", note, version
FROM ocpp_error_code WHERE id = $1 FOR UPDATE;
