-- Written by `npm run docs:sql`.

-- lockModelsShared
SELECT FROM equip_model ORDER BY id FOR KEY SHARE;

-- insertDevices
-- answers ids _int4
WITH inserted AS (
  INSERT INTO device (code, name, operator_id, model_id, region_id, address, business_status, secret_hash)
  SELECT code, name, operator_id, model_id, region_id, address, business_status, secret_hash
  FROM unnest(
    $1::text[],
    $2::text[],
    $3::int[],
    $4::int[],
    $5::int[],
    $6::text[],
    $7::int[],
    $8::bytea[]
  ) WITH ORDINALITY AS
    t (code, name, operator_id, model_id, region_id, address, business_status, secret_hash, place)
  ORDER BY place
  ON CONFLICT (code) DO NOTHING
  RETURNING id
), states AS (
  INSERT INTO device_state (device_id) SELECT id FROM inserted RETURNING device_id
)
SELECT ARRAY(SELECT device_id FROM states) AS ids;
