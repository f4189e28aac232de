-- Written by `npm run docs:sql`.

-- plant
INSERT INTO ocpp_error_code (code, semaphore_code)
SELECT * FROM unnest($1::text[],
  $2::text[])
ON CONFLICT (vendor, code) DO NOTHING;
