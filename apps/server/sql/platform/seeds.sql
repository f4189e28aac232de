-- Written by `npm run docs:sql`.

-- plantSeeds
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('seeds', 0));
