-- Written by `npm run docs:sql`.

-- listMenus
-- answers id int4, parentId int4 null, name text, type bpchar, path text, remark text, icon text null, url text null, orderNum int4, openType int2, version int4, roleCount int4
SELECT m.id, m.parent_id AS "parentId", m.name, m.type, m.path, m.remark, m.icon, m.url,
m.order_num AS "orderNum", m.open_type AS "openType", m.version,
    (SELECT count(*)::int FROM role_menu rm WHERE rm.menu_id = m.id) AS "roleCount"
  FROM menu m ORDER BY m.order_num, m.id;

-- listMenusOf
-- answers id int4, parentId int4 null, name text, type bpchar, path text, remark text, icon text null, url text null, orderNum int4, openType int2
SELECT m.id, m.parent_id AS "parentId", m.name, m.type, m.path, m.remark, m.icon, m.url,
m.order_num AS "orderNum", m.open_type AS "openType" FROM menu m WHERE m.id IN (
WITH RECURSIVE visible AS (
  SELECT m.id, m.parent_id FROM menu m WHERE (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $1 AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = $2 UNION ALL
SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
WHERE k.user_id = $3 AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "ku"."maker_id" AND r.code = 'SYSTEM') OR km.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "ku"."maker_id"))))
  UNION
  SELECT m.id, m.parent_id FROM menu m JOIN visible v ON v.parent_id = m.id
) SELECT id FROM visible)
  ORDER BY m.order_num, m.id;

-- listRoleIdsWith
-- answers roleId int4
SELECT DISTINCT role_id AS "roleId" FROM role_menu
WHERE menu_id = ANY($1::int[]);

-- hasKeyOfSystem
SELECT FROM api_key k JOIN app_user u ON u.id = k.user_id
  WHERE k.function_codes && $1::text[] AND EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."maker_id" AND r.code = 'SYSTEM') LIMIT 1;
