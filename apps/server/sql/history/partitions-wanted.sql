-- Written by `npm run docs:sql`.

-- run
-- answers now timestamptz
SELECT now();
