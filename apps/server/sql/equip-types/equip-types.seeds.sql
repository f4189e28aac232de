-- Written by `npm run docs:sql`.

-- plant
INSERT INTO equip_type_part (equip_type_id, part_type)
SELECT t.id, p.part
FROM jsonb_to_recordset($1::jsonb) AS p(type text, part text)
JOIN equip_type t ON t.code = p.type
ON CONFLICT DO NOTHING;

-- plant
INSERT INTO equip_model (equip_type_id, code, name, compartment_count, compartment_columns)
SELECT t.id, m.code, m.name, m.count, m.columns
FROM jsonb_to_recordset($1::jsonb)
  AS m(type text, code text, name text, count int2, columns int2)
JOIN equip_type t ON t.code = m.type
ORDER BY t.order_num, m.code
ON CONFLICT (code) DO NOTHING;

-- plant
INSERT INTO equip_model_part (equip_model_id, part_type, is_default)
SELECT m.id, p.part_type, true
FROM equip_model m JOIN equip_type_part p USING (equip_type_id)
ORDER BY m.id, p.part_type
ON CONFLICT (equip_model_id, part_type) DO NOTHING;
