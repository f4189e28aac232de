-- Written by `npm run docs:sql`.

-- leftOutFile
-- not shown: see the fault
