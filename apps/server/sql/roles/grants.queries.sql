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
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = $3 UNION ALL
SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
WHERE k.user_id = $4 AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "ku"."maker_id" AND r.code = 'SYSTEM') OR km.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "ku"."maker_id"))))) AS "functionCodes",
    ARRAY(
WITH RECURSIVE visible AS (
  SELECT m.id, m.parent_id FROM menu m WHERE (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $5 AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = $6 UNION ALL
SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
WHERE k.user_id = $7 AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "ku"."maker_id" AND r.code = 'SYSTEM') OR km.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "ku"."maker_id"))))
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
      WHERE ur.role_id = r.id
        AND (u.organization_id NOT IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $4::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) OR (NOT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') AND ((NOT EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $5) OR EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $6 AND NOT (a.value = ANY($7::text[]))))
  OR (NOT EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $8) OR EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $9 AND NOT (a.value = ANY($10::text[])))) OR (NOT EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $11) OR EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $12 AND NOT EXISTS (
  SELECT FROM region g, unnest($13::text[]) AS own (path) WHERE g.code = a.value AND starts_with(g.path, own.path))))))))
    OR EXISTS (
      SELECT FROM sign_in_provider p
      CROSS JOIN jsonb_to_recordset(p.rules) AS rule ("roleIds" jsonb, "organizationId" integer)
      WHERE rule."roleIds" @> to_jsonb(r.id)
        AND (rule."organizationId" NOT IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $14::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) OR $15::boolean)));
