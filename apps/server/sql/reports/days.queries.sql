-- Written by `npm run docs:sql`.

-- readOldestAlarm
-- answers at timestamptz
SELECT min(occurred_at) AS at FROM alarm_history;

-- readOldestDevice
-- answers at timestamptz
SELECT min(known_from) AS at FROM report_device;

-- listMissing
-- answers day text
SELECT day::date::text AS day
FROM generate_series($1::date, $2::date - 1, interval '1 day') AS day
WHERE day::date NOT IN (SELECT d.day FROM report_day d WHERE d.part = $3 AND d.zone = $4)
ORDER BY day;

-- listUnsummed
-- answers day text
SELECT d.day::text AS day FROM report_day d
WHERE d.part = 'devices' AND d.zone = $1 AND NOT EXISTS (
  SELECT FROM report_day g WHERE g.part = 'groups' AND g.day = d.day AND g.zone = $2)
ORDER BY d.day DESC;

-- markKept
INSERT INTO report_day (part, day, zone) VALUES ($1, $2::date, $3)
ON CONFLICT (part, day) DO UPDATE SET zone = excluded.zone;

-- takeTouchedDevices
DELETE FROM report_touched WHERE device_id IS NOT NULL;

-- takeTouchedUpTo
DELETE FROM report_touched
WHERE device_id IS NOT NULL AND least(to_at, now() - interval '1 day')::date <= $1::date;

-- takeTouchedUpTo
UPDATE report_touched SET from_at = $1::date + 1
WHERE device_id IS NOT NULL AND from_at < $2::date + 1;

-- takeTouchedUpTo
INSERT INTO report_touched (device_id, from_at, to_at)
SELECT device_id, day + 1, day + 1 FROM report_device_day
WHERE day = $1::date AND device_id = ANY($2::int[]) AND down_since IS NOT NULL
  AND day + 1 < now()::date;

-- takeTouchedDay
WITH taken AS (
  DELETE FROM report_touched WHERE device_id IS NULL AND from_at::date = $1::date RETURNING 1
)
INSERT INTO report_touched (device_id, from_at, to_at)
SELECT device_id, day + 1, day + 1 FROM report_device_day
WHERE day = $2::date AND down_since IS NOT NULL AND EXISTS (SELECT FROM taken);

-- beat
WITH extended AS (
  UPDATE report_beat SET to_at = now()
  WHERE from_at = (SELECT max(from_at) FROM report_beat)
    AND to_at >= now() - $1 * interval '1 second'
  RETURNING 1
)
INSERT INTO report_beat (from_at, to_at)
SELECT now(), now() WHERE NOT EXISTS (SELECT FROM extended)
ON CONFLICT (from_at) DO NOTHING;

-- deleteDays
DELETE FROM report_window WHERE day < $1::date;

-- deleteDays
DELETE FROM report_chattering WHERE day < $1::date;

-- deleteDays
DELETE FROM report_device_day WHERE day < $1::date;

-- deleteDays
DELETE FROM report_place_day WHERE day < $1::date;

-- deleteDays
DELETE FROM report_device_month WHERE month < date_trunc('month', $1::date);

-- deleteDays
DELETE FROM report_device_alarms WHERE month < date_trunc('month', $1::date);

-- deleteDays
DELETE FROM report_day WHERE day < $1::date;

-- deleteDays
DELETE FROM report_plan WHERE day < $1::date;

-- deleteDays
DELETE FROM report_touched WHERE device_id IS NULL AND from_at < $1;

-- deleteDays
DELETE FROM report_beat WHERE to_at < $1;
