-- Written by `npm run docs:sql`.

-- findDevicesByCode
-- answers id int4, code text, protocolIdentity text, modelId int4, secretHash bytea, nextSecretHash bytea, protocol text
SELECT d.id, d.code, d.protocol_identity AS "protocolIdentity", d.model_id AS "modelId",
d.secret_hash AS "secretHash", k.secret_hash AS "nextSecretHash", d.protocol FROM device d LEFT JOIN ocpp_key_change k ON k.id = d.id AND k.former_hash = d.secret_hash
AND k.done_at IS NULL AND k.failure IS NULL AND d.protocol = 'ocpp16' WHERE d.code = ANY($1::text[])
UNION
SELECT d.id, d.code, d.protocol_identity AS "protocolIdentity", d.model_id AS "modelId",
d.secret_hash AS "secretHash", k.secret_hash AS "nextSecretHash", d.protocol FROM device d LEFT JOIN ocpp_key_change k ON k.id = d.id AND k.former_hash = d.secret_hash
AND k.done_at IS NULL AND k.failure IS NULL AND d.protocol = 'ocpp16' WHERE d.protocol_identity = ANY($2::text[]);

-- listSilent
-- answers id int4
SELECT d.id FROM device d JOIN device_state s ON s.device_id = d.id
WHERE d.protocol = 'mqtt' AND d.model_id IN (SELECT model_id FROM mapping_model) AND s.is_online
  AND greatest(s.last_report_at, s.online_changed_at) < $1;

-- readStandingAlarms
-- answers code text, isOpen bool
SELECT semaphore_code AS code, is_active AS "isOpen" FROM alarm_state
WHERE device_id = $1 ORDER BY is_active DESC LIMIT $2;

-- readDefinedCodes
-- answers code text
SELECT DISTINCT code FROM dictionary_entry WHERE type IN ('ALARM', 'EVENT');

-- insertRefusals
-- answers id int8
INSERT INTO intake_refusal
  (device_code, device_id, reason, topic, detail, payload, address, count, first_at, last_at)
SELECT device_code, device_id, reason, topic, detail, payload, address, count, first_at, last_at
FROM unnest(
  $1::text[],
  $2::int4[],
  $3::text[],
  $4::text[],
  $5::text[],
  $6::text[],
  $7::text[],
  $8::int8[],
  $9::timestamptz[],
  $10::timestamptz[]
) WITH ORDINALITY AS m(device_code, device_id, reason, topic, detail, payload, address, count,
  first_at, last_at, n)
ORDER BY n
RETURNING id;

-- countRefusals
UPDATE intake_refusal r SET count = r.count + m.count, last_at = m.last_at
FROM unnest(
  $1::int8[],
  $2::int8[],
  $3::timestamptz[]
) AS m(id, count, last_at)
WHERE r.id = m.id;

-- trimRefusals
DELETE FROM intake_refusal
WHERE last_at < $1 OR id <= (SELECT max(id) FROM intake_refusal) - $2::int8;

-- listRefusals
-- answers id int8, code text, equipId int4, operatorName text null, reason text, topic text null, detail text null, payload text null, address text null, count float8, firstTime timestamptz, lastTime timestamptz
SELECT r.id, r.device_code AS code, d.id AS "equipId", o.name AS "operatorName", r.reason, r.topic,
  r.detail, r.payload, r.address, r.count::float8 AS count, r.first_at AS "firstTime", r.last_at AS "lastTime"
FROM intake_refusal r
LEFT JOIN device d ON d.id = r.device_id
LEFT JOIN operator o ON o.id = d.operator_id
WHERE (
  (d.id IS NOT NULL AND ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[])))
  OR (d.id IS NULL AND r.device_id IS NOT NULL AND $4::boolean)
  OR (r.device_id IS NULL AND $5::boolean AND NOT EXISTS (
    SELECT FROM device n WHERE (n.code = r.device_code OR n.protocol_identity = r.device_code)
      AND NOT ("n"."operator_id" = ANY($6::int[]) AND "n"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "n"."region_id" = ANY($8::int[]))))
)
AND ($9::text[] IS NULL
  OR regexp_replace(r.device_code, '[^A-Za-z0-9]', '', 'g') = ANY($10::text[]))
AND ($11::text IS NULL OR r.reason = $12)
AND ($13::timestamptz IS NULL OR r.last_at >= $14)
AND ($15::timestamptz IS NULL OR r.last_at < $16)
ORDER BY r.last_at DESC, r.id DESC LIMIT $17 OFFSET $18;

-- listRefusals
-- answers total int4
SELECT count(*)::int4 AS total
FROM intake_refusal r
LEFT JOIN device d ON d.id = r.device_id
LEFT JOIN operator o ON o.id = d.operator_id
WHERE (
  (d.id IS NOT NULL AND ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[])))
  OR (d.id IS NULL AND r.device_id IS NOT NULL AND $4::boolean)
  OR (r.device_id IS NULL AND $5::boolean AND NOT EXISTS (
    SELECT FROM device n WHERE (n.code = r.device_code OR n.protocol_identity = r.device_code)
      AND NOT ("n"."operator_id" = ANY($6::int[]) AND "n"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "n"."region_id" = ANY($8::int[]))))
)
AND ($9::text[] IS NULL
  OR regexp_replace(r.device_code, '[^A-Za-z0-9]', '', 'g') = ANY($10::text[]))
AND ($11::text IS NULL OR r.reason = $12)
AND ($13::timestamptz IS NULL OR r.last_at >= $14)
AND ($15::timestamptz IS NULL OR r.last_at < $16);

-- isUnrestrictedAtRoot
SELECT FROM organization WHERE id = $1 AND parent_id IS NULL AND NOT EXISTS (
SELECT FROM user_authority WHERE user_id = ANY($2::int[])
  AND ($3::text IS NULL OR authority_type = $4));
