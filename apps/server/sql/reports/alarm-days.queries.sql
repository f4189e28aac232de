-- Written by `npm run docs:sql`.

-- foldAlarmDeltas
SELECT FROM report_alarm_delta LIMIT 1;

-- foldAlarmDeltas
WITH changed AS MATERIALIZED (
    SELECT day, operator_id, model_id, region_id, semaphore_code, at, sum(n) AS n FROM (
  SELECT * FROM (
SELECT occurred_at::date AS day, device_id, operator_id, model_id, region_id, semaphore_code,
  floor(extract(epoch FROM occurred_at - date_trunc('day', occurred_at)) / 600)::int AS at, sign AS n
FROM report_alarm_delta) AS d WHERE day IN (SELECT k.day FROM report_day k WHERE k.part = 'alarms' AND k.zone = $1)) AS d
    GROUP BY day, operator_id, model_id, region_id, semaphore_code, at HAVING sum(n) <> 0
  ), cell AS MATERIALIZED (
      SELECT 'o' AS kind, day, "operator_id", 0 AS "model_id", 0 AS "region_id", '' AS "semaphore_code", at, sum(n)::int AS n
      FROM changed AS c GROUP BY day, at, "operator_id" UNION ALL
      SELECT 'm' AS kind, day, 0 AS "operator_id", "model_id", 0 AS "region_id", '' AS "semaphore_code", at, sum(n)::int AS n
      FROM changed AS c GROUP BY day, at, "model_id" UNION ALL
      SELECT 'r' AS kind, day, 0 AS "operator_id", 0 AS "model_id", "region_id", '' AS "semaphore_code", at, sum(n)::int AS n
      FROM changed AS c GROUP BY day, at, "region_id" UNION ALL
      SELECT 'c' AS kind, day, 0 AS "operator_id", 0 AS "model_id", 0 AS "region_id", "semaphore_code", at, sum(n)::int AS n
      FROM changed AS c GROUP BY day, at, "semaphore_code" UNION ALL
      SELECT 'omr' AS kind, day, "operator_id", "model_id", "region_id", '' AS "semaphore_code", at, sum(n)::int AS n
      FROM changed AS c GROUP BY day, at, "operator_id", "model_id", "region_id" UNION ALL
      SELECT 'oc' AS kind, day, "operator_id", 0 AS "model_id", 0 AS "region_id", "semaphore_code", at, sum(n)::int AS n
      FROM changed AS c GROUP BY day, at, "operator_id", "semaphore_code" UNION ALL
      SELECT 'mc' AS kind, day, 0 AS "operator_id", "model_id", 0 AS "region_id", "semaphore_code", at, sum(n)::int AS n
      FROM changed AS c GROUP BY day, at, "model_id", "semaphore_code" UNION ALL
      SELECT 'rc' AS kind, day, 0 AS "operator_id", 0 AS "model_id", "region_id", "semaphore_code", at, sum(n)::int AS n
      FROM changed AS c GROUP BY day, at, "region_id", "semaphore_code"
  ), merged AS (
    SELECT kind, day, operator_id, model_id, region_id, semaphore_code, at, sum(n)::int AS n FROM (
      SELECT kind, day, operator_id, model_id, region_id, semaphore_code, at, n FROM cell
      UNION ALL
      SELECT w.kind, w.day, w.operator_id, w.model_id, w.region_id, w.semaphore_code,
        get_byte(w.windows, 2 * place), get_byte(w.windows, 2 * place + 1)
      FROM (SELECT DISTINCT kind, day, operator_id, model_id, region_id, semaphore_code FROM cell) AS k JOIN report_window w USING (kind, day, operator_id, model_id, region_id, semaphore_code)
      CROSS JOIN LATERAL generate_series(0, length(w.windows) / 2 - 1) AS place
    ) AS part GROUP BY kind, day, operator_id, model_id, region_id, semaphore_code, at
  )
  INSERT INTO report_window (kind, day, operator_id, model_id, region_id, semaphore_code, windows)
  SELECT kind, day, operator_id, model_id, region_id, semaphore_code,
coalesce(string_agg(decode(
  repeat(lpad(to_hex(at), 2, '0') || 'ff', n / 255)
    || CASE WHEN n % 255 > 0 THEN lpad(to_hex(at), 2, '0') || lpad(to_hex(n % 255), 2, '0') ELSE '' END,
  'hex'), ''::bytea ORDER BY at) FILTER (WHERE n > 0), ''::bytea) FROM merged GROUP BY kind, day, operator_id, model_id, region_id, semaphore_code
  ON CONFLICT (kind, day, operator_id, model_id, region_id, semaphore_code) DO UPDATE SET windows = excluded.windows;

-- foldAlarmDeltas
DELETE FROM report_chattering c USING (SELECT * FROM (
SELECT occurred_at::date AS day, device_id, semaphore_code FROM report_alarm_delta
UNION SELECT (occurred_at + interval '1 minute')::date, device_id, semaphore_code FROM report_alarm_delta) AS p WHERE p.day IN (SELECT k.day FROM report_day k WHERE k.part = 'alarms' AND k.zone = $1)) AS p
  WHERE c.day = p.day AND c.device_id = p.device_id AND c.semaphore_code = p.semaphore_code;

-- foldAlarmDeltas
INSERT INTO report_chattering (day, device_id, semaphore_code, operator_id, model_id, region_id, n)
SELECT p.day, p.device_id, p.semaphore_code, own.operator_id, own.model_id, own.region_id, own.n
FROM (SELECT * FROM (
SELECT occurred_at::date AS day, device_id, semaphore_code FROM report_alarm_delta
UNION SELECT (occurred_at + interval '1 minute')::date, device_id, semaphore_code FROM report_alarm_delta) AS p WHERE p.day IN (SELECT k.day FROM report_day k WHERE k.part = 'alarms' AND k.zone = $1)) AS p CROSS JOIN LATERAL (
  SELECT max(operator_id) AS operator_id, max(model_id) AS model_id, max(region_id) AS region_id, count(*)::int AS n FROM (
    SELECT occurred_at, operator_id, model_id, region_id, lag(occurred_at, 2) OVER (PARTITION BY device_id, semaphore_code ORDER BY occurred_at, id) AS third
    FROM alarm_history
    WHERE device_id = p.device_id AND semaphore_code = p.semaphore_code
      AND occurred_at >= p.day::timestamptz - interval '1 minute' AND occurred_at < (p.day + 1)::timestamptz
  ) AS h
  WHERE occurred_at >= p.day::timestamptz AND third >= occurred_at - interval '1 minute'
) AS own WHERE own.n > 0;

-- foldAlarmDeltas
DELETE FROM report_alarm_delta;

-- sumAlarmDay
DELETE FROM report_window WHERE day = $1::date;

-- sumAlarmDay
DELETE FROM report_chattering WHERE day = $1::date;

-- sumAlarmDay
WITH counted AS MATERIALIZED (
    SELECT $1::date AS day, operator_id, model_id, region_id, semaphore_code,
      (extract(epoch FROM date_bin('10 minutes', occurred_at, $2::timestamptz) - $3::timestamptz)
        / 600)::int AS at,
      count(*) AS n
    FROM alarm_history WHERE occurred_at >= $4 AND occurred_at < $5
    GROUP BY operator_id, model_id, region_id, semaphore_code, 6
  )
  INSERT INTO report_window (kind, day, operator_id, model_id, region_id, semaphore_code, windows)
  SELECT kind, day, operator_id, model_id, region_id, semaphore_code,
coalesce(string_agg(decode(
  repeat(lpad(to_hex(at), 2, '0') || 'ff', n / 255)
    || CASE WHEN n % 255 > 0 THEN lpad(to_hex(at), 2, '0') || lpad(to_hex(n % 255), 2, '0') ELSE '' END,
  'hex'), ''::bytea ORDER BY at) FILTER (WHERE n > 0), ''::bytea) FROM (
      SELECT 'o' AS kind, day, "operator_id", 0 AS "model_id", 0 AS "region_id", '' AS "semaphore_code", at, sum(n)::int AS n
      FROM counted AS c GROUP BY day, at, "operator_id" UNION ALL
      SELECT 'm' AS kind, day, 0 AS "operator_id", "model_id", 0 AS "region_id", '' AS "semaphore_code", at, sum(n)::int AS n
      FROM counted AS c GROUP BY day, at, "model_id" UNION ALL
      SELECT 'r' AS kind, day, 0 AS "operator_id", 0 AS "model_id", "region_id", '' AS "semaphore_code", at, sum(n)::int AS n
      FROM counted AS c GROUP BY day, at, "region_id" UNION ALL
      SELECT 'c' AS kind, day, 0 AS "operator_id", 0 AS "model_id", 0 AS "region_id", "semaphore_code", at, sum(n)::int AS n
      FROM counted AS c GROUP BY day, at, "semaphore_code" UNION ALL
      SELECT 'omr' AS kind, day, "operator_id", "model_id", "region_id", '' AS "semaphore_code", at, sum(n)::int AS n
      FROM counted AS c GROUP BY day, at, "operator_id", "model_id", "region_id" UNION ALL
      SELECT 'oc' AS kind, day, "operator_id", 0 AS "model_id", 0 AS "region_id", "semaphore_code", at, sum(n)::int AS n
      FROM counted AS c GROUP BY day, at, "operator_id", "semaphore_code" UNION ALL
      SELECT 'mc' AS kind, day, 0 AS "operator_id", "model_id", 0 AS "region_id", "semaphore_code", at, sum(n)::int AS n
      FROM counted AS c GROUP BY day, at, "model_id", "semaphore_code" UNION ALL
      SELECT 'rc' AS kind, day, 0 AS "operator_id", 0 AS "model_id", "region_id", "semaphore_code", at, sum(n)::int AS n
      FROM counted AS c GROUP BY day, at, "region_id", "semaphore_code") AS cell
  GROUP BY kind, day, operator_id, model_id, region_id, semaphore_code ORDER BY kind, day, operator_id, model_id, region_id, semaphore_code;

-- sumAlarmDay
INSERT INTO report_chattering (day, device_id, semaphore_code, operator_id, model_id, region_id, n)
SELECT occurred_at::date AS day, device_id, semaphore_code, max(operator_id) AS operator_id, max(model_id) AS model_id, max(region_id) AS region_id, count(*)::int AS n
FROM (
  SELECT occurred_at, device_id, semaphore_code, operator_id, model_id, region_id, lag(occurred_at, 2) OVER (PARTITION BY device_id, semaphore_code ORDER BY occurred_at, id) AS third
  FROM alarm_history
  WHERE occurred_at >= $1::timestamptz - interval '1 minute' AND occurred_at < $2
    AND true
) AS h
WHERE occurred_at >= $3 AND third >= occurred_at - interval '1 minute'
GROUP BY occurred_at::date, device_id, semaphore_code;

-- addDeviceAlarms
INSERT INTO report_device_alarms AS a (month, device_id, running)
  SELECT month, device_id, ARRAY[coalesce(sum("n") FILTER (WHERE number <= 1), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 2), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 3), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 4), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 5), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 6), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 7), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 8), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 9), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 10), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 11), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 12), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 13), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 14), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 15), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 16), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 17), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 18), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 19), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 20), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 21), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 22), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 23), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 24), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 25), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 26), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 27), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 28), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 29), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 30), 0)::int, coalesce(sum("n") FILTER (WHERE number <= 31), 0)::int] FROM (
    SELECT date_trunc('month', day)::date AS month, device_id, extract(day FROM day) AS number, sum(n) AS n
    FROM (
  SELECT * FROM (
SELECT occurred_at::date AS day, device_id, operator_id, model_id, region_id, semaphore_code,
  floor(extract(epoch FROM occurred_at - date_trunc('day', occurred_at)) / 600)::int AS at, sign AS n
FROM report_alarm_delta) AS d WHERE day IN (SELECT k.day FROM report_day k WHERE k.part = 'alarms' AND k.zone = $1)) AS d GROUP BY device_id, day) AS d GROUP BY month, device_id ORDER BY month, device_id
  ON CONFLICT (month, device_id) DO UPDATE SET running = ARRAY[coalesce("a"."running"[1], 0) + "excluded"."running"[1], coalesce("a"."running"[2], 0) + "excluded"."running"[2], coalesce("a"."running"[3], 0) + "excluded"."running"[3], coalesce("a"."running"[4], 0) + "excluded"."running"[4], coalesce("a"."running"[5], 0) + "excluded"."running"[5], coalesce("a"."running"[6], 0) + "excluded"."running"[6], coalesce("a"."running"[7], 0) + "excluded"."running"[7], coalesce("a"."running"[8], 0) + "excluded"."running"[8], coalesce("a"."running"[9], 0) + "excluded"."running"[9], coalesce("a"."running"[10], 0) + "excluded"."running"[10], coalesce("a"."running"[11], 0) + "excluded"."running"[11], coalesce("a"."running"[12], 0) + "excluded"."running"[12], coalesce("a"."running"[13], 0) + "excluded"."running"[13], coalesce("a"."running"[14], 0) + "excluded"."running"[14], coalesce("a"."running"[15], 0) + "excluded"."running"[15], coalesce("a"."running"[16], 0) + "excluded"."running"[16], coalesce("a"."running"[17], 0) + "excluded"."running"[17], coalesce("a"."running"[18], 0) + "excluded"."running"[18], coalesce("a"."running"[19], 0) + "excluded"."running"[19], coalesce("a"."running"[20], 0) + "excluded"."running"[20], coalesce("a"."running"[21], 0) + "excluded"."running"[21], coalesce("a"."running"[22], 0) + "excluded"."running"[22], coalesce("a"."running"[23], 0) + "excluded"."running"[23], coalesce("a"."running"[24], 0) + "excluded"."running"[24], coalesce("a"."running"[25], 0) + "excluded"."running"[25], coalesce("a"."running"[26], 0) + "excluded"."running"[26], coalesce("a"."running"[27], 0) + "excluded"."running"[27], coalesce("a"."running"[28], 0) + "excluded"."running"[28], coalesce("a"."running"[29], 0) + "excluded"."running"[29], coalesce("a"."running"[30], 0) + "excluded"."running"[30], coalesce("a"."running"[31], 0) + "excluded"."running"[31]];
