-- Written by `npm run docs:sql`.

-- countOlder
-- answers count int4
SELECT count(DISTINCT d.id)::int AS count
  FROM (SELECT $1::int AS pcb_board_id, $2::text AS part_type, $3::int AS major,
    $4::int AS minor, $5::text AS hw_version) k
  JOIN device_version v ON v.part_type = k.part_type
  JOIN device d ON d.id = v.device_id
  WHERE (
v.part_type = k.part_type
AND (v.pcb_code IS NULL OR v.pcb_code = (SELECT b.pcb_code FROM pcb_board b WHERE b.id = k.pcb_board_id))
AND (k.hw_version IS NULL OR v.hw_version IS NOT DISTINCT FROM k.hw_version)) AND EXISTS (
SELECT FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
WHERE b.id = k.pcb_board_id AND m.id = d.model_id AND (
  NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
  OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id))) AND ((
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) < ARRAY[k.major, k.minor]) AND ("d"."operator_id" = ANY($6::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "d"."region_id" = ANY($8::int[]))
    AND NOT EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = d.id AND y.is_enabled AND z.protocol = 'ocpp16');
