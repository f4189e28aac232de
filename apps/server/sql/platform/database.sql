-- Written by `npm run docs:sql`.

-- #connectToPrimary
-- answers isPrimary bool
SELECT NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off' AS "isPrimary";

-- ping
-- answers ?column? int4
SELECT 1;

-- openPool
-- answers set_config text, set_config text, set_config text
SELECT set_config('TimeZone', $1, false), set_config('idle_in_transaction_session_timeout', $2, false),
set_config('join_collapse_limit', $3, false);

-- openPool
-- answers set_config text
SELECT set_config('client_connection_check_interval', $1, false);
