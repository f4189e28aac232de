-- Written by `npm run docs:sql`.

-- isDemo
SELECT FROM organization WHERE code = ANY($1::text[]) LIMIT 1;

-- hasUsers
SELECT FROM app_user LIMIT 1;

-- plantOrganizations
INSERT INTO organization (parent_id, code, name)
SELECT id, $1, $2 FROM organization WHERE code = $3
ON CONFLICT (code) DO NOTHING;

-- plantOrganizations
INSERT INTO operator (organization_id, code, name)
SELECT id, $1, $2 FROM organization WHERE code = $3
ON CONFLICT (code) DO NOTHING;

-- plantUsers
-- answers count int4
SELECT count(*)::int AS count FROM app_user
WHERE login_name = ANY($1);

-- plantUsers
WITH planted AS (
  INSERT INTO app_user (organization_id, user_name, login_name, password_hash, phone, user_type)
  SELECT organization_id, $1, $2, $3, $4, '3'
  FROM operator WHERE code = $5
  ON CONFLICT (login_name) DO NOTHING RETURNING id
), as_operator AS (
  INSERT INTO user_role (user_id, role_id)
  SELECT planted.id, role.id FROM planted, role WHERE role.code = 'OPERATOR'
)
INSERT INTO user_authority (user_id, authority_type, value)
SELECT planted.id, 'O', operator.id::text FROM planted, operator WHERE operator.code = $6;
