-- Written by `npm run docs:sql`.

-- listAutomaticPackages
-- answers packageId int4, fileId uuid, maker jsonb, supplier jsonb, isHeld bool, approvedBy int4 null, approvedByName text null, approvedIn int4 null, switcher jsonb, withCreation jsonb, equipTypeId int4, pcbBoardId int4, partType text, major int4, minor int4, isUnderWay bool
SELECT
  k.id AS "packageId", "k"."file_id" AS "fileId",
  jsonb_build_object('userId', k.created_by, 'name', k.created_by_name, 'reach', k.created_reach) AS maker,
  jsonb_build_object('userId', "k"."file_by", 'name', "k"."file_by_name", 'reach', "k"."file_reach")
    AS supplier, k.auto_is_held AS "isHeld", k.auto_approved_by AS "approvedBy",
    k.auto_approved_by_name AS "approvedByName", k.auto_approved_in AS "approvedIn", jsonb_build_object('userId', k.auto_by, 'name', k.auto_by_name, 'decidedIn', k.auto_in) AS switcher,
jsonb_build_object(
  'file', k.file_id = "k"."file_id" AND k.file_at = k.created_at,
  'automatic', coalesce(k.auto_at = k.created_at, false)) AS "withCreation",
    b.equip_type_id AS "equipTypeId", k.pcb_board_id AS "pcbBoardId", k.part_type AS "partType", k.major, k.minor,
    EXISTS (
      SELECT FROM upgrade_task_package n JOIN upgrade_task a ON a.id = n.task_id
      WHERE n.package_id = k.id AND a.type = 'AUTO' AND a.created_by = k.auto_by AND a.state IN ('planned', 'running', 'paused')
        AND (a.state = 'planned'
          OR EXISTS (SELECT FROM upgrade_stage s WHERE s.task_id = a.id AND s.state <> 'passed' AND NOT (
s.state = 'running'
AND EXISTS (SELECT FROM upgrade_target t WHERE t.task_id = s.task_id AND t.stage = s.number AND t.state IN ('waiting', 'sent', 'downloading', 'installing'))
AND NOT EXISTS (
  SELECT FROM upgrade_target t WHERE t.task_id = s.task_id AND t.stage = s.number AND (t.asked_by IS NULL OR t.asked_by = k.auto_by)
    AND (t.state IN ('waiting', 'sent', 'downloading', 'installing') OR t.changed_at BETWEEN now() - s.soak_minutes * interval '1 minute' AND now()))))
          OR EXISTS (SELECT FROM upgrade_target t WHERE t.task_id = a.id AND t.state IN ('waiting', 'sent', 'downloading', 'installing') AND (t.asked_by IS NULL OR t.asked_by = k.auto_by)))
    ) AS "isUnderWay"
  FROM software_package k JOIN pcb_board b ON b.id = k.pcb_board_id
  WHERE k.is_auto_upgrade AND (k.is_release AND k.gate_failed_at IS NULL) AND k.deleted_at IS NULL
  ORDER BY k.major DESC, k.minor DESC, k.id DESC;

-- listOutdatedDevices
-- answers code text
SELECT d.code
FROM software_package k
JOIN device_version v ON v.part_type = k.part_type
JOIN device d ON d.id = v.device_id
JOIN device_state s ON s.device_id = d.id AND s.is_online
WHERE k.id = $1 AND (
v.part_type = k.part_type
AND (v.pcb_code IS NULL OR v.pcb_code = (SELECT b.pcb_code FROM pcb_board b WHERE b.id = k.pcb_board_id))
AND (k.hw_version IS NULL OR v.hw_version IS NOT DISTINCT FROM k.hw_version)) AND EXISTS (
SELECT FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
WHERE b.id = k.pcb_board_id AND m.id = d.model_id AND (
  NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
  OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id)))
  AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])) AND NOT EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = d.id AND y.is_enabled AND z.protocol = 'ocpp16')
  AND NOT EXISTS (
    SELECT FROM upgrade_target t WHERE t.device_id = d.id AND t.part_type = k.part_type
      AND (t.package_id = k.id AND t.state NOT IN ('skipped', 'cancelled')
        OR t.package_id = k.id AND (
t.state = 'skipped' AND t.changed_at BETWEEN now() - interval '1 hour' AND now()
AND EXISTS (SELECT FROM upgrade_task a WHERE a.id = t.task_id AND a.type = 'AUTO'))
        OR t.state IN ('waiting', 'sent', 'downloading', 'installing')))
  AND NOT EXISTS (
    SELECT FROM software_package n WHERE (n.id = $5 AND ("d"."operator_id" = ANY($6::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "d"."region_id" = ANY($8::int[])))
      AND (n.hw_version IS NULL OR n.hw_version IS NOT DISTINCT FROM v.hw_version))
GROUP BY d.id, d.code
HAVING bool_or(((
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) < ARRAY[k.major, k.minor])) AND bool_and((
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) <= ARRAY[k.major, k.minor]) ORDER BY d.code LIMIT $9;
