-- Written by `npm run docs:sql`.

-- connect
SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;
SET idle_session_timeout = 0;

-- ask
-- answers pg_advisory_unlock bool
SELECT pg_advisory_unlock($1, hashtext($2));
