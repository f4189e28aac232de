-- Written by `npm run docs:sql`.

-- readBytes
-- answers packageId int4, fileId uuid, maker jsonb, supplier jsonb
SELECT
k.id AS "packageId", "k"."file_id" AS "fileId",
jsonb_build_object('userId', k.created_by, 'name', k.created_by_name, 'reach', k.created_reach) AS maker,
jsonb_build_object('userId', "k"."file_by", 'name', "k"."file_by_name", 'reach', "k"."file_reach")
  AS supplier FROM software_package k WHERE k.id = ANY($1::int[]) ORDER BY k.id;

-- readBytesOfTasks
-- answers taskId int4, packageId int4, fileId uuid, maker jsonb, supplier jsonb, withCreation jsonb
SELECT n.task_id AS "taskId",
  k.id AS "packageId", "n"."file_id" AS "fileId",
  jsonb_build_object('userId', k.created_by, 'name', k.created_by_name, 'reach', k.created_reach) AS maker,
  jsonb_build_object('userId', "n"."file_by", 'name', "n"."file_by_name", 'reach', "n"."file_reach")
    AS supplier,
jsonb_build_object(
  'file', k.file_id = "n"."file_id" AND k.file_at = k.created_at,
  'automatic', coalesce(k.auto_at = k.created_at, false)) AS "withCreation"
  FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
  WHERE n.task_id = ANY($1::int[]) ORDER BY n.task_id, n.position;

-- readBytesBehind
-- answers packageId int4, fileId uuid, maker jsonb, supplier jsonb
SELECT
k.id AS "packageId", "k"."file_id" AS "fileId",
jsonb_build_object('userId', k.created_by, 'name', k.created_by_name, 'reach', k.created_reach) AS maker,
jsonb_build_object('userId', "k"."file_by", 'name', "k"."file_by_name", 'reach', "k"."file_reach")
  AS supplier FROM software_package k WHERE k.id IN (
SELECT o.id FROM software_package o WHERE o.deleted_at IS NULL AND (o.pcb_board_id, o.part_type) IN (
  SELECT b.pcb_board_id, b.part_type FROM upgrade_task_package n JOIN software_package b ON b.id = n.package_id
  WHERE n.task_id = $1))
UNION
SELECT
k.id AS "packageId", "n"."file_id" AS "fileId",
jsonb_build_object('userId', k.created_by, 'name', k.created_by_name, 'reach', k.created_reach) AS maker,
jsonb_build_object('userId', "n"."file_by", 'name', "n"."file_by_name", 'reach', "n"."file_reach")
  AS supplier FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
WHERE k.id IN (
SELECT o.id FROM software_package o WHERE o.deleted_at IS NULL AND (o.pcb_board_id, o.part_type) IN (
  SELECT b.pcb_board_id, b.part_type FROM upgrade_task_package n JOIN software_package b ON b.id = n.package_id
  WHERE n.task_id = $2));
