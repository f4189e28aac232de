-- Written by `npm run docs:sql`.

-- walkUnmatched
-- answers id int4
SELECT d.id FROM device d WHERE true AND d.id < $1 ORDER BY d.id DESC LIMIT $2;

-- listUnmatched
-- answers code text, name text null, isOnline bool, onlineChangedTime timestamptz null, operatorName text, equipTypeName text, equipModelName text, regionName text, address text null, partTypeName text, addrIds _text, version text, newest text, updateTime timestamptz null
WITH alike AS MATERIALIZED (
  SELECT d.model_id, v.part_type, v.hw_version, v.pcb_code, v.version FROM device_version v JOIN device d ON d.id = v.device_id WHERE d.id = ANY($1::int4[]) AND v.part_type = $2 AND v.version = $3 AND v.pcb_code = $4 GROUP BY 1, 2, 3, 4, 5
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
), unmatched AS (
  SELECT v.device_id, v.part_type, v.version, j.newest_text,
    array_agg(v.addr_id ORDER BY length(v.addr_id), v.addr_id) AS addr_ids
  FROM (SELECT v.*, d.model_id FROM device_version v JOIN device d ON d.id = v.device_id WHERE d.id = ANY($5::int4[]) AND v.part_type = $6 AND v.version = $7 AND v.pcb_code = $8) v
  JOIN judged j ON j.model_id = v.model_id AND j.part_type = v.part_type
AND j.version = v.version AND j.hw_version IS NOT DISTINCT FROM v.hw_version
AND j.pcb_code IS NOT DISTINCT FROM v.pcb_code
  WHERE j.is_older
  GROUP BY v.device_id, v.part_type, v.version, j.newest_text
)
  SELECT d.code, d.name, coalesce(s.is_online, false) AS "isOnline", s.online_changed_at AS "onlineChangedTime",
    o.name AS "operatorName", t.name AS "equipTypeName", m.name AS "equipModelName", r.full_name AS "regionName",
    d.address, coalesce(p.name, u.part_type) AS "partTypeName", u.addr_ids AS "addrIds", u.version,
    u.newest_text AS newest, s.last_report_at AS "updateTime"
  FROM unmatched u
  JOIN device d ON d.id = u.device_id
  JOIN operator o ON o.id = d.operator_id
  JOIN equip_model m ON m.id = d.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  JOIN region r ON r.id = d.region_id
  LEFT JOIN device_state s ON s.device_id = d.id
  LEFT JOIN part_type p ON p.code = u.part_type
  ORDER BY d.id DESC, p.order_num NULLS LAST, u.part_type, u.version, u.newest_text;

-- countUnmatched
-- answers count int4
WITH alike AS MATERIALIZED (
  SELECT d.model_id, v.part_type, v.hw_version, v.pcb_code, v.version FROM device_version v JOIN device d ON d.id = v.device_id WHERE true AND v.part_type = $1 AND v.version = $2 AND v.pcb_code = $3 GROUP BY 1, 2, 3, 4, 5
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
), unmatched AS (
  SELECT v.device_id, v.part_type, v.version, j.newest_text,
    array_agg(v.addr_id ORDER BY length(v.addr_id), v.addr_id) AS addr_ids
  FROM (SELECT v.*, d.model_id FROM device_version v JOIN device d ON d.id = v.device_id WHERE true AND v.part_type = $4 AND v.version = $5 AND v.pcb_code = $6) v
  JOIN judged j ON j.model_id = v.model_id AND j.part_type = v.part_type
AND j.version = v.version AND j.hw_version IS NOT DISTINCT FROM v.hw_version
AND j.pcb_code IS NOT DISTINCT FROM v.pcb_code
  WHERE j.is_older
  GROUP BY v.device_id, v.part_type, v.version, j.newest_text
) SELECT count(*)::int AS count FROM unmatched;
