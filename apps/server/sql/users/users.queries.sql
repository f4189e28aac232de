-- Written by `npm run docs:sql`.

-- listUsers
-- answers id int4, userName text, loginName text, phone text null, roleIds _int4, roleNames _text, organizationId int4, organizationName text, type text null, typeName text null, isEnabled bool, hasPermissions bool, createTime timestamptz, lastSeenTime timestamptz, version int4
SELECT u.id, u.user_name AS "userName", u.login_name AS "loginName", u.phone,
  ARRAY(SELECT ur.role_id FROM user_role ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds",
  ARRAY(
    SELECT r.name FROM user_role ur JOIN role r ON r.id = ur.role_id
    WHERE ur.user_id = u.id ORDER BY r.id
  ) AS "roleNames",
  u.organization_id AS "organizationId", o.name AS "organizationName",
  u.user_type AS type, t.name AS "typeName", u.is_enabled AS "isEnabled",
  EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id) AS "hasPermissions",
  u.created_at AS "createTime",
  (SELECT max(s.seen_at) FROM user_session s WHERE s.user_id = u.id) AS "lastSeenTime",
  u.version
FROM app_user u
JOIN organization o ON o.id = u.organization_id
LEFT JOIN dictionary_entry t ON t.type = 'USER_TYPE' AND t.code = u.user_type
WHERE u.id = $1 ORDER BY u.id DESC LIMIT $2 OFFSET $3;

-- replaceRoles
INSERT INTO user_role (user_id, role_id) SELECT $1, unnest($2::int[]);

-- noteSetter
INSERT INTO user_set_by (user_id, by_user_id, signs_in, by_system)
  VALUES ($1, $2, $3, EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $4 AND r.code = 'SYSTEM'))
  ON CONFLICT (user_id, by_user_id, signs_in) DO UPDATE SET at = now(), by_system = excluded.by_system;

-- noteSetter
DELETE FROM user_set_by WHERE (user_id, by_user_id, signs_in) IN (
SELECT user_id, by_user_id, signs_in FROM user_set_by
WHERE at < now() - $1 * interval '1 day' FOR UPDATE SKIP LOCKED);

-- hasOtherSystemUser
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('system users', 0));

-- hasOtherSystemUser
-- answers hasOther bool
SELECT EXISTS (
    SELECT FROM app_user u
    WHERE EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') AND u.is_enabled AND u.id <> $1
  ) AS "hasOther";

-- listPhoneUsers
-- answers id int4, userName text, phone text
SELECT id, user_name AS "userName", phone FROM app_user
WHERE phone <> '' AND is_enabled AND maker_id IS NULL
ORDER BY user_name, id;
