-- Written by `npm run docs:sql`.

-- insertEvents
WITH added AS (
  INSERT INTO event_history (id, occurred_at, device_id, operator_id, model_id, region_id,
    semaphore_code, value, is_fault, data)
  SELECT m.id, m.occurred_at, d.id, d.operator_id, d.model_id, d.region_id,
    m.code, m.value, m.is_fault, m.data::jsonb
  FROM unnest(
    $1::int8[], $2::timestamptz[], $3::int4[], $4::text[], $5::int8[], $6::bool[], $7::text[]
  ) AS m(id, occurred_at, device_id, code, value, is_fault, data)
  JOIN device d ON d.id = m.device_id
  RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
)
INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
SELECT 2, day, operator_id, model_id, region_id, semaphore_code, count(*)
FROM added GROUP BY day, operator_id, model_id, region_id, semaphore_code;
