-- Written by `npm run docs:sql`.

-- applyOnline
-- not shown: defines what has its name, or its whole text, at run time only

-- makeIndex
-- not shown: defines what has its name, or its whole text, at run time only

-- makeIndex
-- not shown: defines what has its name, or its whole text, at run time only

-- makeOne
-- answers isValid bool
SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1);

-- withoutLockLimit
SET lock_timeout = 0;

-- withoutLockLimit
-- not shown: defines what has its name, or its whole text, at run time only

-- isPartitioned
-- answers isPartitioned bool
SELECT relkind = 'p' AS "isPartitioned" FROM pg_class WHERE oid = $1::regclass;

-- listPartitions
-- answers partition name, has bool
SELECT c.relname AS partition, EXISTS (
    SELECT FROM pg_inherits part JOIN pg_index own ON own.indexrelid = part.inhrelid
    WHERE part.inhparent = $2::regclass AND own.indrelid = c.oid
  ) AS has
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = $1::regclass ORDER BY c.relname;
