-- Written by `npm run docs:sql`.

-- listMappings
-- answers id int4, name text, isEnabled bool, topic text, ruleCount int4, commandCount int4, activeNo int4 null, isChanged bool, updateTime timestamptz, updateBy text null, version int4, models jsonb, deviceCount int4
SELECT p.id, p.name, p.is_enabled AS "isEnabled", p.draft ->> 'topic' AS topic,
  jsonb_array_length(p.draft -> 'rules') AS "ruleCount",
  jsonb_array_length(p.draft -> 'commands') AS "commandCount",
  v.no AS "activeNo", v.document IS DISTINCT FROM p.draft AS "isChanged",
  p.updated_at AS "updateTime", p.updated_by_name AS "updateBy", p.version,
  coalesce((
    SELECT jsonb_agg(jsonb_build_object('id', m.id, 'name', m.name, 'equipTypeName', t.name) ORDER BY t.id, m.id)
    FROM mapping_model mm
    JOIN equip_model m ON m.id = mm.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    WHERE mm.mapping_id = p.id
  ), '[]') AS models,
  (
    SELECT count(*)::int FROM mapping_model mm JOIN device d ON d.model_id = mm.model_id
    WHERE mm.mapping_id = p.id AND ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[]))
  ) AS "deviceCount"
FROM mapping p
LEFT JOIN mapping_version v ON v.mapping_id = p.id AND v.is_active
WHERE true AND p.id = $4 AND (p.name ILIKE $5 OR EXISTS (
  SELECT FROM mapping_model mm JOIN equip_model m ON m.id = mm.model_id
  WHERE mm.mapping_id = p.id AND m.name ILIKE $6))
ORDER BY p.name, p.id LIMIT $7 OFFSET $8;

-- findEntry
-- answers id int4, name text, draft jsonb, isEnabled bool, version int4, modelIds _int4, modelNames _text, activeNo int4
SELECT p.id, p.name, p.draft, p.is_enabled AS "isEnabled", p.version,
  ARRAY(SELECT model_id FROM mapping_model WHERE mapping_id = p.id ORDER BY model_id) AS "modelIds",
  ARRAY(
    SELECT m.name FROM mapping_model mm JOIN equip_model m ON m.id = mm.model_id
    WHERE mm.mapping_id = p.id ORDER BY m.id
  ) AS "modelNames",
  (SELECT no FROM mapping_version WHERE mapping_id = p.id AND is_active) AS "activeNo"
FROM mapping p WHERE p.id = $1;

-- findModelNames
-- answers id int4, name text
SELECT id, name FROM equip_model WHERE id = ANY($1::int[]) ORDER BY id;

-- lockCount
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('mapping made', 0));

-- setModels
DELETE FROM mapping_model WHERE mapping_id = $1 AND model_id <> ALL($2::int[]);

-- setModels
INSERT INTO mapping_model (model_id, mapping_id)
SELECT m, $1::int FROM unnest($2::int[]) AS m
WHERE NOT EXISTS (SELECT FROM mapping_model WHERE model_id = m AND mapping_id = $3::int);

-- listVersions
-- answers no int4, note text null, createBy text, createTime timestamptz
SELECT no, note, created_by_name AS "createBy", created_at AS "createTime"
FROM mapping_version WHERE mapping_id = $1 ORDER BY no DESC;

-- findDocument
-- answers document jsonb
SELECT document FROM mapping_version WHERE mapping_id = $1 AND no = $2;

-- insertVersion
-- answers no int4
INSERT INTO mapping_version (mapping_id, no, document, note, is_active, created_by_name)
SELECT $1::int, coalesce(max(no), 0) + 1, $2::jsonb, $3::text, true,
  $4::text
FROM mapping_version WHERE mapping_id = $5 RETURNING no;

-- switchOn
UPDATE mapping_version SET is_active = true WHERE mapping_id = $1 AND no = $2;

-- switchOff
UPDATE mapping_version SET is_active = false WHERE mapping_id = $1 AND is_active;

-- trimVersions
DELETE FROM mapping_version WHERE mapping_id = $1 AND NOT is_active
AND no <= (SELECT max(no) FROM mapping_version WHERE mapping_id = $2) - $3::int;

-- listKnown
-- answers modelId int4, mappingId int4, name text, no int4 null, document jsonb null
SELECT mm.model_id AS "modelId", p.id AS "mappingId", p.name, v.no, v.document
FROM mapping_model mm
JOIN mapping p ON p.id = mm.mapping_id
LEFT JOIN mapping_version v ON v.mapping_id = p.id AND v.is_active AND p.is_enabled
ORDER BY mm.mapping_id, mm.model_id;

-- lockTopics
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('mapping switched on', 0));

-- lockTopics
-- answers id int4, name text, topics _text
SELECT p.id, p.name, ARRAY(
  SELECT DISTINCT coalesce(r.rule ->> 'topic', v.document ->> 'topic')
  FROM jsonb_array_elements(
    CASE v.document -> 'rules' WHEN '[]' THEN '[{}]' ELSE v.document -> 'rules' END) AS r(rule)
  ORDER BY 1) AS topics
FROM mapping p JOIN mapping_version v ON v.mapping_id = p.id AND v.is_active
WHERE p.is_enabled ORDER BY p.id;

-- findOfDevice
-- answers protocol text, isObserved bool, mapping jsonb
SELECT d.protocol, EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = d.id AND y.is_enabled AND z.protocol = 'ocpp16') AS "isObserved",
    CASE WHEN p.id IS NOT NULL THEN jsonb_build_object('id', p.id, 'name', p.name, 'no', v.no) END AS mapping
  FROM device d
  LEFT JOIN mapping_model mm ON mm.model_id = d.model_id
  LEFT JOIN mapping p ON p.id = mm.mapping_id
  LEFT JOIN mapping_version v ON v.mapping_id = p.id AND v.is_active AND p.is_enabled
  WHERE d.id = $1;
