-- Written by `npm run docs:sql`.

-- plant
-- answers setval int8
SELECT setval(pg_get_serial_sequence('organization', 'id'), (SELECT max(id) FROM organization));
