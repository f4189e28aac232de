-- Written by `npm run docs:sql`.

-- inTransaction
BEGIN; SET LOCAL enable_material = off;
SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;

-- inTransaction
COMMIT;

-- inTransaction
ROLLBACK;
