-- Written by `npm run docs:sql`.

-- withSchemaLock
-- answers isMine bool
SELECT pg_try_advisory_lock($1) AS "isMine";

-- withSchemaLock
-- answers pg_advisory_unlock bool
SELECT pg_advisory_unlock($1);
