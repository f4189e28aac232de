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
SELECT asked.part FROM unnest($1::text[]) AS asked(part)
WHERE EXISTS (
SELECT FROM battery b WHERE strpos(b.search_code, lower(asked.part)) > 0 AND (
  EXISTS (SELECT FROM device d WHERE d.id = b.device_id AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])))
  OR b.claims > 1 AND EXISTS (
    SELECT FROM battery_stay s JOIN device d ON d.id = s.device_id
    WHERE s.battery_code = b.code AND s.battery_code <> '' AND s.ended_at IS NULL AND ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[])))));

-- lockCount
-- answers id int4
SELECT id FROM app_user WHERE id = $1 FOR NO KEY UPDATE;

-- insertSavedFilter
-- answers id int4
INSERT INTO saved_filter (user_id, list, name, filter_values, is_shared)
VALUES ($1, $2, $3, $4::jsonb, $5)
RETURNING id;
