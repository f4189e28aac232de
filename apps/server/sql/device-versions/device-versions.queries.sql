-- Written by `npm run docs:sql`.

-- listDevices
-- answers id int4, code text, isOnline int4, onlineChangedTime timestamptz null, operatorName text, equipTypeId int4, equipTypeName text, equipModelName text, regionName text, updateTime timestamptz null
WITH page AS MATERIALIZED (
  SELECT d.id FROM device d WHERE (true AND EXISTS (
SELECT FROM device_version v WHERE v.device_id = d.id AND v.part_type = $1 AND v.version = $2 AND v.pcb_code = $3)) ORDER BY d.id DESC LIMIT $4 OFFSET $5
)
SELECT d.id, d.code, coalesce(s.is_online, false)::int AS "isOnline",
  s.online_changed_at AS "onlineChangedTime", p.name AS "operatorName",
  t.id AS "equipTypeId", t.name AS "equipTypeName", m.name AS "equipModelName",
  r.full_name AS "regionName", s.last_report_at AS "updateTime"
FROM page
JOIN device d ON d.id = page.id
JOIN operator p ON p.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state s ON s.device_id = d.id
ORDER BY d.id DESC;

-- listParts
-- answers deviceId int4, partType text, partTypeName text, addrId text, version text, hwVersion text null, pcbCode text null, reportTime timestamptz
SELECT v.device_id AS "deviceId", v.part_type AS "partType", coalesce(p.name, v.part_type) AS "partTypeName",
  v.addr_id AS "addrId", v.version, v.hw_version AS "hwVersion", v.pcb_code AS "pcbCode",
  v.reported_at AS "reportTime"
FROM device_version v
LEFT JOIN part_type p ON p.code = v.part_type
WHERE v.device_id = ANY($1::int4[]) AND v.part_type = $2 AND v.version = $3 AND v.pcb_code = $4
ORDER BY p.order_num NULLS LAST, v.part_type, length(v.addr_id), v.addr_id;

-- listNewest
-- answers partType text, softwareVersionId int4, version text, pcbCode text, fileName text, fileSize float8, outdatedCount int4
SELECT DISTINCT ON (n.part_type) n.part_type AS "partType", n.id AS "softwareVersionId", n.shown AS version,
    b.pcb_code AS "pcbCode", n.file_name AS "fileName", f.size_bytes::float8 AS "fileSize",
    (count(*) FILTER (WHERE n.is_older) OVER (PARTITION BY n.part_type))::int AS "outdatedCount"
  FROM device d
  JOIN device_version v ON v.device_id = d.id
  JOIN LATERAL (
    SELECT k.id, k.part_type, k.pcb_board_id, k.file_id, k.file_name, ARRAY[k.major, k.minor] AS version,
      (k.major || '.' || k.minor) AS shown, ((
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
    ORDER BY version DESC, k.id DESC LIMIT 1
  ) n ON true
  JOIN pcb_board b ON b.id = n.pcb_board_id
  JOIN stored_file f ON f.id = n.file_id
  WHERE d.id = $1
  ORDER BY n.part_type, n.version DESC, n.id DESC;
