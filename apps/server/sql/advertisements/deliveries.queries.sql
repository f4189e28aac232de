-- Written by `npm run docs:sql`.

-- listOffering
-- answers id int8, createdBy int4, createdByName text, decidedIn int4 null, asker jsonb
SELECT t.id, a.created_by AS "createdBy", a.created_by_name AS "createdByName",
  a.decided_in AS "decidedIn",
  CASE WHEN t.asked_by IS NOT NULL
    THEN jsonb_build_object('userId', t.asked_by, 'name', t.asked_by_name) END AS asker
FROM advertisement a
JOIN advertisement_delivery t ON t.advertisement_id = a.id
JOIN device d ON d.id = t.device_id
WHERE a.file_id = $1 AND d.code = $2
  AND a.deleted_at IS NULL AND a.ends_at > now() AND t.withdrawal IS NULL;

-- addUnknown
-- answers count int4
WITH added AS (
  INSERT INTO advertisement_delivery (advertisement_id, device_id, state, withdrawal)
  SELECT a.id, d.id, 'removing',
    CASE WHEN a.deleted_at IS NOT NULL THEN 'deleted' WHEN a.ends_at <= now() THEN 'over' ELSE 'leftScope' END
  FROM unnest(
    $1::int[], $2::int[]
  ) AS k(device_id, advertisement_id)
  JOIN advertisement a ON a.id = k.advertisement_id
  JOIN device d ON d.id = k.device_id
  WHERE NOT EXISTS (
    SELECT FROM advertisement_delivery t WHERE t.advertisement_id = a.id AND t.device_id = d.id)
  ON CONFLICT ON CONSTRAINT advertisement_delivery_once DO NOTHING
  RETURNING 1
) SELECT count(*)::int AS count FROM added;

-- addDeliveries
-- answers count int4
WITH added AS (
    INSERT INTO advertisement_delivery (advertisement_id, device_id)
    SELECT $1::int, d.id FROM device d WHERE ((true AND d.operator_id = ANY($2::int[]) AND d.model_id = ANY($3::int[]) AND d.region_id = ANY($4::int[]) AND d.id = ANY($5::bigint[]) AND d.model_id IN (
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
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($29::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $30::int)) IS TRUE) AND d.model_id IN (
SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
WHERE t.classify = $31) AND d.protocol <> ALL($32::text[]))
    ON CONFLICT ON CONSTRAINT advertisement_delivery_once DO NOTHING
    RETURNING 1
  ) SELECT count(*)::int AS count FROM added;

-- readFiles
-- answers advertisementId int4, createdBy int4, createdByName text, decidedIn int4 null, name text, fileId uuid, sizeBytes float8, sha256 text, contentType text, startsAtMs float8, endsAtMs float8
SELECT a.id AS "advertisementId", a.created_by AS "createdBy", a.created_by_name AS "createdByName",
  a.decided_in AS "decidedIn", a.name, a.file_id AS "fileId", f.size_bytes::float8 AS "sizeBytes",
  f.sha256, f.content_type AS "contentType",
  (extract(epoch FROM a.starts_at) * 1000)::float8 AS "startsAtMs",
  (extract(epoch FROM a.ends_at) * 1000)::float8 AS "endsAtMs"
FROM advertisement a JOIN stored_file f ON f.id = a.file_id
WHERE a.id = ANY($1::int[]);

-- readReach
-- answers chosen int4, devices int4, offline int4, types jsonb
WITH cabinet AS MATERIALIZED (SELECT d.id, d.model_id FROM device d WHERE (((true AND d.operator_id = ANY($1::int[]) AND d.model_id = ANY($2::int[]) AND d.region_id = ANY($3::int[]) AND d.id = ANY($4::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $5) AND d.business_status = ANY($6::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $7)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($8::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($9::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($10::int[])) AND "d"."region_id" = ANY($11::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $12 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($13::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($14::int[])) AND "d"."region_id" = ANY($15::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($16::int[]) AND model_id = ANY($17::int[]) AND region_id = ANY($18::int[]) AND semaphore_code = ANY($19::text[]) AND semaphore_code <> ALL($20::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $21::int[], $22::timestamptz[],
  $23::int[], $24::text[],
  $25::bigint[], $26::bigint[],
  $27::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($28::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $29::int)) IS TRUE) AND true) AND d.model_id IN (
SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
WHERE t.classify = $30) AND d.protocol <> ALL($31::text[]))),
  types AS (
    SELECT t.name AS "equipTypeName", count(*)::int AS devices
    FROM cabinet c JOIN equip_model m ON m.id = c.model_id JOIN equip_type t ON t.id = m.equip_type_id
    GROUP BY t.id ORDER BY 2 DESC, t.id
  )
  SELECT (SELECT count(*) FROM device d WHERE (((true AND d.operator_id = ANY($32::int[]) AND d.model_id = ANY($33::int[]) AND d.region_id = ANY($34::int[]) AND d.id = ANY($35::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $36) AND d.business_status = ANY($37::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $38)) IS TRUE AND d.id = ANY(ARRAY(
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
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($47::int[]) AND model_id = ANY($48::int[]) AND region_id = ANY($49::int[]) AND semaphore_code = ANY($50::text[]) AND semaphore_code <> ALL($51::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $52::int[], $53::timestamptz[],
  $54::int[], $55::text[],
  $56::bigint[], $57::bigint[],
  $58::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($59::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $60::int)) IS TRUE) AND true) AND d.model_id IN (
SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
WHERE t.classify = $61) AND d.protocol <> ALL($62::text[])))::int AS chosen,
    (SELECT count(*) FROM cabinet)::int AS devices,
    (SELECT count(*) FROM cabinet c LEFT JOIN device_state s ON s.device_id = c.id
     WHERE s.is_online IS NOT TRUE)::int AS offline,
    (SELECT coalesce(jsonb_agg(types), '[]') FROM types) AS types;
