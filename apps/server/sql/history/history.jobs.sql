-- Written by `npm run docs:sql`.

-- historyJobs
VACUUM (TRUNCATE false) history_delta;
