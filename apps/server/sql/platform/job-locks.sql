-- Written by `npm run docs:sql`.

-- connect
-- not shown: several statements in one, which set the transaction or the session

-- ask
-- answers pg_advisory_unlock bool
SELECT pg_advisory_unlock($1, hashtext($2));
