-- Written by `npm run docs:sql`.

-- run
VACUUM (ANALYZE, TRUNCATE false) alarm_handling, alarm_settled;
