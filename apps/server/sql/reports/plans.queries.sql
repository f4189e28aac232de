-- Written by `npm run docs:sql`.

-- readKeptReach
-- answers shelfId int4, deviceIds _int4
SELECT shelf_id AS "shelfId", device_ids AS "deviceIds" FROM report_plan
WHERE day = $1::date AND shelf_id = ANY($2::int[]);

-- keepReach
INSERT INTO report_plan (day, shelf_id, device_ids)
VALUES ($1::date, $2, $3::int[]);
