-- Written by `npm run docs:sql`.

-- findKeyIds
-- answers key text, id int4
SELECT key, id FROM reading_key WHERE key = ANY($1::text[]);

-- useKeys
UPDATE reading_key SET used_at = now() WHERE id IN (
SELECT id FROM reading_key WHERE key = ANY($1::text[]) AND used_at < now() - interval '30 days'
ORDER BY id FOR UPDATE);

-- readOrganizations
-- answers id int4, organizationId int4 null
SELECT w.id, o.organization_id AS "organizationId" FROM unnest($1::int[]) AS w(id)
LEFT JOIN device d ON d.id = w.id LEFT JOIN operator o ON o.id = d.operator_id;

-- addKeys
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('reading_key made', 0));

-- addKeys
INSERT INTO reading_key (key, device_id, organization_id)
SELECT * FROM unnest($1::text[], $2::int[],
  $3::int[])
ON CONFLICT (key) DO NOTHING;

-- fitting
-- answers deviceId int4, count int4
SELECT device_id AS "deviceId", count(*)::int AS count FROM reading_key
WHERE device_id = ANY($1::int[]) GROUP BY device_id;

-- fitting
-- answers organizationId int4 null, count int4
SELECT o.id AS "organizationId", count(*)::int AS count
FROM reading_key k LEFT JOIN organization o ON o.id = k.organization_id GROUP BY o.id;

-- fitting
-- answers key text
SELECT DISTINCT key FROM reading_definition WHERE key = ANY($1::text[]);

-- deleteUnusedKeys
DELETE FROM reading_key WHERE used_at < (
SELECT make_timestamptz(min(substring(c.relname FROM '_([0-9]{4})')::int), 1, 1, 0, 0, 0) - interval '60 days'
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent IN (
  'reading_open'::regclass, 'reading_hour'::regclass, 'reading_day'::regclass, 'reading_month'::regclass));
