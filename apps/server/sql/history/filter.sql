-- Written by `npm run docs:sql`.

-- resolvePlaces
-- answers operator_ids _int4, model_ids _int4, region_ids _int4, top_region_ids _int4
WITH passing_region AS MATERIALIZED (
      SELECT r.id, r.parent_id FROM region r WHERE r.id = ANY($1::int[]) AND r.path LIKE (SELECT g.path FROM region g WHERE g.code = $2) || '%'
    )
    SELECT
      (
  SELECT CASE WHEN count(*) = (SELECT count(*) FROM "operator") AND count(*) > 0 THEN NULL
    ELSE coalesce(array_agg(o.id ORDER BY o.id), '{}') END
  FROM operator o WHERE o.id = ANY($3::int[]) AND o.id = $4::bigint AND o.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $5::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)) AS operator_ids,
      (
  SELECT CASE WHEN count(*) = (SELECT count(*) FROM "equip_model") AND count(*) > 0 THEN NULL
    ELSE coalesce(array_agg(m.id ORDER BY m.id), '{}') END
  FROM equip_model m WHERE m.equip_type_id = ANY($6::int[]) AND m.equip_type_id = $7::bigint AND m.id = $8::bigint) AS model_ids,
      (
  SELECT CASE WHEN count(*) = (SELECT count(*) FROM "region") AND count(*) > 0 THEN NULL
    ELSE coalesce(array_agg(p.id ORDER BY p.id), '{}') END
  FROM passing_region p) AS region_ids,
      ARRAY(
        SELECT p.id FROM passing_region p
        WHERE p.parent_id IS NULL OR p.parent_id NOT IN (SELECT id FROM passing_region)
      ) AS top_region_ids;

-- resolveDevices
-- answers id int4
SELECT id FROM device WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND id = $4::bigint AND id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($5::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($6::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "d"."region_id" = ANY($8::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $9 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($10::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($11::int[])) AND "d"."region_id" = ANY($12::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
));

-- resolveSemaphores
-- answers code text
SELECT code FROM dictionary_entry WHERE type = $1 AND alarm_level = ANY($2::int[]) AND code = ANY($3::text[]) AND (name ILIKE $4 OR code ILIKE $5);
