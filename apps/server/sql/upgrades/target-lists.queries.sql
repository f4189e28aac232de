-- Written by `npm run docs:sql`.

-- listTargets
-- answers id int8, taskId int4, equipId int4, code text, operatorName text, regionName text, isOnline int4, stage int2, partType text, partTypeName text, version text, fromVersion text, result text, percent int2 null, isClaimed bool, reason text null, attempts int2, nextTime timestamptz, startTime timestamptz null, verifiedTime timestamptz null, reportTime timestamptz
WITH page AS MATERIALIZED (
    SELECT t.id FROM upgrade_target t WHERE t.task_id = $1 AND t.state = ANY($2::text[]) AND t.stage = $3 AND t.reason = $4 AND t.part_type = $5 AND t.id = ANY($6::int8[]) AND t.device_id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($7::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($8::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($9::int[])) AND "d"."region_id" = ANY($10::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $11 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($12::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($13::int[])) AND "d"."region_id" = ANY($14::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND
(t.device_id IN (SELECT d.id FROM device d WHERE ("d"."operator_id" = ANY($15::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($16::int[])) AND "d"."region_id" = ANY($17::int[])))) IS TRUE ORDER BY t.id LIMIT $18 OFFSET $19
  )
  SELECT t.id, t.task_id AS "taskId", d.id AS "equipId", d.code, o.name AS "operatorName",
    r.full_name AS "regionName", CASE WHEN s.online_changed_at IS NOT NULL THEN s.is_online::int END AS "isOnline",
    t.stage, t.part_type AS "partType", coalesce(p.name, t.part_type) AS "partTypeName",
    (k.major || '.' || k.minor) AS version, coalesce(
(SELECT string_agg(DISTINCT f.value, '、') FROM jsonb_each_text(t.from_versions) f), '') AS "fromVersion", t.state AS result, t.percent,
    t.claimed_at IS NOT NULL AND t.state = 'installing' AS "isClaimed", t.reason, t.attempts,
    CASE WHEN t.state = 'waiting' THEN t.next_at END AS "nextTime", t.started_at AS "startTime",
    t.verified_at AS "verifiedTime", greatest(t.changed_at, t.reported_at, (
SELECT c.finished_at FROM device_command c WHERE c.id = t.command_id AND t.state = 'sent' AND c.outcome = 'done')) AS "reportTime"
  FROM page
  JOIN upgrade_target t ON t.id = page.id
  JOIN device d ON d.id = t.device_id
  JOIN software_package k ON k.id = t.package_id
  JOIN operator o ON o.id = d.operator_id
  JOIN region r ON r.id = d.region_id
  LEFT JOIN device_state s ON s.device_id = d.id
  LEFT JOIN part_type p ON p.code = t.part_type
  ORDER BY t.id;

-- countTargets
-- answers count int4
SELECT count(*)::int AS count FROM upgrade_target t WHERE t.task_id = $1 AND t.state = ANY($2::text[]) AND t.stage = $3 AND t.reason = $4 AND t.part_type = $5 AND t.id = ANY($6::int8[]) AND t.device_id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($7::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($8::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($9::int[])) AND "d"."region_id" = ANY($10::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $11 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($12::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($13::int[])) AND "d"."region_id" = ANY($14::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND
(t.device_id IN (SELECT d.id FROM device d WHERE ("d"."operator_id" = ANY($15::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($16::int[])) AND "d"."region_id" = ANY($17::int[])))) IS TRUE;

-- listReasons
-- answers state text, reason text, count int4
SELECT t.state, coalesce(t.reason, '') AS reason, count(*)::int AS count
  FROM upgrade_target t WHERE t.task_id = $1 AND t.state = ANY($2::text[]) AND t.stage = $3 AND t.reason = $4 AND t.part_type = $5 AND t.id = ANY($6::int8[]) AND t.device_id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($7::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($8::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($9::int[])) AND "d"."region_id" = ANY($10::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $11 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($12::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($13::int[])) AND "d"."region_id" = ANY($14::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND
(t.device_id IN (SELECT d.id FROM device d WHERE ("d"."operator_id" = ANY($15::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($16::int[])) AND "d"."region_id" = ANY($17::int[])))) IS TRUE
  GROUP BY 1, 2 ORDER BY 3 DESC, 2 LIMIT 50;

-- findTaskOfTarget
-- answers taskId int4
SELECT t.task_id AS "taskId" FROM upgrade_target t JOIN device d ON d.id = t.device_id
WHERE t.id = $1::int8 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));

-- listTransitions
-- answers id int8, time timestamptz, stage int2 null, targetId int8 null, from text null, to text, cause text, detail jsonb null
SELECT x.id, x.at AS time, x.stage, x.target_id AS "targetId", x.from_state AS "from", x.to_state AS "to",
  x.cause, x.detail
FROM upgrade_transition x WHERE x.task_id = $1 AND x.target_id IS NULL
ORDER BY x.id DESC LIMIT $2 OFFSET $3;

-- countTransitions
-- answers count int4
SELECT count(*)::int AS count FROM upgrade_transition x WHERE x.task_id = $1 AND x.target_id IS NULL;

-- listLog
-- answers id int8, taskId int4, type text, equipId int4, code text, equipTypeId int4, equipTypeName text, partType text, partTypeName text, version text, fromVersion text, createTime timestamptz, result text, reason text null, reportTime timestamptz, createBy text
WITH page AS MATERIALIZED (
    SELECT t.id FROM upgrade_target t
    WHERE (t.task_id = ANY(ARRAY(SELECT a.id FROM upgrade_task a WHERE (a.started_at IS NOT NULL AND a.started_at >= $1 AND a.started_at < $2 AND a.equip_type_id = $3 AND a.type = $4 AND (a.type = 'ROLLBACK' OR EXISTS (
    SELECT FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
    WHERE n.task_id = a.id AND true
      AND true))))) AND t.device_id = $5 AND t.part_type = $6 AND t.package_id = ANY(ARRAY(SELECT k.id FROM software_package k WHERE (k.major || '.' || k.minor) = $7)) AND t.state = ANY($8::text[]) AND t.device_id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($9::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($10::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($11::int[])) AND "d"."region_id" = ANY($12::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $13 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($14::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($15::int[])) AND "d"."region_id" = ANY($16::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND t.id = ANY($17::int8[]) AND
(t.device_id IN (SELECT d.id FROM device d WHERE ("d"."operator_id" = ANY($18::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($19::int[])) AND "d"."region_id" = ANY($20::int[])))) IS TRUE)
      AND true
    ORDER BY t.id DESC LIMIT $21 OFFSET $22
  )
  SELECT t.id, t.task_id AS "taskId", a.type, d.id AS "equipId", d.code, a.equip_type_id AS "equipTypeId",
    e.name AS "equipTypeName", t.part_type AS "partType", coalesce(p.name, t.part_type) AS "partTypeName",
    (k.major || '.' || k.minor) AS version, coalesce(
(SELECT string_agg(DISTINCT f.value, '、') FROM jsonb_each_text(t.from_versions) f), '') AS "fromVersion", t.created_at AS "createTime",
    t.state AS result, t.reason, greatest(t.changed_at, t.reported_at, (
SELECT c.finished_at FROM device_command c WHERE c.id = t.command_id AND t.state = 'sent' AND c.outcome = 'done')) AS "reportTime",
    a.created_by_name AS "createBy"
  FROM page
  JOIN upgrade_target t ON t.id = page.id
  JOIN upgrade_task a ON a.id = t.task_id
  JOIN device d ON d.id = t.device_id
  JOIN software_package k ON k.id = t.package_id
  JOIN equip_type e ON e.id = a.equip_type_id
  LEFT JOIN part_type p ON p.code = t.part_type
  ORDER BY t.id DESC;

-- countLog
-- answers count int4
SELECT count(*)::int AS count FROM upgrade_target t WHERE (t.task_id = ANY(ARRAY(SELECT a.id FROM upgrade_task a WHERE (a.started_at IS NOT NULL AND a.started_at >= $1 AND a.started_at < $2 AND a.equip_type_id = $3 AND a.type = $4 AND (a.type = 'ROLLBACK' OR EXISTS (
    SELECT FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
    WHERE n.task_id = a.id AND true
      AND true))))) AND t.device_id = $5 AND t.part_type = $6 AND t.package_id = ANY(ARRAY(SELECT k.id FROM software_package k WHERE (k.major || '.' || k.minor) = $7)) AND t.state = ANY($8::text[]) AND t.device_id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($9::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($10::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($11::int[])) AND "d"."region_id" = ANY($12::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $13 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($14::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($15::int[])) AND "d"."region_id" = ANY($16::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND t.id = ANY($17::int8[]) AND
(t.device_id IN (SELECT d.id FROM device d WHERE ("d"."operator_id" = ANY($18::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($19::int[])) AND "d"."region_id" = ANY($20::int[])))) IS TRUE);
