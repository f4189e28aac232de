-- Written by `npm run docs:sql`.

-- findDevice
-- answers id int4, code text, equipClassify text, isOnline bool
SELECT d.id, d.code, t.classify AS "equipClassify", coalesce(s.is_online, false) AS "isOnline"
FROM device d
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
LEFT JOIN device_state s ON s.device_id = d.id
WHERE d.code = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));

-- countRunningOf
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('log_extraction', $1));

-- setCommand
UPDATE log_extraction SET command_id = $1 WHERE id = $2;

-- listExtractions
-- answers id int8, equipId int4, equipCode text, equipClassify text, operatorName text, level text, levelName text, fileType text, startTime timestamptz, endTime timestamptz, state text, reason text null, receivedBytes float8, sizeBytes float8, fileId uuid null, commandId uuid null, createBy text, createTime timestamptz, changeTime timestamptz, deadline timestamptz
SELECT
x.id, d.id AS "equipId", d.code AS "equipCode", x.equip_classify AS "equipClassify", p.name AS "operatorName",
x.level, x.level_name AS "levelName", x.file_type AS "fileType", x.from_at AS "startTime",
x.to_at - interval '1 second' AS "endTime", x.state, x.reason, x.received_bytes::float8 AS "receivedBytes",
x.size_bytes::float8 AS "sizeBytes", x.file_id AS "fileId", x.command_id AS "commandId",
x.created_by_name AS "createBy", x.created_at AS "createTime", x.changed_at AS "changeTime",
CASE WHEN x.state IN ('waiting', 'taken') THEN x.deadline END AS deadline
  FROM log_extraction x JOIN device d ON d.id = x.device_id JOIN operator p ON p.id = d.operator_id
  WHERE (("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[])) AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($4::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $8 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($9::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($10::int[])) AND "d"."region_id" = ANY($11::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND x.created_by_name ILIKE $12 AND x.state = ANY($13::text[]) AND x.created_at >= $14 AND x.created_at < $15 AND x.id = ANY($16::int8[]) AND x.created_by = $17 AND (x.next_at IS NOT NULL OR x.changed_at > $18))
  ORDER BY x.id DESC LIMIT $19 OFFSET $20;

-- releaseFiles
-- answers id int8
UPDATE log_extraction SET file_id = NULL WHERE file_id IS NOT NULL AND created_at < $1
RETURNING id;

-- 
DELETE FROM log_extraction WHERE id IN (
SELECT id FROM log_extraction WHERE next_at IS NULL AND created_at < $1 LIMIT $2);
