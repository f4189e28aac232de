-- Written by `npm run docs:sql`.

-- takeBackup
COMMIT;

-- addTable
-- not shown: is of the tables that the catalog, or a backup, names
