-- Written by `npm run docs:sql`.

-- forgetRequests
DELETE FROM sign_in_request WHERE created_at < now() - $1 * interval '1 minute';

-- forgetRequests
DELETE FROM sign_in_request WHERE state_hash IN (
SELECT state_hash FROM sign_in_request WHERE state_hash IN (
  SELECT state_hash FROM (
    SELECT state_hash, created_at, row_number() OVER (PARTITION BY CASE WHEN network LIKE '%::/64' THEN substring(network FROM '^[^:]*:[^:]*:[^:]*') ELSE network END ORDER BY created_at DESC) AS nth
    FROM sign_in_request) r
  ORDER BY nth DESC, created_at
  LIMIT (SELECT greatest(count(*) - $1, 0) FROM sign_in_request))
FOR UPDATE SKIP LOCKED);

-- insertRequest
INSERT INTO sign_in_request (state_hash, provider_id, browser_hash, nonce, verifier, network)
VALUES ($1, $2, $3, $4, $5,
  $6);

-- takeRequest
-- answers providerId int4, browserHash bytea, nonce text, verifier text
DELETE FROM sign_in_request
WHERE state_hash = $1 AND created_at > now() - $2 * interval '1 minute'
RETURNING provider_id AS "providerId", browser_hash AS "browserHash", nonce, verifier;

-- lockPerson
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- lockPerson
-- answers userId int4, loginName text, organizationId int4, isEnabled bool, isSystem bool, roleIds _int4
SELECT u.id AS "userId", u.login_name AS "loginName", u.organization_id AS "organizationId",
    u.is_enabled AS "isEnabled", EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') AS "isSystem",
    ARRAY(SELECT ur.role_id FROM user_role ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds"
  FROM sign_in_identity i JOIN app_user u ON u.id = i.user_id
  WHERE i.issuer = $1 AND i.subject = $2 FOR NO KEY UPDATE OF u;

-- existingRoles
-- answers id int4, name text
SELECT id, name FROM role WHERE id = ANY($1::int[]) AND id <> $2 AND code <> 'SYSTEM'
ORDER BY id FOR KEY SHARE;

-- writeRoles
DELETE FROM user_role WHERE user_id = $1 AND role_id <> $2;

-- writeRoles
INSERT INTO user_role (user_id, role_id) SELECT $1, unnest($2::int[])
ON CONFLICT DO NOTHING;
