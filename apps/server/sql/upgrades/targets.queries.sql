-- Written by `npm run docs:sql`.

-- readRules
-- answers id int4, rule jsonb
SELECT a.id, a.rule FROM upgrade_task a WHERE a.id = ANY($1::int[]);

-- readOrders
-- answers id int8, taskId int4, packageId int4, fileId uuid null, partType text, addrIds text, beyond text, stillReports text
SELECT t.id, t.task_id AS "taskId", t.package_id AS "packageId", t.file_id AS "fileId", t.part_type AS "partType",
    array_to_json(m.addr_ids)::text AS "addrIds", (
SELECT (
  SELECT coalesce((CASE WHEN (
"t"."package_id" = ANY($1::int[])
OR "t"."package_id" = ANY($2::int[])
  AND ("n"."file_id" IS NULL OR "n"."file_id" = ANY($3::uuid[]))) AND NOT ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[])) THEN $7::text END), CASE WHEN t.task_id = $8 AND NOT ("d"."operator_id" = ANY($9::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($10::int[])) AND "d"."region_id" = ANY($11::int[])) THEN $12::text WHEN t.asked_by = $13 AND NOT ("d"."operator_id" = ANY($14::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($15::int[])) AND "d"."region_id" = ANY($16::int[])) THEN $17::text END) FROM device d WHERE d.id = t.device_id) FROM upgrade_task_package n
WHERE n.task_id = t.task_id AND n.package_id = t.package_id AND (t.file_id IS NULL OR n.file_id = t.file_id)
LIMIT 1) AS beyond,
    CASE WHEN t.claimed_at IS NOT NULL THEN (
      SELECT string_agg(DISTINCT v.version, '、') FROM device_version v
      WHERE v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = ANY(m.addr_ids)
        AND v.reported_at >= t.claimed_at) END AS "stillReports"
  FROM upgrade_target t
  JOIN software_package k ON k.id = t.package_id
  CROSS JOIN LATERAL (
    SELECT ARRAY(
      SELECT x.addr_id FROM jsonb_object_keys(t.from_versions) AS x(addr_id)
      LEFT JOIN device_version v
        ON v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = x.addr_id
      WHERE ((
v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}$' AND (
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) = ARRAY[k.major, k.minor])) IS NOT TRUE ORDER BY length(x.addr_id), x.addr_id
    ) AS addr_ids
    OFFSET 0
  ) m
  WHERE t.id = ANY($18::int8[]);

-- readSupplies
-- answers taskId int4, packageId int4, state text, stage int4 null, endsAt timestamptz null, pcbCode text, version text, hwVersion text null, fileName text, fileId uuid, sizeBytes float8, md5 text, sha256 text
SELECT n.task_id AS "taskId", n.package_id AS "packageId", a.state, a.stage, a.ends_at AS "endsAt",
  b.pcb_code AS "pcbCode", (k.major || '.' || k.minor) AS version, k.hw_version AS "hwVersion",
  n.file_name AS "fileName", n.file_id AS "fileId", f.size_bytes::float8 AS "sizeBytes", f.md5, f.sha256
FROM upgrade_task_package n
JOIN upgrade_task a ON a.id = n.task_id
JOIN software_package k ON k.id = n.package_id
JOIN pcb_board b ON b.id = k.pcb_board_id
JOIN stored_file f ON f.id = n.file_id
WHERE n.task_id = ANY($1::int[]);
