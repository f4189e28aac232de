-- Written by `npm run docs:sql`.

-- listUnsummed
-- answers day text
SELECT day::date::text AS day
  FROM generate_series($1::date, $2::date - 1, interval '1 day') AS day
  WHERE day::date NOT IN (SELECT d.day FROM report_day d WHERE d.part = 'alarms' AND d.zone = $3)
    OR day::date IN (SELECT t.day FROM (
SELECT alarm_at::date AS day FROM report_touched WHERE alarm_at IS NOT NULL
UNION SELECT (alarm_at + interval '1 minute')::date FROM report_touched WHERE alarm_at IS NOT NULL) AS t)
  ORDER BY day;

-- readWindows
-- answers key text, day text, at text, n text
SELECT key, day::text AS day, array_to_string(at, ',') AS at, array_to_string(n, ',') AS n
    FROM report_window WHERE kind = $1 AND key = ANY($2::text[]) AND
day >= $3::date AND day < $4::date
AND NOT (day >= $5::date AND day < $6::date);

-- readWindows
-- answers key text, at text, n text
SELECT key, string_agg(at::text, ',') AS at, string_agg(n::text, ',') AS n FROM (
  SELECT "h"."operator_id"::text AS key,
    (extract(epoch FROM h.at - $1::timestamptz) / $2)::int AS at, sum(h.n) AS n
  FROM (
    SELECT "operator_id", date_bin('10 minutes', occurred_at, $3::timestamptz) AS at,
      count(*) AS n
    FROM alarm_history
    WHERE operator_id = ANY($4::int[]) AND model_id = ANY($5::int[]) AND region_id = ANY($6::int[]) AND semaphore_code = ANY($7::text[]) AND ((occurred_at >= $8 AND occurred_at < $9))
    GROUP BY 1, 2
  ) AS h
  GROUP BY 1, 2
) AS counted WHERE key = ANY($10::text[]) GROUP BY key;

-- readChattering
-- answers deviceId int4, semaphoreCode text, n int4
SELECT device_id AS "deviceId", semaphore_code AS "semaphoreCode", sum(n)::int AS n FROM (
    SELECT device_id, semaphore_code, n FROM report_chattering
    WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND
day >= $5::date AND day < $6::date
AND NOT (day >= $7::date AND day < $8::date)
    UNION ALL SELECT device_id, semaphore_code, n FROM (
SELECT occurred_at::date AS day, device_id, semaphore_code, max(operator_id) AS operator_id,
  max(model_id) AS model_id, max(region_id) AS region_id, count(*)::int AS n
FROM (
  SELECT occurred_at, device_id, semaphore_code, operator_id, model_id, region_id,
    lag(occurred_at, 2) OVER (PARTITION BY device_id, semaphore_code ORDER BY occurred_at, id) AS third
  FROM alarm_history
  WHERE occurred_at >= $9::timestamptz - interval '1 minute' AND occurred_at < $10
    AND operator_id = ANY($11::int[]) AND model_id = ANY($12::int[]) AND region_id = ANY($13::int[]) AND semaphore_code = ANY($14::text[])
) AS h
WHERE occurred_at >= $15 AND third >= occurred_at - interval '1 minute'
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
