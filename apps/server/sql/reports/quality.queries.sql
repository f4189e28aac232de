-- Written by `npm run docs:sql`.

-- readDays
-- answers day text, isSummed bool
SELECT day::date::text AS day,
  day::date IN (SELECT d.day FROM report_day d WHERE d.part = 'alarms' AND d.zone = $1) AS "isSummed"
FROM generate_series($2::date, $3::date - 1, interval '1 day') AS day
ORDER BY day;

-- readWindows
-- answers key text, day text, windows bytea
SELECT "h"."operator_id"::text AS key, day::text AS day, string_agg(windows, ''::bytea) AS windows FROM (
  SELECT * FROM report_window WHERE kind = $1 AND operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]) AND semaphore_code = ANY($5::text[]) AND "operator_id" = ANY($6::int[]) AND day = ANY($7::date[])
) AS h
GROUP BY 1, day;

-- readWindows
-- answers key text, day text, at int4, n int4
SELECT "h"."operator_id"::text AS key, day::text AS day, at, sum(n)::int AS n FROM (
      SELECT * FROM (
SELECT occurred_at::date AS day, device_id, operator_id, model_id, region_id, semaphore_code,
  floor(extract(epoch FROM occurred_at - date_trunc('day', occurred_at)) / 600)::int AS at, sign AS n
FROM report_alarm_delta) AS d WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND "operator_id" = ANY($5::int[]) AND day = ANY($6::date[])
    ) AS h
    GROUP BY 1, day, at;

-- readWindows
-- answers key text, at text, n text
SELECT key, string_agg(at::text, ',') AS at, string_agg(n::text, ',') AS n FROM (
  SELECT "h"."operator_id"::text AS key,
    (extract(epoch FROM h.at - $1::timestamptz) / $2)::int AS at, sum(h.n) AS n
  FROM (
    SELECT "operator_id", date_bin('10 minutes', occurred_at, $3::timestamptz) AS at,
      count(*) AS n
    FROM alarm_history WHERE operator_id = ANY($4::int[]) AND model_id = ANY($5::int[]) AND region_id = ANY($6::int[]) AND semaphore_code = ANY($7::text[]) AND "operator_id" = ANY($8::int[]) AND ((occurred_at >= $9 AND occurred_at < $10))
    GROUP BY 1, 2
  ) AS h
  GROUP BY 1, 2
) AS counted GROUP BY key;

-- countDevices
-- answers key text, n int4, groups int4
SELECT device_id::text AS key, n::int AS n, (count(*) OVER ())::int AS groups FROM (
    SELECT device_id, sum(n) AS n FROM (
      SELECT device_id, 0 AS n FROM report_device_alarms
      WHERE month = ANY($1::date[]) AND device_id IN (SELECT id FROM device WHERE operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]))
      UNION ALL
      SELECT device_id, n FROM (
SELECT occurred_at::date AS day, device_id, operator_id, model_id, region_id, semaphore_code,
  floor(extract(epoch FROM occurred_at - date_trunc('day', occurred_at)) / 600)::int AS at, sign AS n
FROM report_alarm_delta) AS d WHERE day = ANY($5::date[]) AND device_id IN (SELECT id FROM device WHERE operator_id = ANY($6::int[]) AND model_id = ANY($7::int[]) AND region_id = ANY($8::int[]))
      UNION ALL
      SELECT device_id, count(*) FROM alarm_history
      WHERE operator_id = ANY($9::int[]) AND model_id = ANY($10::int[]) AND region_id = ANY($11::int[]) AND semaphore_code = ANY($12::text[]) AND ((occurred_at >= $13 AND occurred_at < $14)) GROUP BY device_id
    ) AS part GROUP BY device_id HAVING sum(n) <> 0
  ) AS counted
  WHERE EXISTS (SELECT FROM device d WHERE d.id = device_id)
  ORDER BY n DESC, device_id LIMIT $15;

-- readChattering
-- answers deviceId int4, semaphoreCode text, n int4
SELECT device_id AS "deviceId", semaphore_code AS "semaphoreCode", sum(n)::int AS n FROM (
    SELECT device_id, semaphore_code, n FROM report_chattering
    WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND day = ANY($5::date[])
      AND (day, device_id, semaphore_code) NOT IN (SELECT day, device_id, semaphore_code FROM (SELECT * FROM (
SELECT occurred_at::date AS day, device_id, semaphore_code FROM report_alarm_delta
UNION SELECT (occurred_at + interval '1 minute')::date, device_id, semaphore_code FROM report_alarm_delta) AS p WHERE day = ANY($6::date[])) AS p)
    UNION ALL
    SELECT device_id, semaphore_code, n FROM (
SELECT p.day, p.device_id, p.semaphore_code, own.operator_id, own.model_id, own.region_id, own.n
FROM (SELECT * FROM (
SELECT occurred_at::date AS day, device_id, semaphore_code FROM report_alarm_delta
UNION SELECT (occurred_at + interval '1 minute')::date, device_id, semaphore_code FROM report_alarm_delta) AS p WHERE day = ANY($7::date[])) AS p CROSS JOIN LATERAL (
  SELECT max(operator_id) AS operator_id, max(model_id) AS model_id, max(region_id) AS region_id, count(*)::int AS n FROM (
    SELECT occurred_at, operator_id, model_id, region_id, lag(occurred_at, 2) OVER (PARTITION BY device_id, semaphore_code ORDER BY occurred_at, id) AS third
    FROM alarm_history
    WHERE device_id = p.device_id AND semaphore_code = p.semaphore_code
      AND occurred_at >= p.day::timestamptz - interval '1 minute' AND occurred_at < (p.day + 1)::timestamptz
  ) AS h
  WHERE occurred_at >= p.day::timestamptz AND third >= occurred_at - interval '1 minute'
) AS own WHERE own.n > 0) AS c WHERE operator_id = ANY($8::int[]) AND model_id = ANY($9::int[]) AND region_id = ANY($10::int[]) AND semaphore_code = ANY($11::text[])
    UNION ALL SELECT device_id, semaphore_code, n FROM (
SELECT occurred_at::date AS day, device_id, semaphore_code, max(operator_id) AS operator_id, max(model_id) AS model_id, max(region_id) AS region_id, count(*)::int AS n
FROM (
  SELECT occurred_at, device_id, semaphore_code, operator_id, model_id, region_id, lag(occurred_at, 2) OVER (PARTITION BY device_id, semaphore_code ORDER BY occurred_at, id) AS third
  FROM alarm_history
  WHERE occurred_at >= $12::timestamptz - interval '1 minute' AND occurred_at < $13
    AND operator_id = ANY($14::int[]) AND model_id = ANY($15::int[]) AND region_id = ANY($16::int[]) AND semaphore_code = ANY($17::text[])
) AS h
WHERE occurred_at >= $18 AND third >= occurred_at - interval '1 minute'
GROUP BY occurred_at::date, device_id, semaphore_code) AS c
  ) AS c GROUP BY device_id, semaphore_code ORDER BY n DESC, device_id, semaphore_code;

-- countStanding
-- answers key text, n int4
SELECT "h"."semaphore_code"::text AS key, sum(h.n)::int AS n
FROM (
  SELECT "semaphore_code", count(*) AS n FROM alarm_state
  WHERE is_active AND occurred_at < $1 AND operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]) AND semaphore_code = ANY($5::text[])
  GROUP BY 1
) AS h
GROUP BY 1;

-- countPairs
-- answers n int4
SELECT (
  SELECT count(*) FROM alarm_history
  WHERE device_id = k.pair_device AND semaphore_code = k.pair_code
    AND occurred_at >= $1 AND occurred_at < $2
    AND operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[])
)::int AS n
FROM unnest($7::int[], $8::text[])
  WITH ORDINALITY AS k (pair_device, pair_code, rank)
ORDER BY k.rank;

-- nameGroups
-- answers key text, id text, name text
SELECT id::text AS key, id::text AS id, name FROM operator WHERE id = ANY($1::int[]);

-- readLevels
-- answers code text, level int2 null
SELECT code, alarm_level AS level FROM dictionary_entry
WHERE type = 'ALARM' AND code = ANY($1::text[]);

-- listRegionsApart
-- answers id int4
WITH top AS (
  SELECT id FROM region
  WHERE parent_id IS NULL
), below AS (
  SELECT r.id, r.parent_id FROM region r JOIN top ON r.parent_id = top.id
  WHERE true
)
SELECT id FROM below UNION ALL SELECT id FROM top WHERE id NOT IN (SELECT parent_id FROM below);
