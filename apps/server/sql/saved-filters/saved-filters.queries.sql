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

-- lockCount
-- answers id int4
SELECT id FROM app_user WHERE id = $1 FOR NO KEY UPDATE;

-- insertSavedFilter
-- answers id int4
INSERT INTO saved_filter (user_id, list, name, filter_values, is_shared)
VALUES ($1, $2, $3, $4::jsonb, $5)
RETURNING id;
