-- Written by `npm run docs:sql`.

-- hasDevicesBeyond
SELECT FROM device d WHERE d.model_id = ANY($1::int[]) AND NOT ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])) LIMIT 1;

-- typeHasDevices
-- answers id int4
SELECT id FROM equip_model WHERE equip_type_id = $1 ORDER BY id FOR UPDATE;

-- typeHasDevices
SELECT FROM device WHERE model_id = ANY($1::int[]) LIMIT 1;

-- readFirstParts
-- answers id int4, part text
SELECT m.id, (
SELECT p.part_type FROM equip_model_part p JOIN part_type k ON k.code = p.part_type
WHERE p.equip_model_id = "m"."id" ORDER BY k.order_num, k.code LIMIT 1) AS part FROM equip_model m
  WHERE m.id = ANY($1::int[]);

-- insertModelPart
-- answers id int4
INSERT INTO equip_model_part AS p (equip_model_id, part_type, name, remark, addr_count)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (equip_model_id, part_type) DO UPDATE
  SET name = excluded.name, remark = excluded.remark, addr_count = excluded.addr_count,
    is_default = false, version = p.version + 1
  WHERE p.is_default
RETURNING id;

-- addDefaultParts
INSERT INTO equip_model_part (equip_model_id, part_type, is_default)
SELECT m.id, part.code, true
FROM equip_model m CROSS JOIN unnest($1::text[]) AS part (code)
WHERE m.equip_type_id = $2
ORDER BY m.id, part.code
ON CONFLICT (equip_model_id, part_type) DO NOTHING;

-- dropDefaultParts
DELETE FROM equip_model_part p USING equip_model m
WHERE m.id = p.equip_model_id AND m.equip_type_id = $1
  AND p.is_default AND p.part_type = ANY($2::text[]);

-- resetDefaultParts
DELETE FROM equip_model_part WHERE equip_model_id = $1 AND is_default;

-- resetDefaultParts
INSERT INTO equip_model_part (equip_model_id, part_type, is_default)
SELECT m.id, p.part_type, true
FROM equip_model m JOIN equip_type_part p ON p.equip_type_id = m.equip_type_id
WHERE m.id = $1
ORDER BY p.part_type
ON CONFLICT (equip_model_id, part_type) DO NOTHING;
