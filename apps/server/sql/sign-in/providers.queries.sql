-- Written by `npm run docs:sql`.

-- listProviders
-- answers id int4, kind text, name text, issuer text, corpId text null, address text null, clientId text, clientSecret text null, scopes text, rules jsonb, isEnabled bool, createTime timestamptz, version int4, userCount int4
SELECT
p.id, p.kind, p.name, p.issuer, p.corp_id AS "corpId", p.address, p.client_id AS "clientId", p.client_secret AS "clientSecret", p.scopes, p.rules,
p.is_enabled AS "isEnabled", p.created_at AS "createTime", p.version,
(SELECT count(*)::int FROM sign_in_identity i WHERE i.issuer = p.issuer) AS "userCount" FROM sign_in_provider p ORDER BY p.name LIMIT $1 OFFSET $2;

-- findProvider
-- answers id int4, kind text, name text, issuer text, corpId text null, address text null, clientId text, clientSecret text null, scopes text, rules jsonb, isEnabled bool, createTime timestamptz, version int4, userCount int4
SELECT
p.id, p.kind, p.name, p.issuer, p.corp_id AS "corpId", p.address, p.client_id AS "clientId", p.client_secret AS "clientSecret", p.scopes, p.rules,
p.is_enabled AS "isEnabled", p.created_at AS "createTime", p.version,
(SELECT count(*)::int FROM sign_in_identity i WHERE i.issuer = p.issuer) AS "userCount" FROM sign_in_provider p WHERE p.id = $1;

-- lockProvider
SELECT FROM sign_in_provider WHERE id = $1 FOR UPDATE;

-- lockRoles
-- answers id int4, name text
SELECT id, name FROM role WHERE id = ANY($1::int[]) AND id <> $2 AND code <> 'SYSTEM'
ORDER BY id FOR KEY SHARE;

-- lockOrganizations
-- answers id int4, name text
SELECT id, name FROM organization WHERE id = ANY($1::int[]) ORDER BY id FOR KEY SHARE;
