-- Written by `npm run docs:sql`.

-- sumGroupDay
DELETE FROM report_group_day WHERE day = $1::date;

-- sumGroupDay
WITH placed AS MATERIALIZED (
  SELECT d.operator_id, d.model_id, d.region_id, f.down_s, f.planned_s, f.unknown_s, f.failures, f.recovered_s
  FROM report_device_day f JOIN device d ON d.id = f.device_id WHERE f.day = $1::date
), grouped AS MATERIALIZED (
  SELECT 'operator' AS kind, operator_id::text AS key, down_s, planned_s, unknown_s, failures, recovered_s FROM placed
  UNION ALL SELECT 'model', model_id::text, down_s, planned_s, unknown_s, failures, recovered_s FROM placed
  UNION ALL SELECT 'region', node, down_s, planned_s, unknown_s, failures, recovered_s
  FROM placed p JOIN region r ON r.id = p.region_id
  CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node
), lasting AS MATERIALIZED (
  SELECT kind, key, seconds, width_bucket(seconds::int8, $2::int8[]) AS step, count(*)::int AS n
  FROM grouped CROSS JOIN LATERAL unnest(recovered_s) AS seconds GROUP BY kind, key, seconds
)
INSERT INTO report_group_day (day, kind, key, down_s, planned_s, unknown_s, failures, recovered_s, steps, counts)
SELECT $3::date, s.kind, s.key, s.down_s, s.planned_s, s.unknown_s, s.failures, coalesce(v.recovered_s, '{}'),
  coalesce(l.steps, '{}'), coalesce(l.counts, '{}')
FROM (
  SELECT kind, key, sum(down_s) AS down_s, sum(planned_s) AS planned_s, sum(unknown_s) AS unknown_s,
    sum(failures) AS failures
  FROM grouped GROUP BY kind, key
) AS s
LEFT JOIN (
  SELECT kind, key, array_agg(seconds ORDER BY seconds) AS recovered_s FROM (
    SELECT kind, key, seconds FROM lasting CROSS JOIN LATERAL generate_series(1, n)
  ) AS each GROUP BY kind, key
) AS v USING (kind, key)
LEFT JOIN (
  SELECT kind, key, array_agg(step::smallint ORDER BY step) AS steps, array_agg(n ORDER BY step) AS counts
  FROM (SELECT kind, key, step, sum(n)::int AS n FROM lasting GROUP BY kind, key, step) AS c GROUP BY kind, key
) AS l USING (kind, key);

-- forgetMovedGroups
WITH moved AS (DELETE FROM report_moved RETURNING 1)
DELETE FROM report_day WHERE part = 'groups' AND EXISTS (SELECT FROM moved);

-- forgetGroupDay
DELETE FROM report_day WHERE part = 'groups' AND day = $1::date;

-- listGroupDays
-- answers day text
SELECT day::text AS day FROM report_day
WHERE part = 'groups' AND zone = $1 AND day >= $2::date AND day <= $3::date
  AND NOT EXISTS (SELECT FROM report_moved)
ORDER BY day;
