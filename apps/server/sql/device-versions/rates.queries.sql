-- Written by `npm run docs:sql`.

-- readRates
-- answers equipTypeId int4, equipTypeName text, partType text, partTypeName text, version text, deviceCount int4, newestCount int4
WITH alike AS MATERIALIZED (
  SELECT d.model_id, v.part_type, v.hw_version, v.pcb_code, v.version FROM device_version v JOIN device d ON d.id = v.device_id
  WHERE true AND v.part_type = $1 GROUP BY 1, 2, 3, 4, 5
), judged AS MATERIALIZED (
  SELECT v.*, newest.version AS newest, newest.text AS newest_text, newest.is_older
  FROM alike v
  JOIN LATERAL (SELECT v.model_id) d ON true
  JOIN LATERAL (
    SELECT ARRAY[k.major, k.minor] AS version, (k.major || '.' || k.minor) AS text, ((
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) < ARRAY[k.major, k.minor]) AS is_older
    FROM software_package k
    WHERE k.deleted_at IS NULL AND (k.is_release AND k.gate_failed_at IS NULL) AND ((
v.part_type = k.part_type
AND (v.pcb_code IS NULL OR v.pcb_code = (SELECT b.pcb_code FROM pcb_board b WHERE b.id = k.pcb_board_id))
AND (k.hw_version IS NULL OR v.hw_version IS NOT DISTINCT FROM k.hw_version)) AND EXISTS (
SELECT FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
WHERE b.id = k.pcb_board_id AND m.id = d.model_id AND (
  NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
  OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id))))
    ORDER BY version DESC LIMIT 1
  ) newest ON true
), of_device AS (
    SELECT v.device_id, v.model_id, v.part_type, bool_or(j.is_older) AS is_older, max(j.newest) AS newest
    FROM (SELECT v.*, d.model_id FROM device_version v JOIN device d ON d.id = v.device_id
  WHERE true AND v.part_type = $2) v
    JOIN judged j ON j.model_id = v.model_id AND j.part_type = v.part_type
AND j.version = v.version AND j.hw_version IS NOT DISTINCT FROM v.hw_version
AND j.pcb_code IS NOT DISTINCT FROM v.pcb_code
    GROUP BY v.device_id, v.model_id, v.part_type
  )
  SELECT t.id AS "equipTypeId", t.name AS "equipTypeName", o.part_type AS "partType",
    p.name AS "partTypeName", array_to_string(max(o.newest), '.') AS version,
    count(*)::int AS "deviceCount", (count(*) FILTER (WHERE NOT o.is_older))::int AS "newestCount"
  FROM of_device o
  JOIN equip_model m ON m.id = o.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  JOIN part_type p ON p.code = o.part_type
  GROUP BY t.id, t.name, o.part_type, p.name, p.order_num
  ORDER BY t.id, p.order_num, o.part_type;
