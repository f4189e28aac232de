-- Written by `npm run docs:sql`.

-- readAround
-- answers kind text, id int8, semaphoreCode text, semaphoreName text, alarmLevel int2, status int4, recoveryTime timestamptz, meaning text, value int8, occurrenceTime timestamptz
SELECT h.kind, h.id, h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
    CASE h.kind WHEN 'alarm' THEN e.alarm_level END AS "alarmLevel",
    CASE h.kind WHEN 'alarm' THEN (h.recovered_at IS NULL)::int END AS status,
    h.recovered_at AS "recoveryTime",
    CASE h.kind WHEN 'alarm' THEN (
SELECT string_agg(
  CASE WHEN length(f.name) > length(e.name) AND right(f.name, length(e.name)) = e.name
    THEN left(f.name, -length(e.name))
      || CASE WHEN left(f.name, -length(e.name)) LIKE '%号' THEN coalesce(substring(e.name FROM '^(?:充电)?(仓|模块|风扇|风机)'), '') ELSE '' END
    ELSE f.name END,
  '、' ORDER BY f.bit_position)
FROM semaphore_definition f
WHERE f.entry_id = e.id AND f.equip_classify = t.classify AND CASE e.analysis_type
  WHEN 'BIT' THEN f.bit_position < 63 AND (h.value >> least(f.bit_position, 62)::int) & 1 = 1
  WHEN 'VALUE' THEN f.bit_position = h.value
END) ELSE h.value || e.unit END AS meaning,
    h.value, h.occurred_at AS "occurrenceTime"
  FROM ((
    SELECT * FROM ((
  SELECT 'alarm'::text AS kind, h.id, h.semaphore_code, h.value, h.occurred_at,
    h.recovered_at AS recovered_at
  FROM "alarm_history" h WHERE h.device_id = $1 AND h.occurred_at <= $2 AND h.occurred_at > $3::timestamptz - interval '1 day'
  ORDER BY h.occurred_at DESC, h.id DESC LIMIT $4
) UNION ALL (
  SELECT 'event'::text AS kind, h.id, h.semaphore_code, h.value, h.occurred_at,
    NULL::timestamptz AS recovered_at
  FROM "event_history" h WHERE h.device_id = $5 AND h.occurred_at <= $6 AND h.occurred_at > $7::timestamptz - interval '1 day'
  ORDER BY h.occurred_at DESC, h.id DESC LIMIT $8
)) AS near ORDER BY occurred_at DESC, id DESC LIMIT $9
  ) UNION ALL (
    SELECT * FROM ((
  SELECT 'alarm'::text AS kind, h.id, h.semaphore_code, h.value, h.occurred_at,
    h.recovered_at AS recovered_at
  FROM "alarm_history" h WHERE h.device_id = $10 AND h.occurred_at > $11 AND h.occurred_at < $12::timestamptz + interval '1 day'
  ORDER BY h.occurred_at ASC, h.id ASC LIMIT $13
) UNION ALL (
  SELECT 'event'::text AS kind, h.id, h.semaphore_code, h.value, h.occurred_at,
    NULL::timestamptz AS recovered_at
  FROM "event_history" h WHERE h.device_id = $14 AND h.occurred_at > $15 AND h.occurred_at < $16::timestamptz + interval '1 day'
  ORDER BY h.occurred_at ASC, h.id ASC LIMIT $17
)) AS near ORDER BY occurred_at ASC, id ASC LIMIT $18
  )) AS h
  JOIN device d ON d.id = $19
  JOIN equip_model m ON m.id = d.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  LEFT JOIN dictionary_entry e ON e.code = h.semaphore_code AND e.type = upper(h.kind)
  ORDER BY h.occurred_at DESC, h.id DESC;
