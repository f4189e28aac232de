-- Written by `npm run docs:sql`.

-- findRegistered
-- answers code text
SELECT code FROM device WHERE code = ANY($1::text[]);

-- insertDevices
WITH district AS (
  -- A city without districts (Dongguan, say) is its own.
  SELECT c.code AS city_code, r.id,
    row_number() OVER (PARTITION BY c.code ORDER BY r.code) - 1 AS place,
    count(*) OVER (PARTITION BY c.code) AS places
  FROM region c
  JOIN region r ON r.parent_id = c.id
    OR r.id = c.id AND NOT EXISTS (SELECT FROM region below WHERE below.parent_id = c.id)
  WHERE c.code = ANY($1::text[])
), planted AS (
  INSERT INTO device (code, name, operator_id, model_id, region_id, address, business_status, secret_hash)
  SELECT d.code, d.name, p.id, m.id, district.id, d.address, d.business_status, decode(d.secret_hash, 'hex')
  FROM unnest(
    $2::text[], $3::text[], $4::text[],
    $5::text[], $6::text[], $7::int[],
    $8::text[], $9::int[],
    $10::text[]
  ) WITH ORDINALITY AS d(
    code, name, operator_code, model_code, city_code, district_number, address, business_status,
    secret_hash, number)
  JOIN operator p ON p.code = d.operator_code
  JOIN equip_model m ON m.code = d.model_code
  JOIN district ON district.city_code = d.city_code AND district.place = d.district_number % district.places
  ORDER BY d.number
  ON CONFLICT (code) DO NOTHING
  RETURNING id
)
INSERT INTO device_state (device_id) SELECT id FROM planted;

-- renewSecrets
UPDATE device d SET secret_hash = decode(renewed.secret_hash, 'hex'), updated_at = now()
FROM unnest($1::text[], $2::text[]) AS renewed(code, secret_hash)
WHERE d.code = renewed.code;

-- readModels
-- answers code text, typeCode text, classify text, compartments int2 null, partTypes _text
SELECT m.code, t.code AS "typeCode", t.classify, m.compartment_count AS compartments, ARRAY(
  SELECT p.code FROM equip_type_part tp JOIN part_type p ON p.code = tp.part_type
  WHERE tp.equip_type_id = t.id ORDER BY p.order_num
) AS "partTypes"
FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id;
