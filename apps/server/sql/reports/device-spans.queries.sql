-- Written by `npm run docs:sql`.

-- keepKnownFrom
INSERT INTO report_device (device_id, known_from)
    SELECT d.id, date_trunc('second', coalesce(k.known_from, (
  SELECT greatest(
    now() - 90 * interval '1 day',
    CASE WHEN c.is_online THEN c.at ELSE d.created_at END)
  FROM device_connection c WHERE c.device_id = d.id ORDER BY c.at, c.id LIMIT 1
), (
  SELECT greatest(now() - 90 * interval '1 day', d.created_at)
  FROM device_state s WHERE s.device_id = d.id AND s.online_changed_at IS NOT NULL
)))
    FROM device d LEFT JOIN report_device k ON k.device_id = d.id
    WHERE k.device_id IS NULL AND coalesce(k.known_from, (
  SELECT greatest(
    now() - 90 * interval '1 day',
    CASE WHEN c.is_online THEN c.at ELSE d.created_at END)
  FROM device_connection c WHERE c.device_id = d.id ORDER BY c.at, c.id LIMIT 1
), (
  SELECT greatest(now() - 90 * interval '1 day', d.created_at)
  FROM device_state s WHERE s.device_id = d.id AND s.online_changed_at IS NOT NULL
)) IS NOT NULL
    ON CONFLICT (device_id) DO NOTHING;

-- listEventful
-- answers id int4
SELECT device_id AS id FROM device_state WHERE NOT is_online AND online_changed_at IS NOT NULL
  UNION SELECT device_id FROM device_connection WHERE at >= $1 AND at < $2
  UNION SELECT device_id FROM alarm_history
    WHERE occurred_at >= $3 AND occurred_at < $4 AND semaphore_code IN (SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level = 1)
  UNION SELECT device_id FROM alarm_state WHERE (is_active OR recovered_at >= $5) AND semaphore_code IN (SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level = 1)
  UNION SELECT device_id FROM (
SELECT * FROM (
  SELECT t.device_id, x.at AS from_at, (
    SELECT n.at FROM upgrade_transition n
    WHERE n.target_id = t.id AND n.id > x.id AND n.to_state <> 'installing' ORDER BY n.id LIMIT 1
  ) AS to_at
  FROM upgrade_target t JOIN upgrade_transition x ON x.target_id = t.id AND x.to_state = 'installing'
  WHERE t.started_at <= $6 AND (t.changed_at >= $7 OR t.state = 'installing')
    AND true
) AS installing WHERE from_at <= $8 AND (to_at IS NULL OR to_at > $9)) AS p;

-- readAlarmSpans
-- answers deviceId int4, from float8, to float8
SELECT device_id AS "deviceId", floor(extract(epoch FROM occurred_at))::float8 AS "from", floor(extract(epoch FROM recovered_at))::float8 AS "to" FROM alarm_history
WHERE "device_id" = ANY($1::int[]) AND occurred_at < $2 AND (recovered_at IS NULL OR recovered_at > $3) AND semaphore_code IN (SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level = 1);

-- readAlarmSpans
-- answers ids _int4
SELECT (
  SELECT coalesce(array_agg(device_id), '{}') FROM report_device_day r
  WHERE r.day = y.day AND (r.down_since IS NOT NULL OR r.planned_s > 0)
) AS ids
FROM report_day y WHERE y.part = 'devices' AND y.day = $1::date - 1;

-- readAlarmSpans
-- answers deviceId int4, from float8, to float8
SELECT device_id AS "deviceId", floor(extract(epoch FROM occurred_at))::float8 AS "from", floor(extract(epoch FROM recovered_at))::float8 AS "to" FROM alarm_history
WHERE occurred_at >= $1 AND occurred_at < $2 AND "device_id" = ANY($3::int[]) AND semaphore_code IN (SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level = 1)
UNION ALL
SELECT device_id AS "deviceId", floor(extract(epoch FROM occurred_at))::float8 AS "from", floor(extract(epoch FROM recovered_at))::float8 AS "to" FROM alarm_history
WHERE true AND "device_id" = ANY($4::int[]) AND occurred_at < $5 AND (recovered_at IS NULL OR recovered_at > $6) AND semaphore_code IN (SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level = 1);

-- readOfflineSpans
-- answers deviceId int4, at float8
SELECT k.device_id AS "deviceId", floor(extract(epoch FROM last.at))::float8 AS at
FROM report_device k
CROSS JOIN LATERAL (
  SELECT c.at, c.is_online FROM device_connection c
  WHERE c.device_id = k.device_id AND c.at < $1 ORDER BY c.at DESC, c.id DESC LIMIT 1
) AS last
WHERE NOT last.is_online AND "k"."device_id" = ANY($2::int[])
UNION ALL
-- Offline for so long that its record is gone.
SELECT s.device_id, floor(extract(epoch FROM s.online_changed_at))::float8 FROM device_state s
WHERE NOT s.is_online AND s.online_changed_at < $3 AND "s"."device_id" = ANY($4::int[])
  AND NOT EXISTS (SELECT FROM device_connection c WHERE c.device_id = s.device_id AND c.at < $5);

-- readOfflineSpans
-- answers deviceId int4, at float8, isOnline bool
SELECT device_id AS "deviceId", floor(extract(epoch FROM at))::float8 AS at, is_online AS "isOnline"
FROM device_connection
WHERE at >= $1 AND at < $2::timestamptz + interval '1 second' AND "device_id" = ANY($3::int[])
ORDER BY device_id, device_connection.at, id;

-- readInstallingSpans
-- answers deviceId int4, from float8, to float8
SELECT device_id AS "deviceId", floor(extract(epoch FROM from_at))::float8 AS "from", floor(extract(epoch FROM to_at))::float8 AS "to"
  FROM (
SELECT * FROM (
  SELECT t.device_id, x.at AS from_at, (
    SELECT n.at FROM upgrade_transition n
    WHERE n.target_id = t.id AND n.id > x.id AND n.to_state <> 'installing' ORDER BY n.id LIMIT 1
  ) AS to_at
  FROM upgrade_target t JOIN upgrade_transition x ON x.target_id = t.id AND x.to_state = 'installing'
  WHERE t.started_at <= $1 AND (t.changed_at >= $2 OR t.state = 'installing')
    AND "t"."device_id" = ANY($3::int[])
) AS installing WHERE from_at <= $4 AND (to_at IS NULL OR to_at > $5)) AS p;

-- readGaps
-- answers from float8, to float8
SELECT floor(extract(epoch FROM gap_from))::float8 AS "from", floor(extract(epoch FROM gap_to))::float8 AS "to" FROM (
  SELECT to_at AS gap_from, lead(from_at) OVER (ORDER BY from_at) AS gap_to FROM report_beat
) AS gap WHERE gap_from < $1 AND gap_to > $2;

-- readSpans
-- answers id int4
SELECT device_id AS id FROM report_device WHERE "device_id" = ANY($1::int[]);

-- readBefore
-- answers deviceId int4, knownFrom float8, downSince float8
SELECT d.id AS "deviceId", floor(extract(epoch FROM coalesce(k.known_from, (
  SELECT greatest(
    now() - 90 * interval '1 day',
    CASE WHEN c.is_online THEN c.at ELSE d.created_at END)
  FROM device_connection c WHERE c.device_id = d.id ORDER BY c.at, c.id LIMIT 1
), (
  SELECT greatest(now() - 90 * interval '1 day', d.created_at)
  FROM device_state s WHERE s.device_id = d.id AND s.online_changed_at IS NOT NULL
))))::float8 AS "knownFrom", floor(extract(epoch FROM r.down_since))::float8 AS "downSince"
    FROM device d
    LEFT JOIN report_device k ON k.device_id = d.id
    LEFT JOIN report_device_day r ON r.device_id = d.id AND r.day = $1::date - 1
    WHERE d.id = ANY($2::int[]) AND coalesce(k.known_from, (
  SELECT greatest(
    now() - 90 * interval '1 day',
    CASE WHEN c.is_online THEN c.at ELSE d.created_at END)
  FROM device_connection c WHERE c.device_id = d.id ORDER BY c.at, c.id LIMIT 1
), (
  SELECT greatest(now() - 90 * interval '1 day', d.created_at)
  FROM device_state s WHERE s.device_id = d.id AND s.online_changed_at IS NOT NULL
)) IS NOT NULL;

-- readBefore
SELECT FROM report_day WHERE part = 'devices' AND day = $1::date - 1;
