-- Written by `npm run docs:sql`.

-- listOrganizations
-- answers id int4, parentId int4, name text, code text, orderNum int4, version int4
WITH RECURSIVE own AS (
  SELECT * FROM organization
  WHERE CASE WHEN $1::int IS NULL THEN parent_id IS NULL ELSE id = $2 END
  UNION
  SELECT o.* FROM organization o JOIN own ON o.parent_id = own.id
)
SELECT id, parent_id AS "parentId", name, code, order_num AS "orderNum", version
FROM own ORDER BY order_num, id;

-- isWithin
WITH RECURSIVE above AS (
  SELECT id, parent_id FROM organization WHERE id = $1
  UNION
  SELECT o.id, o.parent_id FROM organization o JOIN above ON o.id = above.parent_id
)
SELECT FROM above WHERE id = $2;

-- countLevelsAbove
-- answers count int4
WITH RECURSIVE above AS (
  SELECT id, parent_id FROM organization WHERE id = $1
  UNION
  SELECT o.id, o.parent_id FROM organization o JOIN above ON o.id = above.parent_id
)
SELECT count(*)::int AS count FROM above;

-- countLevelsUnder
-- answers count int4
WITH RECURSIVE below AS (
  SELECT id, 1 AS level FROM organization WHERE id = $1
  UNION
  SELECT o.id, below.level + 1 FROM organization o JOIN below ON o.parent_id = below.id
)
SELECT max(level) AS count FROM below;

-- lockTree
LOCK TABLE organization IN SHARE ROW EXCLUSIVE MODE;

-- usesOf
-- answers hasChildren bool, hasOperators bool, hasUsers bool
SELECT
EXISTS (SELECT FROM organization WHERE parent_id = $1) AS "hasChildren",
EXISTS (SELECT FROM operator WHERE organization_id = $2) AS "hasOperators",
EXISTS (SELECT FROM app_user WHERE organization_id = $3) AS "hasUsers";

-- operatorIdsUnder
-- answers id int4
WITH RECURSIVE below AS (
  SELECT id FROM organization WHERE id = $1
  UNION
  SELECT o.id FROM organization o JOIN below ON o.parent_id = below.id
)
SELECT id FROM operator WHERE organization_id IN (SELECT id FROM below);
