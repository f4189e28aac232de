-- Written by `npm run docs:sql`.

-- listDeviceCodes
-- answers code text
SELECT d.code FROM device d WHERE d.id = ANY($1::int[]) AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
ORDER BY d.id;

-- listReleasesOfBoard
-- answers packageId int4, fileId uuid, maker jsonb, supplier jsonb, version text
SELECT
k.id AS "packageId", "k"."file_id" AS "fileId",
jsonb_build_object('userId', k.created_by, 'name', k.created_by_name, 'reach', k.created_reach) AS maker,
jsonb_build_object('userId', "k"."file_by", 'name', "k"."file_by_name", 'reach', "k"."file_reach")
  AS supplier, (k.major || '.' || k.minor) AS version
FROM software_package k JOIN pcb_board b ON b.id = k.pcb_board_id
WHERE b.pcb_code = $1 AND b.deleted_at IS NULL AND k.deleted_at IS NULL AND k.is_release
  AND CASE WHEN $2::text IS NULL THEN (k.is_release AND k.gate_failed_at IS NULL)
    ELSE (k.major || '.' || k.minor) = $3 END
ORDER BY k.major DESC, k.minor DESC, k.hw_version NULLS LAST, k.id;

-- readPlacesOfDevices
-- answers operatorId int4, equipTypeId int4, regionId int4
SELECT DISTINCT d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId", d.region_id AS "regionId"
FROM device d JOIN equip_model m ON m.id = d.model_id WHERE d.id = ANY($1::int[]);
