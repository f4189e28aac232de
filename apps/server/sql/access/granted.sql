-- Written by `npm run docs:sql`.

-- mayCallAny
SELECT FROM app_user u WHERE u.id = $1 AND (u.is_enabled AND (u.maker_id IS NULL OR (NOT EXISTS (
SELECT FROM api_key k WHERE k.user_id = u.id AND k.expires_at <= now()) AND EXISTS (
SELECT FROM app_user m WHERE m.id = u.maker_id AND m.is_enabled AND (CASE
WHEN u.organization_id = m.organization_id OR EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "m"."id" AND r.code = 'SYSTEM') THEN u.organization_id
WHEN u.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "m"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN u.organization_id
WHEN m.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "u"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN m.organization_id
END) IS NOT NULL))))
    AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR ARRAY(
SELECT DISTINCT m.remark FROM menu m WHERE m.type = 'F' AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "u"."id" UNION ALL
SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
WHERE k.user_id = "u"."id" AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "ku"."maker_id" AND r.code = 'SYSTEM') OR km.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "ku"."maker_id"))))) && $2::text[]);
