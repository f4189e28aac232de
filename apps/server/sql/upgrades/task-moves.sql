-- Written by `npm run docs:sql`.

-- wakeTasks
-- answers pg_notify void
SELECT pg_notify($1, $2);
