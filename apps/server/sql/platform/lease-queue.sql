-- Written by `npm run docs:sql`.

-- work
-- answers id int8, nowMs float8
SELECT t.id, (extract(epoch FROM now()) * 1000)::float8 AS "nowMs" FROM remote_action t WHERE t.next_at <= now() ORDER BY t.next_at LIMIT $1
FOR UPDATE SKIP LOCKED;

-- handleSingle
SAVEPOINT claimed;

-- handleSingle
ROLLBACK TO SAVEPOINT claimed;

-- readEarliestMs
-- answers inMs float8
SELECT (extract(epoch FROM next_at - now()) * 1000)::float8 AS "inMs" FROM remote_action
WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 1;

-- run
UPDATE remote_action SET next_at = next_at - $1 * interval '1 ms' WHERE next_at > now() + $1 * interval '1 ms';
