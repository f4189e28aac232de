-- Written by `npm run docs:sql`.

-- post
-- answers pg_notify void
SELECT pg_notify($1, $2);
