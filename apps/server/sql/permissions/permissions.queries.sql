-- Written by `npm run docs:sql`.

-- splitEntries
-- answers code text, path text
SELECT code, path FROM region WHERE code = ANY($1::text[]);

-- lockNamedShared
-- answers id text
SELECT id::text FROM operator WHERE id::text = ANY($1::text[]) ORDER BY operator.id FOR KEY SHARE;

-- lockNamedShared
-- answers id text
SELECT id::text FROM equip_type WHERE id::text = ANY($1::text[]) ORDER BY equip_type.id FOR KEY SHARE;

-- lockNamedShared
-- answers code text, path text
SELECT code, path FROM region WHERE code = ANY($1::text[]) ORDER BY id FOR KEY SHARE;

-- replaceAuthorities
UPDATE app_user SET version = version + 1, updated_at = now() WHERE id = $1;

-- insertAuthorities
INSERT INTO user_authority (user_id, authority_type, value)
SELECT $1, type, value FROM unnest(
  $2::text[], $3::text[]) AS e(type, value)
ON CONFLICT DO NOTHING;

-- findDevice
-- answers code text, organizationName text, operatorId int4, operatorName text, equipTypeId int4, equipTypeName text, regionId int4, regionName text, isInOrganization bool, userOrganizationName text
SELECT d.code, o.name AS "organizationName", p.id AS "operatorId", p.name AS "operatorName",
    t.id AS "equipTypeId", t.name AS "equipTypeName", r.id AS "regionId", r.full_name AS "regionName",
    "o"."id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AS "isInOrganization",
    (SELECT name FROM organization WHERE id = $2) AS "userOrganizationName"
  FROM device d
  JOIN operator p ON p.id = d.operator_id
  JOIN organization o ON o.id = p.organization_id
  JOIN equip_model m ON m.id = d.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  JOIN region r ON r.id = d.region_id
  WHERE d.code = $3 AND ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[]));
