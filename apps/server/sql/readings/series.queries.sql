-- Written by `npm run docs:sql`.

-- readOpen
DECLARE piece NO SCROLL CURSOR FOR
SELECT at, body FROM reading_open
WHERE device_id = $1 AND at >= $2 AND at < $3 AND arrived_at < $4
ORDER BY arrived_at, ctid;

-- readHours
-- answers hour int4, block bytea
SELECT hour, block FROM reading_hour WHERE device_id = $1 AND hour >= $2 AND hour < $3 ORDER BY hour;

-- eachHours
DECLARE piece NO SCROLL CURSOR FOR
SELECT hour, block FROM reading_hour WHERE device_id = $1 AND hour >= $2 AND hour < $3 ORDER BY hour;

-- readSomeHours
-- answers hour int4, block bytea
SELECT hour, block FROM reading_hour WHERE device_id = $1 AND hour = ANY($2::int4[]);

-- readDays
-- answers of text, block bytea
SELECT day::text AS of, block FROM reading_day WHERE device_id = $1 AND day >= $2 AND day <= $3 ORDER BY day;

-- readMonths
-- answers of text, block bytea
SELECT month::text AS of, block FROM reading_month
WHERE device_id = $1 AND month >= $2 AND month <= $3 ORDER BY month;
