-- Written by `npm run docs:sql`.

-- listBoards
-- answers id int4, pcbCode text, pcbName text, applyTo text, partType text, partTypeName text, equipTypeId int4, equipTypeName text, version int4, equipModelIds _int4, createTime timestamptz
SELECT b.id, b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", (
SELECT t.name || coalesce('：' || (
  SELECT coalesce(string_agg(m.name, '、' ORDER BY m.code) FILTER (WHERE m.equip_type_id = b.equip_type_id), '无适用型号')
  FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id
  WHERE bm.pcb_board_id = b.id HAVING count(*) > 0), '')
FROM equip_type t WHERE t.id = b.equip_type_id) AS "applyTo",
b.part_type AS "partType", p.name AS "partTypeName", b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName",
b.version,
    ARRAY(SELECT equip_model_id FROM pcb_board_model WHERE pcb_board_id = b.id ORDER BY 1) AS "equipModelIds",
    b.created_at AS "createTime"
  FROM pcb_board b
JOIN part_type p ON p.code = b.part_type
JOIN equip_type t ON t.id = b.equip_type_id
  WHERE b.deleted_at IS NULL AND b.id = ANY($1::int[]) AND (b.pcb_code ILIKE $2 OR b.pcb_name ILIKE $3) AND b.pcb_code ILIKE $4 AND b.equip_type_id = $5 AND b.part_type = ANY($6::text[])
  ORDER BY b.id DESC LIMIT $7 OFFSET $8;

-- lockPlace
-- answers name text
SELECT name FROM equip_model WHERE id = ANY($1::int[]) AND equip_type_id = $2
ORDER BY code FOR SHARE;

-- setModels
INSERT INTO pcb_board_model (pcb_board_id, equip_model_id)
SELECT $1, unnest($2::int[]);

-- lockBoard
-- answers id int4, version int4, pcbCode text, pcbName text, partType text, equipTypeId int4, equipTypeName text, modelIds _int4, equipModels _text
SELECT b.id, b.version, b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", b.part_type AS "partType",
  b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName",
  ARRAY(SELECT equip_model_id FROM pcb_board_model WHERE pcb_board_id = b.id) AS "modelIds",
  ARRAY(
    SELECT m.name FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id
    WHERE bm.pcb_board_id = b.id ORDER BY m.code
  ) AS "equipModels"
FROM pcb_board b JOIN equip_type t ON t.id = b.equip_type_id
WHERE b.id = $1 AND b.deleted_at IS NULL
FOR UPDATE OF b;

-- hasPackages
SELECT FROM software_package WHERE pcb_board_id = $1 AND deleted_at IS NULL LIMIT 1;

-- listPeople
-- answers userId int4, name text, reach jsonb
SELECT created_by AS "userId", created_by_name AS name, created_reach AS reach FROM software_package
WHERE pcb_board_id = $1 AND deleted_at IS NULL
UNION
SELECT file_by, file_by_name, file_reach FROM software_package
WHERE pcb_board_id = $2 AND deleted_at IS NULL;

-- deleteBoard
UPDATE pcb_board SET deleted_at = now() WHERE id = $1;

-- lockBoardsByCode
-- answers id int4, pcbCode text, pcbName text, applyTo text, partType text, partTypeName text, equipTypeId int4, equipTypeName text, version int4
SELECT b.id, b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", (
SELECT t.name || coalesce('：' || (
  SELECT coalesce(string_agg(m.name, '、' ORDER BY m.code) FILTER (WHERE m.equip_type_id = b.equip_type_id), '无适用型号')
  FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id
  WHERE bm.pcb_board_id = b.id HAVING count(*) > 0), '')
FROM equip_type t WHERE t.id = b.equip_type_id) AS "applyTo",
b.part_type AS "partType", p.name AS "partTypeName", b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName",
b.version FROM pcb_board b
JOIN part_type p ON p.code = b.part_type
JOIN equip_type t ON t.id = b.equip_type_id
  WHERE b.pcb_code = ANY($1::text[]) AND b.deleted_at IS NULL
  ORDER BY b.id FOR SHARE OF b;
