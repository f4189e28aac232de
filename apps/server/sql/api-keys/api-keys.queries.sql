-- Written by `npm run docs:sql`.

-- findKey
-- answers userId int4, loginName text, organizationId int4, makerId int4, functionCodes _text, networks _text, isEnabled bool, isExpired bool, isReplaced bool, isUseDue bool
SELECT k.user_id AS "userId", u.login_name AS "loginName", (CASE
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
END) AS "organizationId",
    u.maker_id AS "makerId", ARRAY(
SELECT DISTINCT m.remark FROM menu m WHERE m.type = 'F' AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "u"."id" UNION ALL
SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
WHERE k.user_id = "u"."id" AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "ku"."maker_id" AND r.code = 'SYSTEM') OR km.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "ku"."maker_id"))))) AS "functionCodes", k.networks,
    m.is_enabled AS "isEnabled", k.expires_at <= now() AS "isExpired",
    coalesce(s.ends_at <= now(), false) AS "isReplaced", (k.used_at IS NULL OR k.used_at < now() - interval '1 minute') AS "isUseDue"
  FROM api_key_secret s
  JOIN api_key k ON k.user_id = s.key_id
  JOIN app_user u ON u.id = k.user_id
  JOIN app_user m ON m.id = u.maker_id
  WHERE s.hash = $1;

-- writeUse
UPDATE api_key k SET used_at = now(), used_from = $1
WHERE k.user_id = $2 AND (k.used_at IS NULL OR k.used_at < now() - interval '1 minute');

-- listKeys
-- answers id int4, makerId int4, name text, state text, makerName text, organizationName text, functionCodes _text, networks _text, createTime timestamptz, expireTime timestamptz, lastUsedTime timestamptz null, lastUsedAddress text null
SELECT u.id, m.id AS "makerId", k.name, (CASE WHEN k.expires_at <= now() THEN 'expired'
WHEN NOT m.is_enabled OR (CASE
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
END) IS NULL THEN 'stopped' ELSE 'active' END) AS state, m.user_name AS "makerName", o.name AS "organizationName",
    k.function_codes AS "functionCodes", k.networks, u.created_at AS "createTime", k.expires_at AS "expireTime",
    k.used_at AS "lastUsedTime", k.used_from AS "lastUsedAddress"
FROM api_key k
JOIN app_user u ON u.id = k.user_id
JOIN app_user m ON m.id = u.maker_id
JOIN organization o ON o.id = u.organization_id WHERE ("m"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND (k.name ILIKE $2 OR m.user_name ILIKE $3 OR m.login_name ILIKE $4) AND (CASE WHEN k.expires_at <= now() THEN 'expired'
WHEN NOT m.is_enabled OR (CASE
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
END) IS NULL THEN 'stopped' ELSE 'active' END) = $5) ORDER BY u.id DESC LIMIT $6 OFFSET $7;

-- listKeys
-- answers keyId int4, hint text, createTime timestamptz, endTime timestamptz null
SELECT key_id AS "keyId", hint, created_at AS "createTime", ends_at AS "endTime" FROM api_key_secret
WHERE key_id = ANY($1::int[]) AND coalesce(ends_at > now(), true)
ORDER BY key_id, created_at DESC, ends_at DESC NULLS FIRST;

-- lockKey
SELECT FROM app_user WHERE id = $1 FOR NO KEY UPDATE;

-- lockKey
-- answers id int4, makerId int4, name text, loginName text
SELECT u.id, m.id AS "makerId", k.name, u.login_name AS "loginName"
FROM api_key k
JOIN app_user u ON u.id = k.user_id
JOIN app_user m ON m.id = u.maker_id
JOIN organization o ON o.id = u.organization_id
  WHERE u.id = $1 AND "m"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree);

-- insertKey
-- answers expireTime timestamptz
INSERT INTO api_key (user_id, name, function_codes, networks, expires_at)
VALUES ($1, $2, $3::text[], $4::text[],
  now() + $5 * interval '1 day')
RETURNING expires_at AS "expireTime";

-- endSecrets
DELETE FROM api_key_secret WHERE key_id = $1 AND ends_at IS NOT NULL;

-- endSecrets
UPDATE api_key_secret SET ends_at = now() + $1 * interval '1 hour'
WHERE key_id = $2;

-- renewKey
-- answers expireTime timestamptz
UPDATE api_key SET expires_at = coalesce(now() + $1::int * interval '1 day', expires_at)
WHERE user_id = $2 RETURNING expires_at AS "expireTime";

-- listFunctions
-- answers code text, name text, page text, directoryOrder int4, pageOrder int4, order int4
SELECT DISTINCT ON (f.remark) f.remark AS code, f.name, coalesce(p.name, '') AS page,
  coalesce(d.order_num, p.order_num, 0) AS "directoryOrder", coalesce(p.order_num, 0) AS "pageOrder",
  f.order_num AS "order"
FROM menu f LEFT JOIN menu p ON p.id = f.parent_id LEFT JOIN menu d ON d.id = p.parent_id
WHERE f.type = 'F' AND f.remark = ANY($1::text[]) ORDER BY f.remark, f.id;
