-- Written by `npm run docs:sql`.

-- shareGrants
-- answers pg_advisory_xact_lock_shared void
SELECT pg_advisory_xact_lock_shared(hashtextextended('who may grant what', 0));

-- lockGrants
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('who may grant what', 0));

-- readGrants
-- answers isSystem bool, functionCodes _text, menuIds _int4
SELECT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $1 AND r.code = 'SYSTEM') AS "isSystem", ARRAY(
SELECT DISTINCT m.remark FROM menu m WHERE m.type = 'F' AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $2 AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = $3))) AS "functionCodes",
    ARRAY(
WITH RECURSIVE visible AS (
  SELECT m.id, m.parent_id FROM menu m WHERE (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $4 AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = $5))
  UNION
  SELECT m.id, m.parent_id FROM menu m JOIN visible v ON v.parent_id = m.id
) SELECT id FROM visible) AS "menuIds";

-- listRolesBeyond
-- answers id int4
SELECT r.id FROM role r
WHERE r.id = ANY($1::int[]) AND (r.code = 'SYSTEM' OR EXISTS (
  SELECT FROM role_menu rm JOIN menu m ON m.id = rm.menu_id
  WHERE rm.role_id = r.id AND m.type = 'F' AND m.remark <> ALL($2::text[])));

-- listMenusBeyond
-- answers id int4
SELECT m.id FROM menu m WHERE m.id = ANY($1::int[]) AND CASE m.type
WHEN 'F' THEN m.remark <> ALL($2::text[])
ELSE m.id <> ALL($3::int[]) END;

-- listRolesOutOfReach
-- answers id int4
SELECT r.id FROM role r
  WHERE r.id = ANY($1::int[]) AND (
    r.code = 'SYSTEM'
    OR EXISTS (
      SELECT FROM role_menu rm JOIN menu m ON m.id = rm.menu_id
      WHERE rm.role_id = r.id AND CASE m.type
        WHEN 'F' THEN m.remark <> ALL($2::text[])
        ELSE m.id <> ALL($3::int[]) END)
    OR EXISTS (
      SELECT FROM user_role ur JOIN app_user u ON u.id = ur.user_id
      WHERE ur.role_id = r.id AND u.organization_id NOT IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $4::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)));
