-- Written by `npm run docs:sql`.

-- readMaker
-- answers userId int4, organizationId int4, makerId int4 null, isSystem bool
SELECT u.id AS "userId", u.organization_id AS "organizationId", u.maker_id AS "makerId",
    EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') AS "isSystem"
  FROM app_user u WHERE u.id = $1;

-- readScope
-- answers operator_ids _int4, equip_type_ids _int4, region_ids _int4
WITH entry AS (SELECT authority_type, value FROM user_authority WHERE user_id = $1)
  SELECT
    ARRAY(
      SELECT p.id FROM operator p
      WHERE p.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
        AND (NOT EXISTS (SELECT FROM entry WHERE authority_type = 'O')
             OR p.id::text IN (SELECT value FROM entry WHERE authority_type = 'O'))
      ORDER BY p.id
    ) AS operator_ids,
    CASE WHEN EXISTS (SELECT FROM entry WHERE authority_type = 'ET') THEN ARRAY(
      SELECT t.id FROM equip_type t
      WHERE t.id::text IN (SELECT value FROM entry WHERE authority_type = 'ET') ORDER BY t.id
    ) END AS equip_type_ids,
    CASE WHEN EXISTS (SELECT FROM entry WHERE authority_type = 'R') THEN ARRAY(
      SELECT DISTINCT r.id
      FROM entry e
      JOIN region g ON g.code = e.value
      JOIN region r ON r.path LIKE g.path || '%'
      WHERE e.authority_type = 'R' ORDER BY r.id
    ) END AS region_ids;
