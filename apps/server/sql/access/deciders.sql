-- Written by `npm run docs:sql`.

-- listDisabled
-- answers id int4
SELECT id FROM app_user WHERE id = ANY($1::int[]) AND NOT is_enabled;
