-- Written by `npm run docs:sql`.

-- leftOutFile
-- answers code text, name text null, operatorName text, equipTypeName text, equipModelName text, regionName text, part text, reason text
SELECT d.code, d.name, o.name AS "operatorName", t.name AS "equipTypeName", m.name AS "equipModelName",
    g.full_name AS "regionName", coalesce(p.name, l.part) AS part, l.reason
  FROM (SELECT device_id, NULL::text, skip FROM (
  SELECT chosen.id AS device_id, NULL::jsonb AS wanted, coalesce(known.former, '{}') AS former,
    CASE
      WHEN chosen.protocol = ANY($1::text[]) THEN 'noAbility'
      WHEN chosen.protocol = 'ocpp16' AND $2::boolean
        OR chosen.protocol <> 'ocpp16' AND $3::boolean THEN 'noParameter'
      WHEN chosen.protocol <> 'ocpp16' AND chosen.model_id IN (
SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
WHERE t.classify <> $4 AND (
  SELECT count(DISTINCT p.parameter_id) FROM device o JOIN device_parameter p ON p.device_id = o.id
  WHERE o.model_id = m.id AND p.parameter_id = ANY($5::text[])
) < $6) THEN 'noParameter'
      WHEN known.same = $7 THEN 'sameValue'
      WHEN EXISTS (
SELECT FROM parameter_target o JOIN parameter_batch ob ON ob.id = o.batch_id
WHERE o.device_id = chosen.id AND o.state IN ('held', 'waiting', 'sent', 'confirming')
  AND jsonb_exists_any(coalesce(o.wanted, ob.wanted), $8::text[])) THEN 'busy'
    END AS skip
  FROM (SELECT d.id, d.model_id, d.protocol FROM device d WHERE ((true AND d.operator_id = ANY($9::int[]) AND d.model_id = ANY($10::int[]) AND d.region_id = ANY($11::int[]) AND d.id = ANY($12::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $13) AND (d.id IN (SELECT id FROM device WHERE protocol = 'ddi')) IS NOT TRUE AND d.business_status = ANY($14::int[]) AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($15::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($16::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($17::int[])) AND "d"."region_id" = ANY($18::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $19 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($20::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($21::int[])) AND "d"."region_id" = ANY($22::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $23::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $24 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($25::text) || '%' AND (d.search_text LIKE '%' || lower($26::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($27::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($28::text) || '%')))) IS TRUE AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($29::int[]) AND model_id = ANY($30::int[]) AND region_id = ANY($31::int[]) AND semaphore_code = ANY($32::text[]) AND semaphore_code <> ALL($33::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $34::int[], $35::timestamptz[],
  $36::int[], $37::text[],
  $38::bigint[], $39::bigint[],
  $40::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($41::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $42::int)) IS TRUE) AND true)) chosen
  LEFT JOIN (
    SELECT p.device_id, jsonb_object_agg(p.parameter_id, p.value) AS former,
      count(*) FILTER (WHERE CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) AS same
    FROM device_parameter p JOIN jsonb_each_text($43::jsonb) w ON w.key = p.parameter_id
    JOIN device d ON d.id = p.device_id
    WHERE ((true AND d.operator_id = ANY($44::int[]) AND d.model_id = ANY($45::int[]) AND d.region_id = ANY($46::int[]) AND d.id = ANY($47::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $48) AND (d.id IN (SELECT id FROM device WHERE protocol = 'ddi')) IS NOT TRUE AND d.business_status = ANY($49::int[]) AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($50::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($51::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($52::int[])) AND "d"."region_id" = ANY($53::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $54 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($55::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($56::int[])) AND "d"."region_id" = ANY($57::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $58::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $59 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($60::text) || '%' AND (d.search_text LIKE '%' || lower($61::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($62::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($63::text) || '%')))) IS TRUE AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($64::int[]) AND model_id = ANY($65::int[]) AND region_id = ANY($66::int[]) AND semaphore_code = ANY($67::text[]) AND semaphore_code <> ALL($68::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $69::int[], $70::timestamptz[],
  $71::int[], $72::text[],
  $73::bigint[], $74::bigint[],
  $75::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($76::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $77::int)) IS TRUE) AND true)
    GROUP BY p.device_id
  ) known ON known.device_id = chosen.id) plan WHERE skip IS NOT NULL) l(device_id, part, reason)
  JOIN device d ON d.id = l.device_id
  JOIN operator o ON o.id = d.operator_id
  JOIN equip_model m ON m.id = d.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  JOIN region g ON g.id = d.region_id
  LEFT JOIN part_type p ON p.code = l.part
  ORDER BY d.code, p.order_num;
