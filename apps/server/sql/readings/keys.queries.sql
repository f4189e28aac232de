-- Written by `npm run docs:sql`.

-- find
-- answers key text, id int4
SELECT key, id FROM reading_key WHERE key = ANY($1::text[]);

-- addKeys
INSERT INTO reading_key (key, device_id)
SELECT n.key, $2 FROM unnest($1::text[]) WITH ORDINALITY AS n(key, place)
ORDER BY n.place
LIMIT greatest(0, least(
  $3 - (SELECT count(*) FROM reading_key WHERE device_id = $2),
  $4 - (SELECT count(*) FROM reading_key)))
ON CONFLICT (key) DO NOTHING;

-- findKeyIds
-- answers key text, id int4
SELECT key, id FROM reading_key WHERE key = ANY($1::text[]);
