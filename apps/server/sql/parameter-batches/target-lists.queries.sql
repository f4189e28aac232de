-- Written by `npm run docs:sql`.

-- readCounts
-- answers id int4, state text, count int4
SELECT t.batch_id AS id, t.state, count(*)::int AS count FROM parameter_target t
  WHERE t.batch_id = ANY($1::int[]) AND t.state <> 'sent' AND true GROUP BY 1, 2
  UNION ALL
  SELECT t.batch_id, CASE
WHEN t.state = 'sent' AND (SELECT c.state FROM device_command c WHERE c.id = t.command_id) = 'waiting' THEN 'waiting'
ELSE t.state END, count(*)::int FROM parameter_target t
  WHERE t.batch_id = ANY($2::int[]) AND t.state = 'sent' AND true GROUP BY 1, 2;

-- listTargets
-- answers id int8, equipId int4, code text, name text null, address text null, operatorName text, regionName text, isOnline int4, state text, isTrial bool, reason text null, attempts int2, nextTime timestamptz, values jsonb, verifiedTime timestamptz null, changeTime timestamptz
WITH page AS MATERIALIZED (
    SELECT t.id FROM parameter_target t WHERE t.batch_id = $1 AND true AND t.state = ANY($2::text[]) AND CASE
WHEN t.state = 'sent' AND (SELECT c.state FROM device_command c WHERE c.id = t.command_id) = 'waiting' THEN 'waiting'
ELSE t.state END = ANY($3::text[]) AND t.reason = $4 AND t.device_id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($5::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($6::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "d"."region_id" = ANY($8::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $9 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($10::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($11::int[])) AND "d"."region_id" = ANY($12::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND t.is_trial = $13 AND t.id = ANY($14::int8[]) AND t.id > $15::int8
    ORDER BY t.id LIMIT $16 OFFSET $17
  )
  SELECT t.id, d.id AS "equipId", d.code, d.name, d.address, o.name AS "operatorName", r.full_name AS "regionName",
    CASE WHEN s.online_changed_at IS NOT NULL THEN s.is_online::int END AS "isOnline",
    CASE
WHEN t.state = 'sent' AND (SELECT c.state FROM device_command c WHERE c.id = t.command_id) = 'waiting' THEN 'waiting'
ELSE t.state END AS state, t.is_trial AS "isTrial", t.reason, t.attempts, CASE WHEN t.state = 'waiting' THEN t.next_at END AS "nextTime",
    (SELECT jsonb_agg(jsonb_build_object('id', w.key, 'value', w.value, 'former', t.former ->> w.key,
        'current', p.value) ORDER BY w.key)
      FROM jsonb_each_text(coalesce(t.wanted, b.wanted)) w
      LEFT JOIN device_parameter p ON p.device_id = t.device_id AND p.parameter_id = w.key
      WHERE w.value IS NOT NULL) AS values,
    t.verified_at AS "verifiedTime", t.changed_at AS "changeTime"
  FROM page
  JOIN parameter_target t ON t.id = page.id
  JOIN parameter_batch b ON b.id = t.batch_id
  JOIN device d ON d.id = t.device_id
  JOIN operator o ON o.id = d.operator_id
  JOIN region r ON r.id = d.region_id
  LEFT JOIN device_state s ON s.device_id = d.id
  ORDER BY t.id;

-- listReasons
-- answers state text, reason text, count int4
SELECT t.state, coalesce(t.reason, '') AS reason, count(*)::int AS count
  FROM parameter_target t WHERE t.batch_id = $1 AND true AND t.state = ANY($2::text[]) AND CASE
WHEN t.state = 'sent' AND (SELECT c.state FROM device_command c WHERE c.id = t.command_id) = 'waiting' THEN 'waiting'
ELSE t.state END = ANY($3::text[]) AND t.reason = $4 AND t.device_id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($5::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($6::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "d"."region_id" = ANY($8::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $9 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($10::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($11::int[])) AND "d"."region_id" = ANY($12::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND t.is_trial = $13 AND t.id = ANY($14::int8[])
  GROUP BY 1, 2 ORDER BY 3 DESC, 2 LIMIT 50;

-- readPlacesOfBatches
-- answers id text, operatorId int4, equipTypeId int4, regionId int4
SELECT DISTINCT t.batch_id::text AS id, d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId",
  d.region_id AS "regionId"
FROM parameter_target t JOIN device d ON d.id = t.device_id JOIN equip_model m ON m.id = d.model_id
WHERE t.batch_id = ANY($1::int[]);

-- listLog
-- answers id int8, equipId int4, code text, attempt int2, result text, reason text null, wanted jsonb, createTime timestamptz, sendTime timestamptz, answerTime timestamptz null, endTime timestamptz null
WITH page AS MATERIALIZED (
    SELECT a.id FROM parameter_attempt a WHERE a.batch_id = $1 AND a.result = ANY($2::text[]) AND a.target_id = $3::int8 AND a.target_id IN (
    SELECT t.id FROM parameter_target t WHERE t.batch_id = $4 AND t.device_id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($5::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($6::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "d"."region_id" = ANY($8::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $9 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($10::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($11::int[])) AND "d"."region_id" = ANY($12::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND true) ORDER BY a.id DESC LIMIT $13 OFFSET $14
  )
  SELECT a.id, d.id AS "equipId", d.code, a.number AS attempt, a.result, a.reason,
    coalesce(t.wanted, b.wanted) AS wanted, a.created_at AS "createTime",
    coalesce(a.sent_at, CASE WHEN c.attempts > 0 THEN c.sent_at END) AS "sendTime",
    a.answered_at AS "answerTime", a.ended_at AS "endTime"
  FROM page
  JOIN parameter_attempt a ON a.id = page.id
  JOIN parameter_target t ON t.id = a.target_id
  JOIN parameter_batch b ON b.id = t.batch_id
  JOIN device d ON d.id = t.device_id
  LEFT JOIN device_command c ON c.id = a.command_id
  ORDER BY a.id DESC;
