-- Written by `npm run docs:sql`.

-- listOpenHours
-- answers name name
SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'reading_open'::regclass AND NOT i.inhdetachpending ORDER BY c.relname;

-- readDatabaseTime
-- answers now timestamptz
SELECT now();

-- listEndedHours
-- answers hour timestamptz
SELECT arrived_hour AS hour FROM reading_sealing WHERE ended_at IS NOT NULL;

-- beginSealing
INSERT INTO reading_sealing (arrived_hour) VALUES ($1) ON CONFLICT DO NOTHING;

-- lockProgress
-- answers after int4
SELECT after_device_id AS after FROM reading_sealing WHERE arrived_hour = $1 AND ended_at IS NULL FOR UPDATE;

-- readReceived
-- answers device_id int4, at timestamptz, body bytea
SELECT device_id, at, body FROM reading_open
WHERE arrived_at >= $1 AND arrived_at < $2 AND device_id > $3
ORDER BY device_id, ctid LIMIT $4;

-- walkReceived
DECLARE piece NO SCROLL CURSOR FOR
SELECT device_id, at, body FROM reading_open
WHERE arrived_at >= $1 AND arrived_at < $2 AND device_id = $3
ORDER BY floor(extract(epoch FROM at) / 3600), ctid;

-- advanceSealing
UPDATE reading_sealing SET after_device_id = $2, report_count = report_count + $3,
  expired_count = expired_count + $4
WHERE arrived_hour = $1;

-- readHourSizes
-- answers bytes int4
SELECT coalesce(octet_length(h.block), 0) AS bytes
FROM unnest($1::int4[], $2::int4[]) WITH ORDINALITY AS m(device_id, hour, place)
LEFT JOIN reading_hour h ON h.device_id = m.device_id AND h.hour = m.hour
ORDER BY m.place;

-- readHourBlocks
-- answers device_id int4, hour int4, block bytea
SELECT h.device_id, h.hour, h.block
FROM unnest($1::int4[], $2::int4[]) AS m(device_id, hour)
JOIN reading_hour h ON h.device_id = m.device_id AND h.hour = m.hour;

-- writeHourBlocks
INSERT INTO reading_hour (device_id, hour, block)
SELECT m.device_id, m.hour, m.block
FROM unnest($1::int4[], $2::int4[], $3::bytea[]) AS m(device_id, hour, block)
ON CONFLICT (device_id, hour) DO UPDATE SET block = excluded.block;

-- endSealing
BEGIN; SET LOCAL lock_timeout = 1000;

-- endSealing
-- not shown: defines what has its name, or its whole text, at run time only

-- endSealing
-- not shown: defines what has its name, or its whole text, at run time only

-- endSealing
-- not shown: defines what has its name, or its whole text, at run time only

-- endSealing
UPDATE reading_sealing SET ended_at = now() WHERE arrived_hour = $1;

-- endSealing
UPDATE reading_sealing SET after_device_id = 0, report_count = 0 WHERE arrived_hour = $1;

-- endSealing
COMMIT;

-- endSealing
ROLLBACK;

-- readSealedTo
-- answers isEmpty bool
SELECT NOT EXISTS (SELECT FROM reading_open WHERE arrived_at >= $1 AND arrived_at < $2) AS "isEmpty";

-- readSealedTo
UPDATE reading_sealing SET ended_at = NULL, after_device_id = 0, report_count = 0 WHERE arrived_hour = $1;

-- forgetSealing
DELETE FROM reading_sealing WHERE ended_at IS NOT NULL AND NOT arrived_hour = ANY($1);

-- readLatestRollup
-- answers of text, after int4, isEnded bool
SELECT of::text AS of, after_device_id AS after, ended_at IS NOT NULL AS "isEnded"
FROM reading_rollup WHERE kind = $1 ORDER BY of DESC LIMIT 1;

-- readFirstHour
-- answers first int4
SELECT min(hour) AS first FROM reading_hour;

-- readFirstDay
-- answers first text
SELECT min(day)::text AS first FROM reading_day;

-- beginRollup
INSERT INTO reading_rollup (kind, of) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- lockRollup
-- answers after int4
SELECT after_device_id AS after FROM reading_rollup WHERE kind = $1 AND of = $2 AND ended_at IS NULL FOR UPDATE;

-- advanceRollup
UPDATE reading_rollup SET after_device_id = $3, ended_at = CASE WHEN $4 THEN now() END
WHERE kind = $1 AND of = $2;

-- markHoursGone
UPDATE reading_rollup SET hours_gone = true
WHERE kind = 'day' AND NOT hours_gone AND of::timestamptz < (
  SELECT max(p.ends) FROM (
    SELECT (to_date(right(c.relname, 10), 'YYYY_MM_DD') + 1)::timestamp AT TIME ZONE 'UTC' AS ends
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'reading_hour'::regclass) p
  WHERE p.ends <= $1);

-- readHoursGone
-- answers of text
SELECT max(of)::text AS of FROM reading_rollup WHERE kind = 'day' AND hours_gone AND of < $1::date;

-- walkHoursBetween
DECLARE piece NO SCROLL CURSOR FOR
SELECT device_id, hour, block FROM reading_hour
WHERE hour >= $1 AND hour < $2 AND ($3::int4[] IS NULL OR device_id = ANY($3::int4[])) AND device_id > $4
ORDER BY device_id, hour LIMIT $5;

-- walkDaysBetween
DECLARE piece NO SCROLL CURSOR FOR
SELECT device_id, day::text AS of, block FROM reading_day
WHERE day >= $1::date AND day < $2::date AND ($3::int4[] IS NULL OR device_id = ANY($3::int4[]))
  AND device_id > $4
ORDER BY device_id, day LIMIT $5;

-- writeStatistics
INSERT INTO reading_day (device_id, day, block)
SELECT m.device_id, m.day::date, m.block
FROM unnest($1::int4[], $2::text[], $3::bytea[]) AS m(device_id, day, block)
ON CONFLICT (device_id, day) DO UPDATE SET block = excluded.block;
