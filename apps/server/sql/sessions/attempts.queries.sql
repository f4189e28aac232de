-- Written by `npm run docs:sql`.

-- lockAttempts
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- lockAttempts
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- lockPair
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- countAttempts
-- answers pairFailed int4, pairPending int4, addressFailed int4, addressPending int4, nameTried int4, sinceNameTriedMs float8
WITH recent AS (
  SELECT login_name = $1 AND NOT is_forgiven AS by_name, address = $2 AS by_address, address, failed_at,
    is_pending AND failed_at > now() - make_interval(secs => $3) AS is_pending
  FROM login_failure
  WHERE (login_name = $4 OR address = $5)
    AND failed_at > now() - make_interval(mins => $6)
)
SELECT
  count(*) FILTER (WHERE by_name AND by_address AND NOT is_pending)::int AS "pairFailed",
  count(*) FILTER (WHERE by_name AND by_address AND is_pending)::int AS "pairPending",
  count(*) FILTER (WHERE by_address AND NOT is_pending)::int AS "addressFailed",
  count(*) FILTER (WHERE by_address AND is_pending)::int AS "addressPending",
  count(*) FILTER (WHERE by_name AND address NOT LIKE ' %')::int AS "nameTried",
  (1000 * extract(epoch FROM
    clock_timestamp() - max(failed_at) FILTER (WHERE by_name AND address NOT LIKE ' %')))::float8 AS "sinceNameTriedMs"
FROM recent;

-- deleteOldAttempts
DELETE FROM login_failure
WHERE abs(extract(epoch FROM failed_at - now())) > $1;
