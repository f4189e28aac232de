-- Written by `npm run docs:sql`.

-- insertReports
INSERT INTO reading_open (device_id, arrived_at, at, body)
SELECT m.device_id, now(), m.at, m.body
FROM unnest($1::int4[], $2::timestamptz[], $3::bytea[]) AS m(device_id, at, body);
