-- Written by `npm run docs:sql`.

-- insert
-- answers pg_notify void
SELECT pg_notify($1, $2);
