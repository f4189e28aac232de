-- Written by `npm run docs:sql`.

-- countDevices
-- answers state text, count int4
SELECT name AS state, sum(n)::int AS count FROM fleet_count
WHERE figure = 'device' AND "model_id" = 0
AND "region_id" = 0
AND "operator_id" = 0 GROUP BY name;

-- sumOf
-- answers count int4
SELECT coalesce(sum(n), 0)::int AS count FROM fleet_count
WHERE figure = $1 AND "model_id" = 0
AND "region_id" = 0
AND "operator_id" = 0;

-- countActiveAlarms
-- answers semaphoreCode text, semaphoreName text, alarmLevel int2 null, count int4
SELECT a.name AS "semaphoreCode", coalesce(e.name, a.name) AS "semaphoreName", e.alarm_level AS "alarmLevel", a.count
FROM (
  SELECT name, sum(n)::int AS count FROM fleet_count
  WHERE figure = 'alarm' AND "model_id" = 0
AND "region_id" = 0
AND "operator_id" = 0 GROUP BY name HAVING sum(n) > 0
) AS a
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = a.name
ORDER BY a.count DESC, e.alarm_level, a.name;

-- countActiveLevels
-- answers level int4, count int4
SELECT name::int AS level, sum(n)::int AS count FROM fleet_count
WHERE figure = 'level' AND "model_id" = 0
AND "region_id" = 0
AND "operator_id" = 0 GROUP BY name HAVING sum(n) > 0
ORDER BY name = '0', name;

-- readChanges
-- answers since timestamptz, onlineCount int4, offlineCount int4, devicesWithAlarm int4, alarmCount int4
SELECT since.at AS since, c.*
FROM (
  SELECT greatest(date_trunc('hour', now() - interval '24 hours'), max(begun_at)) AS at
  FROM fleet_figure WHERE figure IN ('device', 'alarm', 'alarmed') HAVING count(*) = 3
) AS since
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(n) FILTER (WHERE figure = 'device' AND name = 'online'), 0)::int AS "onlineCount",
    coalesce(sum(n) FILTER (WHERE figure = 'device' AND name = 'offline'), 0)::int AS "offlineCount",
    coalesce(sum(n) FILTER (WHERE figure = 'alarmed'), 0)::int AS "devicesWithAlarm",
    coalesce(sum(n) FILTER (WHERE figure = 'alarm'), 0)::int AS "alarmCount"
  FROM fleet_change
  WHERE figure IN ('device', 'alarm', 'alarmed') AND "model_id" = 0
AND "region_id" = 0
AND "operator_id" = 0 AND hour >= date_trunc('hour', since.at)
) AS c
WHERE since.at < now() - interval '1 hour';

-- listOperators
-- answers id int4, name text, organizationId int4, operator_id int4, onlineCount int4, offlineCount int4, criticalCount int4, majorCount int4, alarmCount int4, shelvedCount int4, total int4
SELECT o.id, o.name, o.organization_id AS "organizationId", t.*, (count(*) OVER ())::int AS total
  FROM (
    SELECT operator_id,
coalesce(sum(n) FILTER (WHERE figure = 'device' AND name = 'online'), 0)::int AS "onlineCount",
coalesce(sum(n) FILTER (WHERE figure = 'device' AND name = 'offline'), 0)::int AS "offlineCount",
coalesce(sum(n) FILTER (WHERE figure = 'level' AND name = '1'), 0)::int AS "criticalCount",
coalesce(sum(n) FILTER (WHERE figure = 'level' AND name = '2'), 0)::int AS "majorCount",
coalesce(sum(n) FILTER (WHERE figure = 'level'), 0)::int AS "alarmCount",
coalesce(sum(n) FILTER (WHERE figure = 'shelved'), 0)::int AS "shelvedCount" FROM fleet_count
    WHERE figure IN ('device', 'level', 'shelved') AND "model_id" = 0
  AND "region_id" = 0
  AND "operator_id" > 0 GROUP BY operator_id
  ) AS t
  JOIN operator o ON o.id = t.operator_id
  WHERE "offlineCount" + "alarmCount" + "shelvedCount" > 0
  ORDER BY (2 * "criticalCount" + "majorCount" + "offlineCount") / sqrt(greatest("onlineCount" + "offlineCount", 1)) DESC,
    "alarmCount" DESC, o.name
  LIMIT $1;

-- listRegions
-- answers path text, region_id int4, onlineCount int4, offlineCount int4, criticalCount int4, majorCount int4, alarmCount int4, shelvedCount int4
SELECT r.path, t.*
  FROM (
    SELECT region_id,
coalesce(sum(n) FILTER (WHERE figure = 'device' AND name = 'online'), 0)::int AS "onlineCount",
coalesce(sum(n) FILTER (WHERE figure = 'device' AND name = 'offline'), 0)::int AS "offlineCount",
coalesce(sum(n) FILTER (WHERE figure = 'level' AND name = '1'), 0)::int AS "criticalCount",
coalesce(sum(n) FILTER (WHERE figure = 'level' AND name = '2'), 0)::int AS "majorCount",
coalesce(sum(n) FILTER (WHERE figure = 'level'), 0)::int AS "alarmCount",
coalesce(sum(n) FILTER (WHERE figure = 'shelved'), 0)::int AS "shelvedCount" FROM fleet_count
    WHERE figure IN ('device', 'level', 'shelved') AND "model_id" = 0
  AND "region_id" > 0
  AND "operator_id" > 0 GROUP BY region_id
    HAVING sum(n) > 0
  ) AS t
  JOIN region r ON r.id = t.region_id;

-- nameRegions
-- answers id int4, code text, name text
SELECT id, code, name FROM region WHERE id = ANY($1::int[]);

-- countVersions
-- answers partType text, partTypeName text, version text, count int4
SELECT v.name AS "partType", coalesce(p.name, v.name) AS "partTypeName", v.detail AS version, v.count
FROM (
  SELECT name, detail, sum(n)::int AS count FROM fleet_count
  WHERE figure = 'version' AND "model_id" = 0
AND "region_id" = 0
AND "operator_id" = 0 GROUP BY name, detail HAVING sum(n) > 0
) AS v
LEFT JOIN part_type p ON p.code = v.name
ORDER BY p.order_num NULLS LAST, v.name,
  CASE WHEN v.detail ~ '^[0-9]{1,9}([.][0-9]{1,9})*$' THEN string_to_array(v.detail, '.')::bigint[] END
    DESC NULLS LAST, v.detail;
