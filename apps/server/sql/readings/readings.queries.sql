-- Written by `npm run docs:sql`.

-- readNewestReport
-- answers status jsonb null, compartments jsonb null, reportTime timestamptz null, count int2 null, columns int2 null
SELECT s.status, s.compartments, s.status_at AS "reportTime", m.compartment_count AS count,
  m.compartment_columns AS columns
FROM device d
JOIN equip_model m ON m.id = d.model_id
LEFT JOIN device_state s ON s.device_id = d.id
WHERE d.id = $1;
