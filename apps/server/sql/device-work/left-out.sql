-- Written by `npm run docs:sql`.

-- leftOutFile
-- answers code text, name text null, operatorName text, equipTypeName text, equipModelName text, regionName text, part text, reason text
SELECT d.code, d.name, o.name AS "operatorName", t.name AS "equipTypeName", m.name AS "equipModelName",
    g.full_name AS "regionName", coalesce(p.name, l.part) AS part, l.reason
  FROM (
SELECT d.id, NULL::text, CASE WHEN d.model_id IN (
SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
WHERE t.classify = $1) THEN 'noAdvertisements' ELSE 'noCabinet' END
FROM device d WHERE (((true AND d.operator_id = ANY($2::int[]) AND d.model_id = ANY($3::int[]) AND d.region_id = ANY($4::int[]) AND d.id = ANY($5::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $6) AND d.business_status = ANY($7::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $8)) IS TRUE AND d.id = ANY(ARRAY(
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
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($17::int[]) AND model_id = ANY($18::int[]) AND region_id = ANY($19::int[]) AND semaphore_code = ANY($20::text[]) AND semaphore_code <> ALL($21::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $22::int[], $23::timestamptz[],
  $24::int[], $25::text[],
  $26::bigint[], $27::bigint[],
  $28::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($29::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $30::int)) IS TRUE) AND true) AND d.model_id IN (
SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
WHERE t.classify = $31) AND d.protocol <> ALL($32::text[])) AND NOT (d.model_id IN (
SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
WHERE t.classify = $33) AND d.protocol <> ALL($34::text[]))) l(device_id, part, reason)
  JOIN device d ON d.id = l.device_id
  JOIN operator o ON o.id = d.operator_id
  JOIN equip_model m ON m.id = d.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  JOIN region g ON g.id = d.region_id
  LEFT JOIN part_type p ON p.code = l.part
  ORDER BY d.code, p.order_num;
