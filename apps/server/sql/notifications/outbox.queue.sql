-- Written by `npm run docs:sql`.

-- again
-- answers pg_notify void
SELECT pg_notify($1, $2);

-- send
-- answers pg_notify void
SELECT pg_notify($1, $2);
