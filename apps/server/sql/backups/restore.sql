-- Written by `npm run docs:sql`.

-- restoreBackup
BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;

-- restoreBackup
-- not shown: is of the tables that the catalog, or a backup, names

-- restoreBackup
-- not shown: is of the tables that the catalog, or a backup, names

-- restoreBackup
-- not shown: is of the tables that the catalog, or a backup, names

-- restoreBackup
-- answers setval int8
SELECT setval($1::regclass, $2, $3);

-- restoreBackup
-- not shown: is of the tables that the catalog, or a backup, names

-- restoreBackup
-- not shown: is of the tables that the catalog, or a backup, names

-- restoreBackup
COMMIT;

-- restoreBackup
ANALYZE;

-- makePartition
-- not shown: is of the tables that the catalog, or a backup, names

-- fill
-- not shown: is of the tables that the catalog, or a backup, names
