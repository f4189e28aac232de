-- Written by `npm run docs:sql`.

-- keepPreference
-- answers key text
INSERT INTO user_preference (user_id, key, value)
SELECT u.id, $1, $2::jsonb FROM app_user u
WHERE u.id = $3 AND (
  SELECT count(*) FROM user_preference p WHERE p.user_id = u.id AND p.key <> $4
) < $5
ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value, updated_at = now()
RETURNING key;
