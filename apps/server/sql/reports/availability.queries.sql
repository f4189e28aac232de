-- Written by `npm run docs:sql`.

-- listKeptDays
-- answers day text, isTouched bool
SELECT day::text AS day, day IN (SELECT w.from_at::date FROM report_touched w WHERE w.device_id IS NULL) AS "isTouched" FROM report_day
WHERE part = 'devices' AND zone = $1 AND day >= $2::date AND day <= $3::date;

-- listDevicesWithin
-- answers id int4
SELECT device_id AS id FROM (SELECT id AS device_id FROM device) AS one WHERE device_id IN (SELECT id FROM device WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]));

-- sumTimes
-- not shown: read as grouped by alarm code, which only the other report can be

-- readLengths
-- not shown: read as grouped by alarm code, which only the other report can be

-- readLengthsOfDevices
-- answers key text, sign int4, packed bytea
SELECT device_id::text AS key, sign, string_agg(int4send(seconds), ''::bytea) AS packed
  FROM (
    SELECT * FROM (
SELECT 1 AS sign, r.device_id, r.down_s, r.planned_s, r.unknown_s, r.failures, r.recovered_s, d.operator_id, d.model_id, d.region_id
FROM report_device_day r JOIN device d ON d.id = r.device_id WHERE r.day = ANY($1::date[]) UNION ALL
SELECT -1 AS sign, r.device_id, r.down_s, r.planned_s, r.unknown_s, r.failures, r.recovered_s, d.operator_id, d.model_id, d.region_id
FROM unnest($2::date[],
  $3::int[]) AS t (day, device_id)
-- By its key, whatever their number is taken to be.
CROSS JOIN LATERAL (
  SELECT * FROM report_device_day k WHERE k.day = t.day AND k.device_id = t.device_id OFFSET 0
) AS r
JOIN device d ON d.id = r.device_id
UNION ALL
SELECT 1, r.device_id, r.down_s, r.planned_s, r.unknown_s, r.failures, r.recovered_s, d.operator_id, d.model_id, d.region_id
FROM (
SELECT u.device_id, u.down_s, u.planned_s, u.unknown_s, u.failures, u.recovered::int[] AS recovered_s,
  to_timestamp(u.since) AS down_since
FROM unnest(
  $4::int[], $5::int[],
  $6::int[], $7::int[],
  $8::int[],
  $9::text[],
  $10::float8[]
) AS u (device_id, down_s, planned_s, unknown_s, failures, recovered, since)) AS r JOIN device d ON d.id = r.device_id
    ) AS own WHERE device_id = ANY($11::int[])
  ) AS part
  CROSS JOIN LATERAL unnest(recovered_s) AS seconds GROUP BY device_id, sign;

-- readAcknowledgements
-- not shown: read as grouped by alarm code, which only the other report can be
