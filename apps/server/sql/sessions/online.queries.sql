-- Written by `npm run docs:sql`.

-- listOnline
-- answers id text, userId int4, userName text, loginName text, organizationId int4, organizationName text, address text, userAgent text null, createTime timestamptz, seenTime timestamptz, expireTime timestamptz, isCurrent bool
SELECT left(encode(sha256(s.token_hash), 'hex'), 32) AS id, u.id AS "userId", u.user_name AS "userName", u.login_name AS "loginName",
    o.id AS "organizationId", o.name AS "organizationName", s.address, s.user_agent AS "userAgent",
    s.created_at AS "createTime", s.seen_at AS "seenTime", s.expires_at AS "expireTime",
    s.token_hash = $1 AS "isCurrent"
  FROM user_session s JOIN app_user u ON u.id = s.user_id JOIN organization o ON o.id = u.organization_id
  WHERE (s.ended_at IS NULL AND s.signed_out_at IS NULL AND s.expires_at > now() AND u.is_enabled AND "u"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND (u.user_name ILIKE $3 OR u.login_name ILIKE $4) AND s.address LIKE $5 AND u.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $6::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree))
  ORDER BY s.seen_at DESC, s.token_hash LIMIT $7 OFFSET $8;

-- findOnline
-- answers tokenHash bytea, userId int4, loginName text, address text
SELECT s.token_hash AS "tokenHash", u.id AS "userId", u.login_name AS "loginName", s.address
FROM user_session s JOIN app_user u ON u.id = s.user_id
WHERE left(encode(sha256(s.token_hash), 'hex'), 32) = $1 AND s.ended_at IS NULL AND s.signed_out_at IS NULL AND s.expires_at > now() AND u.is_enabled;
