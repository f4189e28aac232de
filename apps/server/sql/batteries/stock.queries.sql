-- Written by `npm run docs:sql`.

-- listDevices
-- answers id text, code text, name text null, isOnline int4, operatorName text, regionName text, changeTime timestamptz, deviceCount int4, lowCount int4, full int2, charging int2, idle int2, empty int2, faulty int2, disabled int2, usable int2
WITH page AS MATERIALIZED (
  SELECT k.* FROM device_stock k JOIN device_listing d ON d.id = k.device_id
  WHERE true AND (k.full_count, k.device_id) > ($1, $2::int) ORDER BY k.full_count, k.device_id LIMIT $3 OFFSET $4
)
SELECT d.id::text AS id, d.code, d.name, coalesce(s.is_online, false)::int AS "isOnline",
  p.name AS "operatorName", r.full_name AS "regionName", k.changed_at AS "changeTime",
  1 AS "deviceCount", (k.full_count < $5::int)::int AS "lowCount",
  k.full_count AS "full", k.charging_count AS charging, k.idle_count AS idle, k.empty_count AS empty,
  k.faulty_count AS faulty, k.disabled_count AS disabled, k.full_count + k.charging_count + k.idle_count + k.empty_count AS usable
FROM page k
JOIN device d ON d.id = k.device_id
JOIN operator p ON p.id = d.operator_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state s ON s.device_id = d.id
ORDER BY k.full_count, k.device_id;

-- listStock
-- not shown: its groups are the ones that its caller was asked for

-- sumStock
-- answers deviceCount int4, lowCount int4, full int4, charging int4, idle int4, empty int4, faulty int4, disabled int4, usable int4
SELECT
count(*)::int AS "deviceCount",
(count(*) FILTER (WHERE k.full_count < $1::int))::int AS "lowCount",
coalesce(sum(k.full_count), 0)::int AS "full", coalesce(sum(k.charging_count), 0)::int AS charging,
coalesce(sum(k.idle_count), 0)::int AS idle, coalesce(sum(k.empty_count), 0)::int AS empty,
coalesce(sum(k.faulty_count), 0)::int AS faulty, coalesce(sum(k.disabled_count), 0)::int AS disabled,
coalesce(sum(k.full_count + k.charging_count + k.idle_count + k.empty_count), 0)::int AS usable FROM device_listing d JOIN device_stock k ON k.device_id = d.id WHERE true;
