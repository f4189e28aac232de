-- Written by `npm run docs:sql`.

-- lockBucket
INSERT INTO notify_rate (key, tokens) VALUES ($1, $2)
ON CONFLICT (key) DO NOTHING;

-- lockBucket
-- answers tokens float8, at timestamptz, now timestamptz
SELECT tokens, tokens_at AS at, now() AS now FROM notify_rate WHERE key = $1 FOR UPDATE;

-- keepRateKey
UPDATE notify_channel SET rate_key = $1 WHERE id = $2;

-- writeTokens
UPDATE notify_rate SET tokens = $1, tokens_at = clock_timestamp() WHERE key = $2;

-- pauseOthers
UPDATE notify_channel SET paused_until = greatest(paused_until, now() + $1 * interval '1 ms')
WHERE id IN (
  SELECT o.id FROM notify_channel o JOIN notify_channel c ON c.rate_key = o.rate_key
  WHERE c.id = $2 AND o.id <> c.id ORDER BY o.id FOR UPDATE OF o
);

-- 
DELETE FROM notify_rate WHERE key IN (
SELECT key FROM notify_rate r
WHERE tokens_at < $1 AND NOT EXISTS (
  SELECT FROM notify_channel c WHERE c.rate_key = r.key OR 'channel ' || c.id = r.key)
LIMIT $2);
