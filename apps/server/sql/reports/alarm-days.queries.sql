-- Written by `npm run docs:sql`.

-- forgetTouchedAlarms
WITH day AS MATERIALIZED (SELECT DISTINCT t.day FROM (
SELECT alarm_at::date AS day FROM report_touched WHERE alarm_at IS NOT NULL
UNION SELECT (alarm_at + interval '1 minute')::date FROM report_touched WHERE alarm_at IS NOT NULL) AS t),
  taken AS (DELETE FROM report_touched WHERE alarm_at IS NOT NULL RETURNING *),
  -- What a touch means to the devices' days is another's work.
  kept AS (
    INSERT INTO report_touched SELECT device_id, NULL, from_at, to_at FROM taken WHERE from_at IS NOT NULL
  )
  DELETE FROM report_day WHERE part = 'alarms' AND day IN (SELECT d.day FROM day d);

-- sumAlarmDay
LOCK TABLE region IN SHARE MODE;

-- sumAlarmDay
DELETE FROM report_window WHERE day = $1::date;

-- sumAlarmDay
DELETE FROM report_chattering WHERE day = $1::date;

-- sumAlarmDay
WITH counted AS MATERIALIZED (
  SELECT operator_id, model_id, region_id, semaphore_code,
    (extract(epoch FROM date_bin('10 minutes', occurred_at, $1::timestamptz) - $2::timestamptz)
      / 600)::smallint AS at,
    count(*) AS n
  FROM alarm_history WHERE occurred_at >= $3 AND occurred_at < $4
  GROUP BY operator_id, model_id, region_id, semaphore_code, 5
)
INSERT INTO report_window (day, kind, key, at, n)
SELECT $5::date, kind, key, array_agg(at ORDER BY at), array_agg(n::int ORDER BY at) FROM (
  SELECT 'operator' AS kind, operator_id::text AS key, at, sum(n) AS n FROM counted GROUP BY operator_id, at
  UNION ALL SELECT 'model', model_id::text, at, sum(n) FROM counted GROUP BY model_id, at
  UNION ALL SELECT 'code', semaphore_code, at, sum(n) FROM counted GROUP BY semaphore_code, at
  UNION ALL SELECT 'region', node, at, sum(n)
  FROM (SELECT region_id, at, sum(n) AS n FROM counted GROUP BY region_id, at) AS c
  JOIN region r ON r.id = c.region_id CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node
  GROUP BY node, at
) AS cell GROUP BY kind, key;

-- sumAlarmDay
INSERT INTO report_chattering (day, device_id, semaphore_code, operator_id, model_id, region_id, n)
SELECT occurred_at::date AS day, device_id, semaphore_code, max(operator_id) AS operator_id,
  max(model_id) AS model_id, max(region_id) AS region_id, count(*)::int AS n
FROM (
  SELECT occurred_at, device_id, semaphore_code, operator_id, model_id, region_id,
    lag(occurred_at, 2) OVER (PARTITION BY device_id, semaphore_code ORDER BY occurred_at, id) AS third
  FROM alarm_history
  WHERE occurred_at >= $1::timestamptz - interval '1 minute' AND occurred_at < $2
    AND true
) AS h
WHERE occurred_at >= $3 AND third >= occurred_at - interval '1 minute'
GROUP BY occurred_at::date, device_id, semaphore_code;
