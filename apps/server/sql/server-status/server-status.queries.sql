-- Written by `npm run docs:sql`.

-- readDatabase
-- answers version text, sizeBytes int8, connectionCount int4
SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS "sizeBytes",
(SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()) AS "connectionCount";
