-- Written by `npm run docs:sql`.

-- lockAdministrator
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('first administrator', 0));

-- findAdministrator
-- answers loginName text, passwordHash text, mustChangePassword bool, hasSignedIn bool
SELECT login_name AS "loginName", password_hash AS "passwordHash",
  must_change_password AS "mustChangePassword",
  EXISTS (SELECT FROM user_session WHERE user_id = 1) AS "hasSignedIn"
FROM app_user WHERE id = 1;

-- insertAdministrator
-- answers setval int8
SELECT setval(pg_get_serial_sequence('app_user', 'id'), (SELECT max(id) FROM app_user));

-- replaceAdministratorPassword
UPDATE user_session SET ended_at = now()
WHERE user_id = 1 AND ended_at IS NULL AND signed_out_at IS NULL;
