-- Written by `npm run docs:sql`.

-- ensure
-- answers first int8
SELECT nextval('episode_id') AS first FROM generate_series(1, $1);
