-- Written by `npm run docs:sql`.

-- findUnseen
SELECT FROM organization o WHERE o.id = $1::bigint AND "o"."id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree);
