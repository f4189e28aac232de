-- Written by `npm run docs:sql`.

-- wakeEscalations
-- answers pg_notify void
SELECT pg_notify($1, $2);
