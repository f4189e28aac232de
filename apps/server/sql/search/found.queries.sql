-- Written by `npm run docs:sql`.

-- findOperators
-- answers id int4, name text, code text, organizationId int4, organizationName text
SELECT p.id, p.name, p.code, o.id AS "organizationId", o.name AS "organizationName"
FROM operator p JOIN organization o ON o.id = p.organization_id
WHERE true
  AND p.name || ' ' || p.code ILIKE ALL($1::text[])
ORDER BY length(p.name), p.name LIMIT $2;

-- findRegions
-- answers code text, name text, fullName text, deviceCount int4
WITH named AS MATERIALIZED (
  SELECT r.code, r.name, r.full_name, r.path FROM region r
  WHERE r.path <> '/' AND r.name ILIKE $1 AND r.full_name ILIKE ALL($2::text[])
), peopled AS MATERIALIZED (
  SELECT d.region_id, count(*)::int AS n FROM device_listing d
  WHERE EXISTS (SELECT FROM named) AND ("d"."operator_id" = ANY($3::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($4::int[])) AND "d"."region_id" = ANY($5::int[])) GROUP BY d.region_id
)
SELECT named.code, named.name, named.full_name AS "fullName", sum(peopled.n)::int AS "deviceCount"
FROM peopled JOIN region r ON r.id = peopled.region_id JOIN named ON starts_with(r.path, named.path)
GROUP BY named.code, named.name, named.full_name
ORDER BY "deviceCount" DESC, length(named.full_name), named.code LIMIT $6;

-- findUpgrades
-- answers kind text, id int4, title text, note text null, createBy text, createTime timestamptz
SELECT 'upgrade' AS kind, a.id, goal.title, a.remark AS note, a.created_by_name AS "createBy",
    a.created_at AS "createTime"
  FROM upgrade_task a
  CROSS JOIN LATERAL (
    SELECT string_agg(p.name || ' ' || (k.major || '.' || k.minor), '、' ORDER BY n.position) AS title
    FROM upgrade_task_package n
    JOIN software_package k ON k.id = n.package_id
    JOIN part_type p ON p.code = k.part_type
    WHERE n.task_id = a.id
  ) AS goal
  WHERE "a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
    AND concat_ws(' ', goal.title, a.remark, a.created_by_name) ILIKE ALL($2::text[])
  ORDER BY a.id DESC LIMIT $3;

-- findBatches
-- answers kind text, id int4, title text, note text, createBy text, createTime timestamptz
SELECT 'batch' AS kind, a.id, a.code AS title, NULL AS note, a.created_by_name AS "createBy",
    a.created_at AS "createTime"
  FROM parameter_batch a
  WHERE "a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
    AND a.code || ' ' || a.created_by_name ILIKE ALL($2::text[])
  ORDER BY a.id DESC LIMIT $3;

-- findPackages
-- answers id int4, fileName text, partTypeName text, version text, isRelease bool
SELECT k.id, k.file_name AS "fileName", p.name AS "partTypeName", (k.major || '.' || k.minor) AS version,
  k.is_release AS "isRelease"
FROM software_package k
JOIN pcb_board b ON b.id = k.pcb_board_id
JOIN part_type p ON p.code = k.part_type
WHERE k.deleted_at IS NULL
  AND concat_ws(' ', k.file_name, b.pcb_code, p.name, (k.major || '.' || k.minor)) ILIKE ALL($1::text[])
ORDER BY k.id DESC LIMIT $2;
