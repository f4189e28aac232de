-- Written by `npm run docs:sql`.

-- listPackages
-- answers id int4, fileId uuid, fileName text, fileSize float8, md5 text, sha256 text, pcbBoardId int4, pcbCode text, pcbName text, pcbVersion int4, applyTo text, equipTypeId int4, equipTypeName text, partType text, partTypeName text, major int4, minor int4, versionText text, hwVersion text null, mcuNum int4 null, isRelease bool, isAutoUpgrade bool, remark jsonb, createdBy int4, createBy text, createTime timestamptz, createdReach jsonb null, fileBy int4, uploadBy text, uploadTime timestamptz, fileReach jsonb null, autoBy int4 null, autoUpgradeBy text null, autoUpgradeTime timestamptz null, autoIn int4 null, autoApprovedBy int4 null, autoUpgradeApprovedBy text null, autoApprovedIn int4 null, autoApprovedCount int4 null, isAutoHeld bool, isAutoNarrowed bool, gateFailedTime timestamptz null, withCreation jsonb, version int4
SELECT
k.id, k.file_id AS "fileId", k.file_name AS "fileName", f.size_bytes::float8 AS "fileSize", f.md5, f.sha256,
k.pcb_board_id AS "pcbBoardId", b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", b.version AS "pcbVersion", (
SELECT t.name || coalesce('：' || (
  SELECT coalesce(string_agg(m.name, '、' ORDER BY m.code) FILTER (WHERE m.equip_type_id = b.equip_type_id), '无适用型号')
  FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id
  WHERE bm.pcb_board_id = b.id HAVING count(*) > 0), '')
FROM equip_type t WHERE t.id = b.equip_type_id) AS "applyTo",
b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName", k.part_type AS "partType", p.name AS "partTypeName",
k.major, k.minor, (k.major || '.' || k.minor) AS "versionText", k.hw_version AS "hwVersion", k.mcu_num AS "mcuNum",
k.is_release AS "isRelease", k.is_auto_upgrade AS "isAutoUpgrade", k.remark, k.created_by AS "createdBy",
k.created_by_name AS "createBy", k.created_at AS "createTime", k.created_reach AS "createdReach",
k.file_by AS "fileBy", k.file_by_name AS "uploadBy", k.file_at AS "uploadTime", k.file_reach AS "fileReach",
k.auto_by AS "autoBy", k.auto_by_name AS "autoUpgradeBy", k.auto_at AS "autoUpgradeTime",
k.auto_in AS "autoIn", k.auto_approved_by AS "autoApprovedBy", k.auto_approved_by_name AS "autoUpgradeApprovedBy",
k.auto_approved_in AS "autoApprovedIn", k.auto_approved_count AS "autoApprovedCount", k.auto_is_held AS "isAutoHeld",
k.auto_is_narrowed AS "isAutoNarrowed",
k.gate_failed_at AS "gateFailedTime",
jsonb_build_object(
  'file', k.file_id = "k"."file_id" AND k.file_at = k.created_at,
  'automatic', coalesce(k.auto_at = k.created_at, false)) AS "withCreation", k.version
FROM software_package k
JOIN stored_file f ON f.id = k.file_id
JOIN pcb_board b ON b.id = k.pcb_board_id
JOIN equip_type t ON t.id = b.equip_type_id
JOIN part_type p ON p.code = k.part_type WHERE k.deleted_at IS NULL AND k.id = ANY($1::int[]) AND b.equip_type_id = $2 AND k.part_type = ANY($3::text[]) AND (k.major || '.' || k.minor) LIKE $4 AND b.pcb_code ILIKE $5 AND k.is_release = $6 AND k.is_auto_upgrade = $7
  ORDER BY k.id DESC LIMIT $8 OFFSET $9;

-- findPackage
-- answers id int4, fileId uuid, fileName text, fileSize float8, md5 text, sha256 text, pcbBoardId int4, pcbCode text, pcbName text, pcbVersion int4, applyTo text, equipTypeId int4, equipTypeName text, partType text, partTypeName text, major int4, minor int4, versionText text, hwVersion text null, mcuNum int4 null, isRelease bool, isAutoUpgrade bool, remark jsonb, createdBy int4, createBy text, createTime timestamptz, createdReach jsonb null, fileBy int4, uploadBy text, uploadTime timestamptz, fileReach jsonb null, autoBy int4 null, autoUpgradeBy text null, autoUpgradeTime timestamptz null, autoIn int4 null, autoApprovedBy int4 null, autoUpgradeApprovedBy text null, autoApprovedIn int4 null, autoApprovedCount int4 null, isAutoHeld bool, isAutoNarrowed bool, gateFailedTime timestamptz null, withCreation jsonb, version int4
SELECT
k.id, k.file_id AS "fileId", k.file_name AS "fileName", f.size_bytes::float8 AS "fileSize", f.md5, f.sha256,
k.pcb_board_id AS "pcbBoardId", b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", b.version AS "pcbVersion", (
SELECT t.name || coalesce('：' || (
  SELECT coalesce(string_agg(m.name, '、' ORDER BY m.code) FILTER (WHERE m.equip_type_id = b.equip_type_id), '无适用型号')
  FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id
  WHERE bm.pcb_board_id = b.id HAVING count(*) > 0), '')
FROM equip_type t WHERE t.id = b.equip_type_id) AS "applyTo",
b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName", k.part_type AS "partType", p.name AS "partTypeName",
k.major, k.minor, (k.major || '.' || k.minor) AS "versionText", k.hw_version AS "hwVersion", k.mcu_num AS "mcuNum",
k.is_release AS "isRelease", k.is_auto_upgrade AS "isAutoUpgrade", k.remark, k.created_by AS "createdBy",
k.created_by_name AS "createBy", k.created_at AS "createTime", k.created_reach AS "createdReach",
k.file_by AS "fileBy", k.file_by_name AS "uploadBy", k.file_at AS "uploadTime", k.file_reach AS "fileReach",
k.auto_by AS "autoBy", k.auto_by_name AS "autoUpgradeBy", k.auto_at AS "autoUpgradeTime",
k.auto_in AS "autoIn", k.auto_approved_by AS "autoApprovedBy", k.auto_approved_by_name AS "autoUpgradeApprovedBy",
k.auto_approved_in AS "autoApprovedIn", k.auto_approved_count AS "autoApprovedCount", k.auto_is_held AS "isAutoHeld",
k.auto_is_narrowed AS "isAutoNarrowed",
k.gate_failed_at AS "gateFailedTime",
jsonb_build_object(
  'file', k.file_id = "k"."file_id" AND k.file_at = k.created_at,
  'automatic', coalesce(k.auto_at = k.created_at, false)) AS "withCreation", k.version
FROM software_package k
JOIN stored_file f ON f.id = k.file_id
JOIN pcb_board b ON b.id = k.pcb_board_id
JOIN equip_type t ON t.id = b.equip_type_id
JOIN part_type p ON p.code = k.part_type WHERE k.id = $1 AND k.deleted_at IS NULL;

-- lockPackage
-- answers id int4, fileId uuid, fileName text, fileSize float8, md5 text, sha256 text, pcbBoardId int4, pcbCode text, pcbName text, pcbVersion int4, applyTo text, equipTypeId int4, equipTypeName text, partType text, partTypeName text, major int4, minor int4, versionText text, hwVersion text null, mcuNum int4 null, isRelease bool, isAutoUpgrade bool, remark jsonb, createdBy int4, createBy text, createTime timestamptz, createdReach jsonb null, fileBy int4, uploadBy text, uploadTime timestamptz, fileReach jsonb null, autoBy int4 null, autoUpgradeBy text null, autoUpgradeTime timestamptz null, autoIn int4 null, autoApprovedBy int4 null, autoUpgradeApprovedBy text null, autoApprovedIn int4 null, autoApprovedCount int4 null, isAutoHeld bool, isAutoNarrowed bool, gateFailedTime timestamptz null, withCreation jsonb, version int4
SELECT
k.id, k.file_id AS "fileId", k.file_name AS "fileName", f.size_bytes::float8 AS "fileSize", f.md5, f.sha256,
k.pcb_board_id AS "pcbBoardId", b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", b.version AS "pcbVersion", (
SELECT t.name || coalesce('：' || (
  SELECT coalesce(string_agg(m.name, '、' ORDER BY m.code) FILTER (WHERE m.equip_type_id = b.equip_type_id), '无适用型号')
  FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id
  WHERE bm.pcb_board_id = b.id HAVING count(*) > 0), '')
FROM equip_type t WHERE t.id = b.equip_type_id) AS "applyTo",
b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName", k.part_type AS "partType", p.name AS "partTypeName",
k.major, k.minor, (k.major || '.' || k.minor) AS "versionText", k.hw_version AS "hwVersion", k.mcu_num AS "mcuNum",
k.is_release AS "isRelease", k.is_auto_upgrade AS "isAutoUpgrade", k.remark, k.created_by AS "createdBy",
k.created_by_name AS "createBy", k.created_at AS "createTime", k.created_reach AS "createdReach",
k.file_by AS "fileBy", k.file_by_name AS "uploadBy", k.file_at AS "uploadTime", k.file_reach AS "fileReach",
k.auto_by AS "autoBy", k.auto_by_name AS "autoUpgradeBy", k.auto_at AS "autoUpgradeTime",
k.auto_in AS "autoIn", k.auto_approved_by AS "autoApprovedBy", k.auto_approved_by_name AS "autoUpgradeApprovedBy",
k.auto_approved_in AS "autoApprovedIn", k.auto_approved_count AS "autoApprovedCount", k.auto_is_held AS "isAutoHeld",
k.auto_is_narrowed AS "isAutoNarrowed",
k.gate_failed_at AS "gateFailedTime",
jsonb_build_object(
  'file', k.file_id = "k"."file_id" AND k.file_at = k.created_at,
  'automatic', coalesce(k.auto_at = k.created_at, false)) AS "withCreation", k.version
FROM software_package k
JOIN stored_file f ON f.id = k.file_id
JOIN pcb_board b ON b.id = k.pcb_board_id
JOIN equip_type t ON t.id = b.equip_type_id
JOIN part_type p ON p.code = k.part_type WHERE k.id = $1 AND k.deleted_at IS NULL FOR UPDATE OF k;

-- lockPackagesShared
-- answers id int4, fileId uuid, fileName text, fileSize float8, md5 text, sha256 text, pcbBoardId int4, pcbCode text, pcbName text, pcbVersion int4, applyTo text, equipTypeId int4, equipTypeName text, partType text, partTypeName text, major int4, minor int4, versionText text, hwVersion text null, mcuNum int4 null, isRelease bool, isAutoUpgrade bool, remark jsonb, createdBy int4, createBy text, createTime timestamptz, createdReach jsonb null, fileBy int4, uploadBy text, uploadTime timestamptz, fileReach jsonb null, autoBy int4 null, autoUpgradeBy text null, autoUpgradeTime timestamptz null, autoIn int4 null, autoApprovedBy int4 null, autoUpgradeApprovedBy text null, autoApprovedIn int4 null, autoApprovedCount int4 null, isAutoHeld bool, isAutoNarrowed bool, gateFailedTime timestamptz null, withCreation jsonb, version int4
SELECT
k.id, k.file_id AS "fileId", k.file_name AS "fileName", f.size_bytes::float8 AS "fileSize", f.md5, f.sha256,
k.pcb_board_id AS "pcbBoardId", b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", b.version AS "pcbVersion", (
SELECT t.name || coalesce('：' || (
  SELECT coalesce(string_agg(m.name, '、' ORDER BY m.code) FILTER (WHERE m.equip_type_id = b.equip_type_id), '无适用型号')
  FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id
  WHERE bm.pcb_board_id = b.id HAVING count(*) > 0), '')
FROM equip_type t WHERE t.id = b.equip_type_id) AS "applyTo",
b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName", k.part_type AS "partType", p.name AS "partTypeName",
k.major, k.minor, (k.major || '.' || k.minor) AS "versionText", k.hw_version AS "hwVersion", k.mcu_num AS "mcuNum",
k.is_release AS "isRelease", k.is_auto_upgrade AS "isAutoUpgrade", k.remark, k.created_by AS "createdBy",
k.created_by_name AS "createBy", k.created_at AS "createTime", k.created_reach AS "createdReach",
k.file_by AS "fileBy", k.file_by_name AS "uploadBy", k.file_at AS "uploadTime", k.file_reach AS "fileReach",
k.auto_by AS "autoBy", k.auto_by_name AS "autoUpgradeBy", k.auto_at AS "autoUpgradeTime",
k.auto_in AS "autoIn", k.auto_approved_by AS "autoApprovedBy", k.auto_approved_by_name AS "autoUpgradeApprovedBy",
k.auto_approved_in AS "autoApprovedIn", k.auto_approved_count AS "autoApprovedCount", k.auto_is_held AS "isAutoHeld",
k.auto_is_narrowed AS "isAutoNarrowed",
k.gate_failed_at AS "gateFailedTime",
jsonb_build_object(
  'file', k.file_id = "k"."file_id" AND k.file_at = k.created_at,
  'automatic', coalesce(k.auto_at = k.created_at, false)) AS "withCreation", k.version
FROM software_package k
JOIN stored_file f ON f.id = k.file_id
JOIN pcb_board b ON b.id = k.pcb_board_id
JOIN equip_type t ON t.id = b.equip_type_id
JOIN part_type p ON p.code = k.part_type WHERE k.id = ANY($1::int[]) AND k.deleted_at IS NULL
  ORDER BY k.id FOR SHARE OF k;

-- findByIdentity
-- answers id int4
SELECT k.id FROM software_package k
WHERE k.pcb_board_id = $1 AND k.part_type = $2 AND k.major = $3
  AND k.minor = $4 AND coalesce(k.hw_version, '') = $5
  AND coalesce(k.mcu_num, 0) = $6 AND k.is_release = $7
  AND k.deleted_at IS NULL;

-- isFileOffered
SELECT FROM software_package WHERE file_id = $1 AND deleted_at IS NULL LIMIT 1;

-- isFileNeeded
SELECT WHERE EXISTS (SELECT FROM software_package WHERE file_id = $1 AND deleted_at IS NULL)
OR EXISTS (
  SELECT FROM upgrade_task_package n JOIN upgrade_task a ON a.id = n.task_id
  WHERE n.file_id = $2 AND a.state IN ('planned', 'running', 'paused'));

-- isFileOfDevice
SELECT FROM device d
JOIN upgrade_target t ON t.device_id = d.id
JOIN upgrade_task_package n ON n.task_id = t.task_id AND n.package_id = t.package_id
WHERE d.code = $1 AND n.file_id = $2 AND t.state <> 'skipped'
  AND (t.file_id IS NULL OR t.file_id = n.file_id) LIMIT 1;

-- listPartTypes
-- answers code text
SELECT code FROM part_type WHERE code = ANY($1::text[]);

-- isFileUsed
SELECT FROM software_package WHERE file_id = $1 LIMIT 1;

-- listStopped
-- answers id int4, fileId uuid, fileName text, fileSize float8, md5 text, sha256 text, pcbBoardId int4, pcbCode text, pcbName text, pcbVersion int4, applyTo text, equipTypeId int4, equipTypeName text, partType text, partTypeName text, major int4, minor int4, versionText text, hwVersion text null, mcuNum int4 null, isRelease bool, isAutoUpgrade bool, remark jsonb, createdBy int4, createBy text, createTime timestamptz, createdReach jsonb null, fileBy int4, uploadBy text, uploadTime timestamptz, fileReach jsonb null, autoBy int4 null, autoUpgradeBy text null, autoUpgradeTime timestamptz null, autoIn int4 null, autoApprovedBy int4 null, autoUpgradeApprovedBy text null, autoApprovedIn int4 null, autoApprovedCount int4 null, isAutoHeld bool, isAutoNarrowed bool, gateFailedTime timestamptz, withCreation jsonb, version int4
SELECT
k.id, k.file_id AS "fileId", k.file_name AS "fileName", f.size_bytes::float8 AS "fileSize", f.md5, f.sha256,
k.pcb_board_id AS "pcbBoardId", b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", b.version AS "pcbVersion", (
SELECT t.name || coalesce('：' || (
  SELECT coalesce(string_agg(m.name, '、' ORDER BY m.code) FILTER (WHERE m.equip_type_id = b.equip_type_id), '无适用型号')
  FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id
  WHERE bm.pcb_board_id = b.id HAVING count(*) > 0), '')
FROM equip_type t WHERE t.id = b.equip_type_id) AS "applyTo",
b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName", k.part_type AS "partType", p.name AS "partTypeName",
k.major, k.minor, (k.major || '.' || k.minor) AS "versionText", k.hw_version AS "hwVersion", k.mcu_num AS "mcuNum",
k.is_release AS "isRelease", k.is_auto_upgrade AS "isAutoUpgrade", k.remark, k.created_by AS "createdBy",
k.created_by_name AS "createBy", k.created_at AS "createTime", k.created_reach AS "createdReach",
k.file_by AS "fileBy", k.file_by_name AS "uploadBy", k.file_at AS "uploadTime", k.file_reach AS "fileReach",
k.auto_by AS "autoBy", k.auto_by_name AS "autoUpgradeBy", k.auto_at AS "autoUpgradeTime",
k.auto_in AS "autoIn", k.auto_approved_by AS "autoApprovedBy", k.auto_approved_by_name AS "autoUpgradeApprovedBy",
k.auto_approved_in AS "autoApprovedIn", k.auto_approved_count AS "autoApprovedCount", k.auto_is_held AS "isAutoHeld",
k.auto_is_narrowed AS "isAutoNarrowed",
k.gate_failed_at AS "gateFailedTime",
jsonb_build_object(
  'file', k.file_id = "k"."file_id" AND k.file_at = k.created_at,
  'automatic', coalesce(k.auto_at = k.created_at, false)) AS "withCreation", k.version
FROM software_package k
JOIN stored_file f ON f.id = k.file_id
JOIN pcb_board b ON b.id = k.pcb_board_id
JOIN equip_type t ON t.id = b.equip_type_id
JOIN part_type p ON p.code = k.part_type
  WHERE k.gate_failed_at IS NOT NULL AND (k.id, k.file_id) IN (
    SELECT n.package_id, n.file_id FROM upgrade_task_package n WHERE n.task_id = $1)
  ORDER BY k.id;

-- markStopped
UPDATE software_package k SET gate_failed_at = now()
FROM upgrade_task_package n
WHERE n.task_id = $1 AND k.id = n.package_id AND k.file_id = n.file_id;

-- markPassed
UPDATE software_package k SET gate_failed_at = NULL
FROM unnest($1::int[], $2::uuid[]) AS p(id, file_id)
WHERE k.id = p.id AND k.file_id = p.file_id;

-- isInUse
SELECT FROM upgrade_task_package n JOIN upgrade_task a ON a.id = n.task_id
WHERE n.package_id = $1 AND a.state IN ('planned', 'running', 'paused') LIMIT 1;

-- markDeleted
UPDATE software_package SET deleted_at = now() WHERE id = $1;
