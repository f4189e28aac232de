-- Written by `npm run docs:sql`.

-- mayCallAny
SELECT FROM app_user u WHERE u.id = $1 AND u.is_enabled
    AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR ARRAY(
SELECT DISTINCT m.remark FROM menu m WHERE m.type = 'F' AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "u"."id"))) && $2::text[]);
