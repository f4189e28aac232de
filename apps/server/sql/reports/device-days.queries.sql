-- Written by `npm run docs:sql`.

-- listTouched
-- answers day text, deviceIds _int4
SELECT day::text AS day, array_agg(device_id) AS "deviceIds"
  FROM (
WITH RECURSIVE touched AS (
  SELECT DISTINCT t.device_id, day::date AS day
  FROM report_touched t
  CROSS JOIN LATERAL generate_series(
    t.from_at::date, least(t.to_at, now() - interval '1 day')::date, interval '1 day') AS day
  WHERE t.from_at IS NOT NULL AND t.device_id IS NOT NULL AND true
  UNION
  -- Of a day that is touched as a whole, those whose failure lasts on from it.
  SELECT r.device_id, r.day
  FROM report_touched t JOIN report_device_day r ON r.day = t.from_at::date
  WHERE t.device_id IS NULL AND r.down_since IS NOT NULL AND true
  UNION
  SELECT r.device_id, r.day + 1
  FROM touched t JOIN report_device_day r ON r.device_id = t.device_id AND r.day = t.day
  WHERE r.down_since IS NOT NULL AND r.day + 1 < now()::date
)
SELECT t.device_id, t.day FROM touched t
JOIN report_day y ON y.part = 'devices' AND y.day = t.day
-- Of older days the connections are gone: what is kept of them stays.
WHERE t.day > (now() - 89 * interval '1 day')::date) AS t GROUP BY day ORDER BY day;

-- readFirstTouched
-- answers day text, deviceIds _int4
SELECT y.day::text AS day,
  ARRAY(SELECT DISTINCT t.device_id FROM report_touched t WHERE t.device_id IS NOT NULL AND t.from_at::date <= y.day
AND least(t.to_at, now() - interval '1 day')::date >= y.day) AS "deviceIds"
FROM report_day y
WHERE y.part = 'devices' AND y.day > (now() - 89 * interval '1 day')::date
  AND EXISTS (SELECT FROM report_touched t WHERE t.device_id IS NOT NULL AND t.from_at::date <= y.day
AND least(t.to_at, now() - interval '1 day')::date >= y.day)
ORDER BY y.day LIMIT 1;

-- keepDay
DELETE FROM report_device_day WHERE day = $1::date;

-- keepDay
INSERT INTO report_device_day (day, device_id, down_s, planned_s, unknown_s, failures, recovered_s, down_since)
  SELECT $1::date, f.device_id, f.down_s, f.planned_s, f.unknown_s, f.failures, f.recovered_s, f.down_since
  FROM (
SELECT u.device_id, u.down_s, u.planned_s, u.unknown_s, u.failures, u.recovered::int[] AS recovered_s,
  to_timestamp(u.since) AS down_since
FROM unnest(
  $2::int[], $3::int[],
  $4::int[], $5::int[],
  $6::int[],
  $7::text[],
  $8::float8[]
) AS u (device_id, down_s, planned_s, unknown_s, failures, recovered, since)) AS f;
