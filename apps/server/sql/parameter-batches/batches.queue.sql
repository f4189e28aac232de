-- Written by `npm run docs:sql`.

-- wakeBatches
-- answers pg_notify void
SELECT pg_notify($1, $2);
