-- Written by `npm run docs:sql`.

-- listDefinitions
-- answers id int4, equipTypeId int4, equipTypeName text, key text, name text, unit text null, decimals int2 null, plausibleMin float8 null, plausibleMax float8 null, normalMin float8 null, normalMax float8 null, group text null, keepsHistory bool, deadband float8, longestSeconds int4, orderNum int4, version int4
SELECT
r.id, r.equip_type_id AS "equipTypeId", t.name AS "equipTypeName", r.key, r.name, r.unit, r.decimals,
r.plausible_min AS "plausibleMin", r.plausible_max AS "plausibleMax", r.normal_min AS "normalMin",
r.normal_max AS "normalMax", r.group_name AS "group", r.keeps_history AS "keepsHistory", r.deadband,
r.longest_seconds AS "longestSeconds", r.order_num AS "orderNum", r.version FROM reading_definition r JOIN equip_type t ON t.id = r.equip_type_id WHERE true AND r.equip_type_id = $1 AND r.id = $2 AND (r.key ILIKE $3 OR r.name ILIKE $4)
  ORDER BY t.order_num, t.id, r.order_num, r.id LIMIT $5 OFFSET $6;

-- listDefinitionsOfDevice
-- answers id int4, equipTypeId int4, equipTypeName text, key text, name text, unit text null, decimals int2 null, plausibleMin float8 null, plausibleMax float8 null, normalMin float8 null, normalMax float8 null, group text null, keepsHistory bool, deadband float8, longestSeconds int4, orderNum int4, version int4
SELECT
r.id, r.equip_type_id AS "equipTypeId", t.name AS "equipTypeName", r.key, r.name, r.unit, r.decimals,
r.plausible_min AS "plausibleMin", r.plausible_max AS "plausibleMax", r.normal_min AS "normalMin",
r.normal_max AS "normalMax", r.group_name AS "group", r.keeps_history AS "keepsHistory", r.deadband,
r.longest_seconds AS "longestSeconds", r.order_num AS "orderNum", r.version FROM reading_definition r JOIN equip_type t ON t.id = r.equip_type_id
  WHERE r.equip_type_id = (
    SELECT m.equip_type_id FROM device d JOIN equip_model m ON m.id = d.model_id WHERE d.id = $1
  )
  ORDER BY r.order_num, r.id;

-- listRules
-- answers equipTypeId int4, key text, keepsHistory bool, deadband float8, longestSeconds int4, plausibleMin float8 null, plausibleMax float8 null
SELECT equip_type_id AS "equipTypeId", key, keeps_history AS "keepsHistory", deadband,
  longest_seconds AS "longestSeconds", plausible_min AS "plausibleMin", plausible_max AS "plausibleMax"
FROM reading_definition;

-- lockDefinition
-- answers id int4, equipTypeId int4, equipTypeName text, key text, name text, unit text null, decimals int2 null, plausibleMin float8 null, plausibleMax float8 null, normalMin float8 null, normalMax float8 null, group text null, keepsHistory bool, deadband float8, longestSeconds int4, orderNum int4, version int4
SELECT
r.id, r.equip_type_id AS "equipTypeId", t.name AS "equipTypeName", r.key, r.name, r.unit, r.decimals,
r.plausible_min AS "plausibleMin", r.plausible_max AS "plausibleMax", r.normal_min AS "normalMin",
r.normal_max AS "normalMax", r.group_name AS "group", r.keeps_history AS "keepsHistory", r.deadband,
r.longest_seconds AS "longestSeconds", r.order_num AS "orderNum", r.version FROM reading_definition r JOIN equip_type t ON t.id = r.equip_type_id WHERE r.id = $1 FOR UPDATE OF r;

-- findEquipTypeName
-- answers name text
SELECT name FROM equip_type WHERE id = $1;

-- hasDevicesBeyond
SELECT FROM device d JOIN equip_model m ON m.id = d.model_id
WHERE m.equip_type_id = ANY($1::int[]) AND NOT ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])) LIMIT 1;
