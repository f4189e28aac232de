-- Written by `npm run docs:sql`.

-- make
-- answers now timestamptz
SELECT now();
