-- Written by `npm run docs:sql`.

-- createWhatIsMissing
-- answers ?column? int4
SELECT 1 FROM pg_database WHERE datname = $1;

-- createWhatIsMissing
-- not shown: defines what has its name, or its whole text, at run time only
