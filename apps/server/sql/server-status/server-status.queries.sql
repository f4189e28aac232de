-- Written by `npm run docs:sql`.

-- readDatabase
-- answers version text, sizeBytes int8, connectionCount int4
SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS "sizeBytes",
(SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()) AS "connectionCount";

-- listNodes
-- answers id text, name text, address text, roles _text, version text, startTime timestamptz, leaseTime timestamptz, state text, deviceCount int4, lagMs int4
SELECT n.id::text AS id, n.name, n.address, n.roles, n.version, n.started_at AS "startTime",
  n.lease_until AS "leaseTime",
  CASE
    WHEN n.stopped_at IS NOT NULL THEN 'stopped'
    WHEN n.lease_until <= clock_timestamp() THEN 'lost'
    WHEN n.is_draining THEN 'draining'
    ELSE 'serving'
  END AS state,
  CASE WHEN n.lease_until > clock_timestamp() THEN n.device_count END AS "deviceCount",
  CASE WHEN n.lease_until > clock_timestamp() THEN n.lag_ms END AS "lagMs"
FROM node n
WHERE n.succeeded_by IS NULL AND n.lease_until > clock_timestamp() - interval '1 day'
ORDER BY n.lease_until <= clock_timestamp(), n.name, n.id LIMIT 500;
