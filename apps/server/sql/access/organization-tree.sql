-- Written by `npm run docs:sql`.

-- isInOwnTree
SELECT FROM organization o WHERE o.id = $1 AND "o"."id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree);

-- readBranches
-- answers id int4, parentId int4 null
SELECT id, parent_id AS "parentId" FROM organization;
