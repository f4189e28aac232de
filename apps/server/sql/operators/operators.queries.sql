-- Written by `npm run docs:sql`.

-- listOperators
-- answers id int4, name text, organizationId int4
SELECT p.id, p.name, p.organization_id AS "organizationId" FROM operator p
  WHERE true
    AND p.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  ORDER BY p.organization_id, p.id;

-- searchOperators
-- answers id int4, name text, code text, organizationId int4, organizationName text, deviceCount int4, createTime timestamptz, version int4
WITH page AS MATERIALIZED (
    SELECT p.* FROM operator p WHERE true AND p.name ILIKE $1 AND p.code ILIKE $2 AND p.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $3::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND p.id = ANY($4::int[])
    ORDER BY p.id DESC LIMIT $5 OFFSET $6
  )
  SELECT p.id, p.name, p.code, o.id AS "organizationId", o.name AS "organizationName",
    (SELECT count(*)::int FROM device d WHERE d.operator_id = p.id AND ("d"."operator_id" = ANY($7::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($8::int[])) AND "d"."region_id" = ANY($9::int[]))) AS "deviceCount",
    p.created_at AS "createTime", p.version
  FROM page p JOIN organization o ON o.id = p.organization_id
  ORDER BY p.id DESC;

-- isLimitedToOperators
SELECT WHERE EXISTS (
SELECT FROM user_authority WHERE user_id = ANY($1::int[])
  AND ($2::text IS NULL OR authority_type = $3));

-- usesOf
-- answers hasDevices bool, isInPermissions bool
SELECT
EXISTS (SELECT FROM device WHERE operator_id = $1) AS "hasDevices",
EXISTS (SELECT FROM user_authority WHERE authority_type = 'O' AND value = $2)
  AS "isInPermissions";
