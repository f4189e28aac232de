-- Written by `npm run docs:sql`.

-- listContacts
-- answers channelId int4, channelName text, kind text, address text null
SELECT c.id AS "channelId", c.name AS "channelName", c.kind, k.address
  FROM notify_channel c LEFT JOIN notify_contact k ON k.channel_id = c.id AND k.user_id = $1
  WHERE c.kind = ANY($2::text[]) AND (k.user_id IS NOT NULL OR "c"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $3::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree))
  ORDER BY c.name, c.id LIMIT 200;

-- lockReachable
-- answers kind text, name text
SELECT c.kind, c.name FROM notify_channel c
  WHERE c.id = $1 AND "c"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) FOR KEY SHARE;

-- writeContact
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- writeContact
-- answers ?column? int4
INSERT INTO notify_contact (user_id, channel_id, address) SELECT $1, $2, $3
WHERE EXISTS (SELECT FROM notify_contact WHERE user_id = $4 AND channel_id = $5)
  OR (SELECT count(*) FROM notify_contact WHERE user_id = $6) < $7
ON CONFLICT (user_id, channel_id) DO UPDATE SET address = excluded.address
RETURNING 1;

-- deleteContact
-- answers ?column? int4
DELETE FROM notify_contact WHERE user_id = $1 AND channel_id = $2 RETURNING 1;

-- listAddresses
-- answers address text
SELECT k.address FROM notify_contact k JOIN app_user u ON u.id = k.user_id
WHERE k.channel_id = $1 AND k.user_id = ANY($2::int[]) AND u.is_enabled
ORDER BY k.user_id;
