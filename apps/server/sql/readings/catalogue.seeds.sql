-- Written by `npm run docs:sql`.

-- plant
INSERT INTO reading_definition (equip_type_id, key, name, unit, decimals, plausible_min, plausible_max,
  normal_min, normal_max, group_name, keeps_history, deadband, order_num)
SELECT t.id, r.key, r.name, r.unit, r.decimals, r.plausible_min, r.plausible_max, r.normal_min, r.normal_max,
  r."group", r.keeps_history, r.deadband, r.order_num
FROM jsonb_to_recordset($1::jsonb) AS r(
  classify text, key text, name text, unit text, decimals int2, plausible_min float8, plausible_max float8,
  normal_min float8, normal_max float8, "group" text, keeps_history bool, deadband float8, order_num int4)
JOIN equip_type t ON t.classify = r.classify
ORDER BY t.order_num, t.id, r.order_num
ON CONFLICT (equip_type_id, key) DO NOTHING;
