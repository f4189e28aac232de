-- Written by `npm run docs:sql`.

-- isPrimary
-- answers isPrimary bool
SELECT NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off' AS "isPrimary";
