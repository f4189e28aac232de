-- Written by `npm run docs:sql`.

-- listSavedFilters
-- answers id int4, name text, values jsonb, isShared bool, isOwn bool, ownerName text, version int4
SELECT f.id, f.name, f.filter_values AS values, f.is_shared AS "isShared", f.user_id = $1 AS "isOwn",
  u.user_name AS "ownerName", f.version
FROM saved_filter f JOIN app_user u ON u.id = f.user_id
WHERE f.list = $2
  AND (f.user_id = $3 OR f.is_shared AND u.organization_id = $4)
ORDER BY "isOwn" DESC, f.name, f.id
LIMIT 500;

-- listPartsSeen
-- answers part text
WITH seen AS MATERIALIZED (
SELECT b.search_code AS code FROM device d JOIN battery b ON b.device_id = d.id WHERE ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[]))
UNION
SELECT b.search_code FROM battery b
JOIN battery_stay s ON s.battery_code = b.code AND s.battery_code <> '' AND s.ended_at IS NULL
JOIN device d ON d.id = s.device_id
WHERE b.claims > 1 AND ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[]))), asked AS MATERIALIZED (
  SELECT part, n, lower(part) IN (SELECT code FROM seen) AS is_whole
  FROM unnest($7::text[]) WITH ORDINALITY AS asked(part, n)
)
SELECT part FROM asked WHERE is_whole
UNION ALL
SELECT part FROM (SELECT part FROM asked WHERE NOT is_whole ORDER BY n LIMIT $8) AS other
WHERE EXISTS (SELECT FROM seen WHERE strpos(seen.code, lower(other.part)) > 0);

-- lockCount
-- answers id int4
SELECT id FROM app_user WHERE id = $1 FOR NO KEY UPDATE;

-- insertSavedFilter
-- answers id int4
INSERT INTO saved_filter (user_id, list, name, filter_values, is_shared)
VALUES ($1, $2, $3, $4::jsonb, $5)
RETURNING id;
