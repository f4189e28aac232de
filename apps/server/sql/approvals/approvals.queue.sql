-- Written by `npm run docs:sql`.

-- handle
-- answers id int8
SELECT id FROM approval WHERE id = ANY($1::int8[]) AND state = 'waiting'
  AND expires_at <= now()
ORDER BY id FOR UPDATE;
