-- Written by `npm run docs:sql`.

-- ask
-- answers pg_notify void
SELECT pg_notify($1, $2);
