-- Written by `npm run docs:sql`.

-- lockModelsShared
SELECT FROM equip_model ORDER BY id FOR KEY SHARE;

-- listTakenCodes
-- answers name text
SELECT d.code AS name FROM device d WHERE d.code = ANY($1::text[]) AND true
UNION
SELECT d.protocol_identity FROM device d WHERE d.protocol_identity = ANY($2::text[]) AND true;

-- insertDevices
-- answers ids _int4
WITH inserted AS (
  INSERT INTO device (code, name, operator_id, model_id, region_id, address, business_status, protocol,
    secret_hash, secret_by)
  SELECT code, name, operator_id, model_id, region_id, address, business_status, protocol, secret_hash, $1::int
  FROM unnest(
    $2::text[],
    $3::text[],
    $4::int[],
    $5::int[],
    $6::int[],
    $7::text[],
    $8::int[],
    $9::text[],
    $10::bytea[]
  ) WITH ORDINALITY AS
    t (code, name, operator_id, model_id, region_id, address, business_status, protocol, secret_hash, place)
  ORDER BY place
  ON CONFLICT (code) DO NOTHING
  RETURNING id
), states AS (
  INSERT INTO device_state (device_id) SELECT id FROM inserted RETURNING device_id
)
SELECT ARRAY(SELECT device_id FROM states) AS ids;
