-- Written by `npm run docs:sql`.

-- searchRoles
-- answers id int4, name text, code text, remark text null, version int4, menuIds _int4, userCount int4
SELECT r.id, r.name, r.code, r.remark, r.version,
ARRAY(SELECT rm.menu_id FROM role_menu rm WHERE rm.role_id = r.id ORDER BY rm.menu_id) AS "menuIds",
(SELECT count(*)::int FROM user_role ur WHERE ur.role_id = r.id) AS "userCount" FROM role r WHERE strpos(lower(r.name), lower($1)) > 0 ORDER BY r.id LIMIT $2 OFFSET $3;

-- searchRoles
-- answers total int4
SELECT count(*)::int AS total FROM role r WHERE strpos(lower(r.name), lower($1)) > 0;

-- readRole
-- answers id int4, name text, code text, remark text null, version int4, menuIds _int4, userCount int4
SELECT r.id, r.name, r.code, r.remark, r.version,
ARRAY(SELECT rm.menu_id FROM role_menu rm WHERE rm.role_id = r.id ORDER BY rm.menu_id) AS "menuIds",
(SELECT count(*)::int FROM user_role ur WHERE ur.role_id = r.id) AS "userCount" FROM role r WHERE r.id = $1;

-- lockRole
-- answers id int4, name text, code text, remark text null, version int4, menuIds _int4, userCount int4
SELECT r.id, r.name, r.code, r.remark, r.version,
ARRAY(SELECT rm.menu_id FROM role_menu rm WHERE rm.role_id = r.id ORDER BY rm.menu_id) AS "menuIds",
(SELECT count(*)::int FROM user_role ur WHERE ur.role_id = r.id) AS "userCount" FROM role r WHERE r.id = $1 FOR UPDATE;

-- hasRoleCode
SELECT FROM role WHERE lower(code) = lower($1) AND id IS DISTINCT FROM $2 LIMIT 1;

-- replaceMenus
DELETE FROM role_menu WHERE role_id = $1 AND menu_id <> ALL($2::int[]);

-- replaceMenus
INSERT INTO role_menu (role_id, menu_id) SELECT $1, unnest($2::int[])
ON CONFLICT DO NOTHING;

-- listMenusById
-- answers id int4, name text
SELECT id, name FROM menu WHERE id = ANY($1::int[]) ORDER BY id;
