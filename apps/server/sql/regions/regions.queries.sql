-- Written by `npm run docs:sql`.

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
