-- Written by `npm run docs:sql`.

-- findSession
-- answers userId int4, loginName text, organizationId int4, isEnabled bool, mustChangePassword bool, isSystem bool, functionCodes _text, isSignedOut bool, isEnded bool, isExpired bool
SELECT s.user_id AS "userId", u.login_name AS "loginName", u.organization_id AS "organizationId",
    u.is_enabled AS "isEnabled", u.must_change_password AS "mustChangePassword",
    EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') AS "isSystem", ARRAY(
SELECT DISTINCT m.remark FROM menu m WHERE m.type = 'F' AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "u"."id" UNION ALL
SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
WHERE k.user_id = "u"."id" AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "ku"."maker_id" AND r.code = 'SYSTEM') OR km.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "ku"."maker_id"))))) AS "functionCodes",
    s.signed_out_at IS NOT NULL AS "isSignedOut", s.ended_at IS NOT NULL AS "isEnded",
    s.expires_at <= now() AS "isExpired"
  FROM user_session s
  LEFT JOIN app_user u ON u.id = s.user_id
  WHERE s.token_hash = $1;

-- writeUses
WITH used AS (
  SELECT s.token_hash, now() - u.age_ms * interval '1 millisecond' AS used_at
  FROM unnest($1::bytea[], $2::float8[])
    AS u (token_hash, age_ms)
  JOIN user_session s ON s.token_hash = u.token_hash FOR UPDATE OF s SKIP LOCKED)
UPDATE user_session s SET seen_at = greatest(s.seen_at, used_at),
  expires_at = greatest(s.expires_at, used_at + interval '8 hours')
FROM used WHERE s.token_hash = used.token_hash AND s.expires_at > used_at;

-- insertSession
INSERT INTO user_session (token_hash, user_id, expires_at, address, user_agent)
SELECT $1, id, now() + interval '8 hours', $2, $3 FROM app_user
WHERE id = $4 AND password_hash = $5 AND is_enabled FOR SHARE;

-- endOldestSessions
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('user_session', $1));

-- endOldestSessions
UPDATE user_session SET ended_at = now() WHERE token_hash IN (
SELECT token_hash FROM user_session
WHERE user_id = $1 AND token_hash <> $2
  AND ended_at IS NULL AND signed_out_at IS NULL AND expires_at > now()
ORDER BY seen_at > created_at AND seen_at > now() - interval '2 minutes' DESC,
  seen_at DESC, created_at DESC, token_hash OFFSET $3);

-- deleteOldSessions
DELETE FROM user_session WHERE expires_at < now() - interval '30 days';
