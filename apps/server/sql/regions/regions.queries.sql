-- Written by `npm run docs:sql`.

-- countRegions
-- answers code text, devices int4, online int4, alarms int4
WITH alarm_tally AS (
  SELECT s.region_id, count(*)::int AS alarms
  FROM alarm_state s WHERE s.is_active AND ("s"."operator_id" = ANY($1::int[]) AND "s"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "s"."region_id" = ANY($3::int[])) GROUP BY s.region_id
), device_tally AS (
  SELECT d.region_id, count(*)::int AS devices, count(*) FILTER (WHERE d.connection = 1)::int AS online
  FROM device_listing d WHERE ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[])) GROUP BY d.region_id
)
SELECT r.code, d.devices, d.online, coalesce(a.alarms, 0) AS alarms
FROM device_tally d
JOIN region r ON r.id = d.region_id
LEFT JOIN alarm_tally a ON a.region_id = d.region_id
ORDER BY r.id;

-- lockTree
LOCK TABLE region IN SHARE ROW EXCLUSIVE MODE;

-- insertRegion
INSERT INTO region (id, code, parent_id, name, path, full_name, order_num)
SELECT drawn.id, $1, $2::int, $3, $4 || drawn.id || '/', $5,
  coalesce($6::int, (
    SELECT coalesce(max(order_num), 0) + 1 FROM region WHERE parent_id IS NOT DISTINCT FROM $7::int
  ))
FROM (SELECT nextval(pg_get_serial_sequence('region', 'id'))::int AS id) AS drawn;

-- placeRegions
UPDATE region r SET path = place.path, full_name = place.full_name
FROM unnest(
  $1::int[],
  $2::text[],
  $3::text[]
) AS place(id, path, full_name)
WHERE r.id = place.id
  AND (r.path, r.full_name) IS DISTINCT FROM (place.path, place.full_name);

-- usesOf
-- answers hasChildren bool, hasDevices bool, isInPermissions bool, hasHistory bool
SELECT
EXISTS (SELECT FROM region WHERE parent_id = $1) AS "hasChildren",
EXISTS (SELECT FROM device WHERE region_id = $2) AS "hasDevices",
EXISTS (SELECT FROM user_authority WHERE authority_type = 'R' AND value = $3)
  AS "isInPermissions",
EXISTS (SELECT FROM alarm_history WHERE region_id = $4)
  OR EXISTS (SELECT FROM event_history WHERE region_id = $5) AS "hasHistory";
