-- Written by `npm run docs:sql`.

-- keepMessages
INSERT INTO mapping_message (device_id, topic, pattern, payload, outcome, detail, received_at)
SELECT m.* FROM unnest(
  $1::int4[],
  $2::text[],
  $3::text[],
  $4::bytea[],
  $5::text[],
  $6::text[],
  $7::timestamptz[]
) AS m(device_id, topic, pattern, payload, outcome, detail, received_at)
JOIN device d ON d.id = m.device_id;

-- keepMessages
DELETE FROM mapping_message WHERE id IN (
  SELECT id FROM (
    SELECT s.id,
      row_number() OVER (PARTITION BY s.device_id ORDER BY s.id DESC) AS of_device,
      row_number() OVER (PARTITION BY d.model_id, d.operator_id, s.pattern, s.outcome ORDER BY s.id DESC) AS of_pattern,
      row_number() OVER (PARTITION BY d.model_id, d.operator_id ORDER BY s.id DESC) AS of_operator
    FROM mapping_message s JOIN device d ON d.id = s.device_id
    WHERE (d.model_id, d.operator_id) IN (
      SELECT model_id, operator_id FROM device WHERE id = ANY($1::int4[]))
  ) r WHERE of_device > $2::int OR of_pattern > $3::int OR of_operator > $4::int
);

-- listMessages
-- answers id int8, equipId int4, equipCode text, protocolIdentity text null, equipModelName text, operatorName text, topic text, payload bytea, outcome text, detail text null, receiveTime timestamptz
SELECT s.id, d.id AS "equipId", d.code AS "equipCode", d.protocol_identity AS "protocolIdentity",
    m.name AS "equipModelName", o.name AS "operatorName", s.topic, s.payload, s.outcome, s.detail,
    s.received_at AS "receiveTime"
FROM mapping_message s
JOIN device d ON d.id = s.device_id
JOIN mapping_model mm ON mm.model_id = d.model_id
JOIN equip_model m ON m.id = d.model_id
JOIN operator o ON o.id = d.operator_id
WHERE mm.mapping_id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
  AND ($5::text IS NULL OR s.outcome = $6)
  AND ($7::text[] IS NULL OR upper(d.code) = ANY($8::text[]))
  ORDER BY s.id DESC LIMIT $9 OFFSET $10;

-- forgetMessages
DELETE FROM mapping_message s WHERE s.received_at < $1
OR NOT EXISTS (
  SELECT FROM device d JOIN mapping_model mm ON mm.model_id = d.model_id WHERE d.id = s.device_id
);
