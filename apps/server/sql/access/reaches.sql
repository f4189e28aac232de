-- Written by `npm run docs:sql`.

-- keepLastReach
-- answers id int4
SELECT id FROM app_user WHERE maker_id = $1;

-- keepLastReach
INSERT INTO former_user_reach (user_id, reach) VALUES ($1, $2::jsonb);

-- forgetRegionCode
UPDATE former_user_reach SET reach = jsonb_set(reach, '{authorities,R}', (
  SELECT jsonb_agg(CASE WHEN entry = to_jsonb($1::text) THEN to_jsonb('deleted'::text) ELSE entry END)
  FROM jsonb_array_elements(reach #> '{authorities,R}') AS entry))
WHERE reach #> '{authorities,R}' ? $2;

-- forgetRegionCode
UPDATE narrowed_reach SET authorities = jsonb_set(authorities, '{R}', (
  SELECT jsonb_agg(CASE WHEN entry = to_jsonb($1::text) THEN to_jsonb('deleted'::text) ELSE entry END)
  FROM jsonb_array_elements(authorities -> 'R') AS entry))
WHERE authorities -> 'R' ? $2;

-- readLastReaches
-- answers userId int4, reach jsonb
SELECT user_id AS "userId", reach FROM former_user_reach WHERE user_id = ANY($1::int[]);

-- standInsOf
-- answers id int4, makerId int4
SELECT u.id, u.maker_id AS "makerId" FROM app_user u
  WHERE u.id = ANY($1::int[]) AND u.maker_id IS NOT NULL AND EXISTS (
SELECT FROM api_key k WHERE k.user_id = u.id AND k.expires_at <= now());

-- standInsOf
-- answers id int4
SELECT id FROM app_user WHERE id = ANY($1::int[]);

-- narrowed
-- answers organizationId int4, equipTypeId int4, path text
SELECT coalesce(
  (SELECT organization_id FROM operator WHERE id = $1::bigint),
  (SELECT id FROM organization WHERE id = $2::bigint)
) AS "organizationId",
coalesce(
  (SELECT equip_type_id FROM equip_model WHERE id = $3::bigint),
  (SELECT id FROM equip_type WHERE id = $4::bigint)
) AS "equipTypeId",
(SELECT path FROM region WHERE code = $5) AS path;

-- comparable
-- answers path text
SELECT path FROM region WHERE code = ANY($1::text[]);
