-- Written by `npm run docs:sql`.

-- countRows
-- answers count int4
SELECT count(*)::int AS count FROM advertisement a WHERE "a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND a.deleted_at IS NULL AND a.name ILIKE $2 AND a.id = ANY($3::int[]);
