-- Written by `npm run docs:sql`.

-- takeBackup
COMMIT;

-- addTable
SAVEPOINT backing_up;

-- addTable
-- not shown: is of the tables that the catalog, or a backup, names

-- addTable
ROLLBACK TO SAVEPOINT backing_up;

-- addTable
RELEASE SAVEPOINT backing_up;
