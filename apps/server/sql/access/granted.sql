-- Written by `npm run docs:sql`.

-- mayCallAny
SELECT FROM app_user u WHERE u.id = $1 AND (u.is_enabled AND (u.maker_id IS NULL
OR EXISTS (SELECT FROM app_user maker WHERE maker.id = u.maker_id AND maker.is_enabled)))
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
