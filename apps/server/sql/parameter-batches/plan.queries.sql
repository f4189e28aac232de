-- Written by `npm run docs:sql`.

-- lockPlanning
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtext('parameter_target_plan'));

-- insertTargets
-- answers total int4, waiting int4
WITH added AS (
    INSERT INTO parameter_target (batch_id, device_id, state, reason, next_at, wanted, former)
    SELECT $1, device_id, CASE WHEN skip IS NULL THEN 'waiting' ELSE 'skipped' END, jsonb_build_object($2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text) ->> skip,
      CASE WHEN skip IS NULL THEN now() END, wanted, former
    FROM (
  SELECT chosen.id AS device_id, NULL::jsonb AS wanted, coalesce(known.former, '{}') AS former,
    CASE
      WHEN known.same = $10 THEN 'sameValue'
      WHEN EXISTS (
SELECT FROM parameter_target o JOIN parameter_batch ob ON ob.id = o.batch_id
WHERE o.device_id = chosen.id AND o.state IN ('waiting', 'sent', 'confirming')
  AND jsonb_exists_any(coalesce(o.wanted, ob.wanted), $11::text[])) THEN 'busy'
    END AS skip
  FROM (SELECT d.id FROM device d WHERE ((true AND d.operator_id = ANY($12::int[]) AND d.model_id = ANY($13::int[]) AND d.region_id = ANY($14::int[]) AND d.id = ANY($15::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $16) AND d.business_status = ANY($17::int[]) AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($18::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($19::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($20::int[])) AND "d"."region_id" = ANY($21::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $22 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($23::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($24::int[])) AND "d"."region_id" = ANY($25::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $26::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $27 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($28::text) || '%' AND (d.search_text LIKE '%' || lower($29::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($30::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($31::text) || '%')))) IS TRUE AND (d.id IN (SELECT a.device_id FROM alarm_state a WHERE a.is_active)) IS NOT TRUE) AND true)) chosen
  LEFT JOIN (
    SELECT p.device_id, jsonb_object_agg(p.parameter_id, p.value) AS former,
      count(*) FILTER (WHERE CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) AS same
    FROM device_parameter p JOIN jsonb_each_text($32::jsonb) w ON w.key = p.parameter_id
    JOIN device d ON d.id = p.device_id
    WHERE ((true AND d.operator_id = ANY($33::int[]) AND d.model_id = ANY($34::int[]) AND d.region_id = ANY($35::int[]) AND d.id = ANY($36::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $37) AND d.business_status = ANY($38::int[]) AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($39::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($40::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($41::int[])) AND "d"."region_id" = ANY($42::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $43 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($44::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($45::int[])) AND "d"."region_id" = ANY($46::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $47::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $48 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($49::text) || '%' AND (d.search_text LIKE '%' || lower($50::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($51::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($52::text) || '%')))) IS TRUE AND (d.id IN (SELECT a.device_id FROM alarm_state a WHERE a.is_active)) IS NOT TRUE) AND true)
    GROUP BY p.device_id
  ) known ON known.device_id = chosen.id) plan
    RETURNING state
  )
  SELECT count(*)::int AS total, (count(*) FILTER (WHERE state = 'waiting'))::int AS waiting FROM added;

-- summarize
-- answers chosen int4, devices int4, offline int4, skipped jsonb, changes jsonb
WITH plan AS MATERIALIZED (
  SELECT chosen.id AS device_id, NULL::jsonb AS wanted, coalesce(known.former, '{}') AS former,
    CASE
      WHEN known.same = $1 THEN 'sameValue'
      WHEN EXISTS (
SELECT FROM parameter_target o JOIN parameter_batch ob ON ob.id = o.batch_id
WHERE o.device_id = chosen.id AND o.state IN ('waiting', 'sent', 'confirming')
  AND jsonb_exists_any(coalesce(o.wanted, ob.wanted), $2::text[])) THEN 'busy'
    END AS skip
  FROM (SELECT d.id FROM device d WHERE ((true AND d.operator_id = ANY($3::int[]) AND d.model_id = ANY($4::int[]) AND d.region_id = ANY($5::int[]) AND d.id = ANY($6::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $7) AND d.business_status = ANY($8::int[]) AND d.id = ANY(ARRAY(
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
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $17::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $18 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($19::text) || '%' AND (d.search_text LIKE '%' || lower($20::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($21::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($22::text) || '%')))) IS TRUE AND (d.id IN (SELECT a.device_id FROM alarm_state a WHERE a.is_active)) IS NOT TRUE) AND true)) chosen
  LEFT JOIN (
    SELECT p.device_id, jsonb_object_agg(p.parameter_id, p.value) AS former,
      count(*) FILTER (WHERE CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) AS same
    FROM device_parameter p JOIN jsonb_each_text($23::jsonb) w ON w.key = p.parameter_id
    JOIN device d ON d.id = p.device_id
    WHERE ((true AND d.operator_id = ANY($24::int[]) AND d.model_id = ANY($25::int[]) AND d.region_id = ANY($26::int[]) AND d.id = ANY($27::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $28) AND d.business_status = ANY($29::int[]) AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($30::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($31::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($32::int[])) AND "d"."region_id" = ANY($33::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $34 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($35::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($36::int[])) AND "d"."region_id" = ANY($37::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $38::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $39 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($40::text) || '%' AND (d.search_text LIKE '%' || lower($41::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($42::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($43::text) || '%')))) IS TRUE AND (d.id IN (SELECT a.device_id FROM alarm_state a WHERE a.is_active)) IS NOT TRUE) AND true)
    GROUP BY p.device_id
  ) known ON known.device_id = chosen.id)
  SELECT count(*)::int AS chosen, (count(*) FILTER (WHERE skip IS NULL))::int AS devices,
    (count(*) FILTER (WHERE skip IS NULL AND s.is_online IS NOT TRUE))::int AS offline,
    coalesce((SELECT jsonb_agg(jsonb_build_object('reason', r.skip, 'devices', r.devices) ORDER BY r.devices DESC)
      FROM (SELECT skip, count(*) AS devices FROM plan WHERE skip IS NOT NULL GROUP BY skip) r), '[]') AS skipped,
    coalesce((SELECT jsonb_agg(to_jsonb(c) ORDER BY c.devices DESC, c.former)
      FROM (
        SELECT w.key AS id, w.value, plan.former ->> w.key AS former, count(*) AS devices
        FROM plan CROSS JOIN LATERAL jsonb_each_text(coalesce(plan.wanted, $44::jsonb)) w
        WHERE plan.skip IS NULL GROUP BY 1, 2, 3
      ) c), '[]') AS changes
  FROM plan LEFT JOIN device_state s ON s.device_id = plan.device_id;
