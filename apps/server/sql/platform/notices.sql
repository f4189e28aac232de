-- Written by `npm run docs:sql`.

-- lookAtClock
-- answers ms float8
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms;

-- listen
LISTEN voltkeep;

-- send
-- answers pg_notify void
SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text;
