-- Written by `npm run docs:sql`.

-- readRules
-- answers id int4, attempts int2, intervalMs int4, isStopping bool
SELECT b.id, b.max_attempts AS attempts, b.interval_minutes * 60000 AS "intervalMs",
  b.state NOT IN ('running', 'paused') AS "isStopping"
FROM parameter_batch b WHERE b.id = ANY($1::int[]);

-- readOrders
-- answers id int8, batchId int4, wanted jsonb null, isVerified bool
SELECT t.id, t.batch_id AS "batchId", t.wanted, t.state IN ('held', 'waiting', 'sent', 'confirming') AND (
NOT EXISTS (
  SELECT FROM jsonb_each_text(coalesce(t.wanted, b.wanted)) w
  LEFT JOIN device_parameter p ON p.device_id = t.device_id AND p.parameter_id = w.key
  WHERE (p.value = w.value OR CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) IS NOT TRUE)) AS "isVerified"
  FROM parameter_target t JOIN parameter_batch b ON b.id = t.batch_id
  WHERE t.id = ANY($1::int8[]);

-- readBatches
-- answers id int4, isRunning bool, endsAt timestamptz, wanted jsonb, kind text, createdBy int4, createdByName text, approvedBy int4 null, approvedByName text null, continuedBy int4 null
SELECT b.id, b.state IN ('running', 'paused') AS "isRunning", b.ends_at AS "endsAt", b.wanted, b.kind,
  b.created_by AS "createdBy", b.created_by_name AS "createdByName",
  b.approved_by AS "approvedBy", b.approved_by_name AS "approvedByName", b.continued_by AS "continuedBy"
FROM parameter_batch b WHERE b.id = ANY($1::int[]);

-- readMismatches
-- answers id int8, reported jsonb
SELECT t.id, jsonb_agg(jsonb_build_object('id', w.key, 'value', w.value, 'reported', p.value) ORDER BY w.key) AS reported
FROM parameter_target t
JOIN parameter_batch b ON b.id = t.batch_id
JOIN parameter_attempt a ON a.target_id = t.id AND a.command_id = t.command_id
CROSS JOIN LATERAL jsonb_each_text(coalesce(t.wanted, b.wanted)) w
JOIN device_parameter p ON p.device_id = t.device_id AND p.parameter_id = w.key
LEFT JOIN device_state s ON s.device_id = t.device_id
WHERE t.id = ANY($1::int8[]) AND t.state = 'confirming'
  AND (p.value = w.value OR CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) IS NOT TRUE
  AND p.reported_at >= a.sent_at + least(coalesce(s.clock_offset_ms, 0), 0) * interval '1 ms'
GROUP BY t.id;
