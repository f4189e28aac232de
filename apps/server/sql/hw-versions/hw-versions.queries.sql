-- Written by `npm run docs:sql`.

-- listHwVersions
-- answers id int4, equipType int4, equipTypeName text, equipModelId int4, equipModelName text, partType text, partTypeName text, versionName text, versionCode text, versionNote text null, createTime timestamptz
SELECT h.id, t.id AS "equipType", t.name AS "equipTypeName", m.id AS "equipModelId",
  m.name AS "equipModelName", h.part_type AS "partType", p.name AS "partTypeName",
  h.name AS "versionName", h.code AS "versionCode", h.note AS "versionNote", h.created_at AS "createTime"
FROM hw_version h
JOIN equip_model m ON m.id = h.equip_model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN part_type p ON p.code = h.part_type
WHERE true AND m.equip_type_id = $1 AND h.equip_model_id = $2 AND h.part_type = $3 AND (h.name ILIKE $4 OR h.code ILIKE $5)
ORDER BY h.id DESC LIMIT $6 OFFSET $7;

-- findPlace
-- answers modelName text, hasPart bool
SELECT
  (SELECT m.name FROM equip_model m WHERE m.id = $1 AND m.equip_type_id = t.id) AS "modelName",
  EXISTS (
    SELECT FROM equip_model_part p WHERE p.equip_model_id = $2 AND p.part_type = $3
  ) AS "hasPart"
FROM equip_type t WHERE t.id = $4;
