-- Written by `npm run docs:sql`.

-- listTasks
-- answers remark text null, upgradeTime timestamptz, upgradeRule jsonb, devices jsonb, equipTypeId int4, equipTypeName text, createBy text, createTime timestamptz, startTime timestamptz null, finishTime timestamptz null, stage int4 null, pause jsonb null, rollbackOf int4 null, lockVersion int4, rolledBack text, id int4, type text, state text, createdBy int4, createdByName text, editedBy int4 null, editedByName text null, takenOverBy int4 null, takenOverByName text null, decidedIn int4 null, approvedBy int4 null, approvedByName text null, approvedIn int4 null, stopNote text null, isHeld bool, stageCount int4, packages jsonb
SELECT
a.remark, a.upgrade_at AS "upgradeTime", a.rule AS "upgradeRule", a.devices,
a.equip_type_id AS "equipTypeId", (SELECT name FROM equip_type WHERE id = a.equip_type_id) AS "equipTypeName",
a.created_by_name AS "createBy", a.created_at AS "createTime", a.started_at AS "startTime",
a.finished_at AS "finishTime", a.stage, a.pause, a.rollback_of AS "rollbackOf", a.version AS "lockVersion",
(SELECT string_agg(p.name || ' ' || (k.major || '.' || k.minor), '、' ORDER BY n.position)
 FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id JOIN part_type p ON p.code = k.part_type
 WHERE n.task_id = a.rollback_of) AS "rolledBack",
a.id, a.type, a.state, a.created_by AS "createdBy", a.created_by_name AS "createdByName", a.edited_by AS "editedBy",
a.edited_by_name AS "editedByName", a.taken_over_by AS "takenOverBy", a.taken_over_by_name AS "takenOverByName",
a.decided_in AS "decidedIn", a.approved_by AS "approvedBy", a.approved_by_name AS "approvedByName",
a.approved_in AS "approvedIn", a.stop_note AS "stopNote", a.is_held AS "isHeld",
(SELECT count(*) FROM upgrade_stage s WHERE s.task_id = a.id)::int AS "stageCount",
(SELECT jsonb_agg(x ORDER BY x.position) FROM (
  SELECT n.position,
k.id AS "softwareVersionId", k.part_type AS "partType", p.name AS "partTypeName", b.pcb_code AS "pcbCode",
(k.major || '.' || k.minor) AS version, k.hw_version AS "hwVersion", k.is_release AS "isRelease", n.file_name AS "fileName"
  FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
  JOIN pcb_board b ON b.id = k.pcb_board_id JOIN part_type p ON p.code = k.part_type
  WHERE n.task_id = a.id) x) AS packages FROM upgrade_task a WHERE ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND a.type = $2 AND a.equip_type_id = $3 AND a.state = ANY($4::text[]) AND a.id = ANY($5::int[]) AND a.created_by = $6 AND a.state <> 'planned'
    AND (a.finished_at IS NULL OR a.finished_at > $7) AND a.id IN (
    SELECT t.task_id FROM upgrade_target t JOIN device d ON d.id = t.device_id
    WHERE t.device_id = $8 AND ("d"."operator_id" = ANY($9::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($10::int[])) AND "d"."region_id" = ANY($11::int[]))) AND EXISTS (
    SELECT FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
    WHERE n.task_id = a.id
      AND k.part_type = ANY($12::text[])
      AND true))
  ORDER BY a.id DESC LIMIT $13 OFFSET $14;

-- countTasks
-- answers count int4
SELECT count(*)::int AS count FROM upgrade_task a WHERE ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND a.type = $2 AND a.equip_type_id = $3 AND a.state = ANY($4::text[]) AND a.id = ANY($5::int[]) AND a.created_by = $6 AND a.state <> 'planned'
    AND (a.finished_at IS NULL OR a.finished_at > $7) AND a.id IN (
    SELECT t.task_id FROM upgrade_target t JOIN device d ON d.id = t.device_id
    WHERE t.device_id = $8 AND ("d"."operator_id" = ANY($9::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($10::int[])) AND "d"."region_id" = ANY($11::int[]))) AND EXISTS (
    SELECT FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
    WHERE n.task_id = a.id
      AND k.part_type = ANY($12::text[])
      AND (k.major || '.' || k.minor) = $13));

-- describePackages
-- answers softwareVersionId int4, partType text, partTypeName text, pcbCode text, version text, hwVersion text null, isRelease bool, fileName text, sizeBytes float8
SELECT
k.id AS "softwareVersionId", k.part_type AS "partType", p.name AS "partTypeName", b.pcb_code AS "pcbCode",
(k.major || '.' || k.minor) AS version, k.hw_version AS "hwVersion", k.is_release AS "isRelease", k.file_name AS "fileName", f.size_bytes::float8 AS "sizeBytes"
  FROM unnest($1::int[]) WITH ORDINALITY AS n(id, position) JOIN software_package k ON k.id = n.id
  JOIN pcb_board b ON b.id = k.pcb_board_id JOIN part_type p ON p.code = k.part_type
  JOIN stored_file f ON f.id = k.file_id
  ORDER BY n.position;

-- nameGoal
-- answers goal text
SELECT concat_ws(' ', (SELECT name FROM equip_type WHERE id = $1), (
SELECT string_agg(p.name || ' ' || (k.major || '.' || k.minor), '、' ORDER BY n.position)
FROM unnest($2::int[]) WITH ORDINALITY AS n(id, position) JOIN software_package k ON k.id = n.id
JOIN part_type p ON p.code = k.part_type)) AS goal;

-- listFiles
-- answers fileId uuid, fileName text
SELECT k.file_id AS "fileId", k.file_name AS "fileName"
FROM unnest($1::int[]) WITH ORDINALITY AS n(id, position) JOIN software_package k ON k.id = n.id
ORDER BY n.position;

-- listFilesOfTask
-- answers fileId uuid, fileName text
SELECT file_id AS "fileId", file_name AS "fileName" FROM upgrade_task_package
WHERE task_id = $1 ORDER BY position;

-- readPlacesOfTasks
-- answers id text, operatorId int4, equipTypeId int4, regionId int4
SELECT DISTINCT y.task_id::text AS id, y.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId",
  y.region_id AS "regionId"
FROM upgrade_tally y JOIN equip_model m ON m.id = y.model_id WHERE y.task_id = ANY($1::int[])
UNION
SELECT DISTINCT a.id::text, d.operator_id, a.equip_type_id, d.region_id
FROM upgrade_task a
JOIN operator o ON o.organization_id = a.organization_id
JOIN device d ON d.operator_id = o.id
WHERE a.id = ANY($2::int[]) AND NOT EXISTS (SELECT FROM upgrade_tally y WHERE y.task_id = a.id);
