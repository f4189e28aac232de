-- Written by `npm run docs:sql`.

-- listMarks
-- answers type text, id text, name text, startTime timestamptz, endTime timestamptz
SELECT * FROM ((SELECT $1::text, m.* FROM (
SELECT h.id::text, coalesce((SELECT e.name FROM dictionary_entry e WHERE e.type = 'ALARM' AND e.code = h.semaphore_code),
  h.semaphore_code), h.occurred_at, h.recovered_at
FROM alarm_history h
WHERE h.device_id = $2 AND h.occurred_at < $3
  AND h.occurred_at >= $4::timestamptz - 90 * interval '1 day'
  AND (h.recovered_at IS NULL OR h.recovered_at >= $5)
ORDER BY h.occurred_at DESC LIMIT $6) AS m) UNION ALL (SELECT $7::text, m.* FROM (
SELECT h.id::text, concat_ws(' ', coalesce((SELECT p.name FROM part_type p WHERE p.code = h.part_type), h.part_type),
  (SELECT k.major || '.' || k.minor FROM software_package k WHERE k.id = h.package_id)), h.started_at,
  CASE WHEN h.state IN ('waiting', 'sent', 'downloading', 'installing') THEN NULL ELSE h.changed_at END
FROM upgrade_target h
WHERE h.device_id = $8 AND h.started_at < $9 AND h.changed_at >= $10
ORDER BY h.started_at DESC LIMIT $11) AS m) UNION ALL (SELECT $12::text, m.* FROM (
SELECT h.id::text, h.topic, h.created_at, h.finished_at
FROM device_command h
WHERE h.device_id = $13 AND h.created_at >= $14 AND h.created_at < $15
ORDER BY h.created_at DESC LIMIT $16) AS m) UNION ALL (SELECT $17::text, m.* FROM (
SELECT h.id::text, '', h.at,
  (SELECT n.at FROM device_connection n WHERE n.device_id = $18 AND n.at >= h.at AND n.is_online
   ORDER BY n.at, n.id LIMIT 1)
FROM device_connection h
WHERE h.device_id = $19 AND NOT h.is_online AND h.at < $20
  AND h.at >= coalesce(
    (SELECT max(b.at) FROM device_connection b WHERE b.device_id = $21 AND b.at <= $22), $23)
ORDER BY h.at DESC LIMIT $24) AS m)) AS t (type, id, name, "startTime", "endTime")
WHERE "endTime" IS NULL OR "endTime" >= $25
ORDER BY "startTime", type, id;
