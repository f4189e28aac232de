-- Written by `npm run docs:sql`.

-- leftOutFile
-- answers code text, name text null, operatorName text, equipTypeName text, equipModelName text, regionName text, part text, reason text
SELECT d.code, d.name, o.name AS "operatorName", t.name AS "equipTypeName", m.name AS "equipModelName",
    g.full_name AS "regionName", coalesce(p.name, l.part) AS part, l.reason
  FROM (SELECT device_id, NULL::text, skip FROM (
  SELECT chosen.id AS device_id, NULL::jsonb AS wanted, coalesce(known.former, '{}') AS former,
    CASE
      WHEN chosen.protocol = ANY($1::text[]) THEN 'noAbility'
      WHEN EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = chosen.id AND y.is_enabled AND z.protocol = 'ocpp16') THEN 'observed'
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
    WHERE t.classify = $13) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $14)) IS TRUE AND d.business_status = ANY($15::int[]) AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($16::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($17::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($18::int[])) AND "d"."region_id" = ANY($19::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $20 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($21::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($22::int[])) AND "d"."region_id" = ANY($23::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $24::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $25 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($26::text) || '%' AND (d.search_text LIKE '%' || lower($27::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($28::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($29::text) || '%')))) IS TRUE AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($30::int[]) AND model_id = ANY($31::int[]) AND region_id = ANY($32::int[]) AND semaphore_code = ANY($33::text[]) AND semaphore_code <> ALL($34::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $35::int[], $36::timestamptz[],
  $37::int[], $38::text[],
  $39::bigint[], $40::bigint[],
  $41::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($42::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $43::int)) IS TRUE) AND true)) chosen
  LEFT JOIN (
    SELECT p.device_id, jsonb_object_agg(p.parameter_id, p.value) AS former,
      count(*) FILTER (WHERE CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) AS same
    FROM device_parameter p JOIN jsonb_each_text($44::jsonb) w ON w.key = p.parameter_id
    JOIN device d ON d.id = p.device_id
    WHERE ((true AND d.operator_id = ANY($45::int[]) AND d.model_id = ANY($46::int[]) AND d.region_id = ANY($47::int[]) AND d.id = ANY($48::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $49) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $50)) IS TRUE AND d.business_status = ANY($51::int[]) AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($52::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($53::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($54::int[])) AND "d"."region_id" = ANY($55::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $56 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($57::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($58::int[])) AND "d"."region_id" = ANY($59::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $60::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $61 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($62::text) || '%' AND (d.search_text LIKE '%' || lower($63::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($64::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($65::text) || '%')))) IS TRUE AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($66::int[]) AND model_id = ANY($67::int[]) AND region_id = ANY($68::int[]) AND semaphore_code = ANY($69::text[]) AND semaphore_code <> ALL($70::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $71::int[], $72::timestamptz[],
  $73::int[], $74::text[],
  $75::bigint[], $76::bigint[],
  $77::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($78::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $79::int)) IS TRUE) AND true)
    GROUP BY p.device_id
  ) known ON known.device_id = chosen.id) plan WHERE skip IS NOT NULL) l(device_id, part, reason)
  JOIN device d ON d.id = l.device_id
  JOIN operator o ON o.id = d.operator_id
  JOIN equip_model m ON m.id = d.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  JOIN region g ON g.id = d.region_id
  LEFT JOIN part_type p ON p.code = l.part
  ORDER BY d.code, p.order_num;
