-- Written by `npm run docs:sql`.

-- inTransaction
-- not shown: several statements in one, which set the transaction or the session

-- inTransaction
COMMIT;

-- inTransaction
ROLLBACK;
