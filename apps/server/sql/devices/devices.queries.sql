-- Written by `npm run docs:sql`.

-- listAndCountDevices
-- answers total int4, ids _int4
WITH found AS MATERIALIZED (SELECT d.id FROM device_listing d WHERE (true AND d.operator_id = ANY($1::int[]) AND d.model_id = ANY($2::int[]) AND d.region_id = ANY($3::int[]) AND d.id = ANY($4::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $5) AND d.business_status = ANY($6::int[]) AND d.connection = $7::int AND d.connection <> 2 AND d.offline_since < now() - $8 * interval '1 hour' AND (d.search_text LIKE '%' || lower($9::text) || '%' AND (d.search_text LIKE '%' || lower($10::text) || '%')) AND ((d.search_text LIKE '%' || lower($11::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($12::text) || '%')) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $13)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($14::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($15::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($16::int[])) AND "d"."region_id" = ANY($17::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $18 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($19::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($20::int[])) AND "d"."region_id" = ANY($21::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($22::int[]) AND model_id = ANY($23::int[]) AND region_id = ANY($24::int[]) AND semaphore_code = ANY($25::text[]) AND semaphore_code <> ALL($26::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $27::int[], $28::timestamptz[],
  $29::int[], $30::text[],
  $31::bigint[], $32::bigint[],
  $33::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($34::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $35::int)) IS TRUE))
  SELECT (SELECT count(*)::int FROM found) AS total,
    ARRAY(SELECT d.id FROM found d ORDER BY d.id DESC LIMIT $36 OFFSET $37) AS ids;

-- readRows
-- answers id int4, code text, name text null, isOnline int4, onlineChangedTime timestamptz null, organizationId int4, organizationName text, operatorId int4, operatorName text, equipTypeId int4, equipTypeName text, equipClassify text, equipModelId int4, equipModelName text, regionCode text, regionName text, address text null, businessStatus int2, protocol text, throttledSince timestamptz null, throttleReason text null, alarmCount int4, worstAlarmLevel int2, shelvedCount int4, fullCount int2, usableCount int2, updateTime timestamptz null, createTime timestamptz, version int4
WITH page AS MATERIALIZED (SELECT d.id FROM device_listing d WHERE (true AND d.operator_id = ANY($1::int[]) AND d.model_id = ANY($2::int[]) AND d.region_id = ANY($3::int[]) AND d.id = ANY($4::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $5) AND d.business_status = ANY($6::int[]) AND d.connection = $7::int AND d.connection <> 2 AND d.offline_since < now() - $8 * interval '1 hour' AND (d.search_text LIKE '%' || lower($9::text) || '%' AND (d.search_text LIKE '%' || lower($10::text) || '%')) AND ((d.search_text LIKE '%' || lower($11::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($12::text) || '%')) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $13)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($14::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($15::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($16::int[])) AND "d"."region_id" = ANY($17::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $18 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($19::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($20::int[])) AND "d"."region_id" = ANY($21::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($22::int[]) AND model_id = ANY($23::int[]) AND region_id = ANY($24::int[]) AND semaphore_code = ANY($25::text[]) AND semaphore_code <> ALL($26::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $27::int[], $28::timestamptz[],
  $29::int[], $30::text[],
  $31::bigint[], $32::bigint[],
  $33::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($34::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $35::int)) IS TRUE) AND d.id < $36
    ORDER BY d.id DESC LIMIT $37 OFFSET $38)
  SELECT
    d.id, d.code, d.name,
    coalesce(s.is_online, false)::int AS "isOnline", s.online_changed_at AS "onlineChangedTime",
    o.id AS "organizationId", o.name AS "organizationName",
    p.id AS "operatorId", p.name AS "operatorName",
    t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
    m.id AS "equipModelId", m.name AS "equipModelName",
    r.code AS "regionCode", r.full_name AS "regionName",
    d.address, d.business_status AS "businessStatus", d.protocol,
    s.throttled_since AS "throttledSince", s.throttle_reason AS "throttleReason",
    alarms.count AS "alarmCount", alarms.worst AS "worstAlarmLevel", alarms.shelved AS "shelvedCount",
    k.full_count AS "fullCount",
    k.full_count + k.charging_count + k.idle_count + k.empty_count AS "usableCount",
    s.last_report_at AS "updateTime", d.created_at AS "createTime", d.version
  FROM page
  JOIN device d ON d.id = page.id
  JOIN operator p ON p.id = d.operator_id
  JOIN organization o ON o.id = p.organization_id
  JOIN equip_model m ON m.id = d.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  JOIN region r ON r.id = d.region_id
  LEFT JOIN device_state s ON s.device_id = d.id
  LEFT JOIN device_stock k ON k.device_id = d.id
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE NOT a.is_quiet)::int AS count, count(*) FILTER (WHERE a.is_quiet)::int AS shelved,
      min(e.alarm_level) FILTER (WHERE NOT a.is_quiet) AS worst
    FROM (
      SELECT semaphore_code, ((operator_id = ANY($39::int[]) AND model_id = ANY($40::int[]) AND region_id = ANY($41::int[]) AND semaphore_code = ANY($42::text[]) AND semaphore_code <> ALL($43::text[])) OR (device_id = ANY($44::int[])
    AND EXISTS (SELECT FROM
unnest(
  $45::int[], $46::timestamptz[],
  $47::int[], $48::text[],
  $49::bigint[], $50::bigint[],
  $51::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($52::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) AS is_quiet FROM alarm_state WHERE device_id = d.id AND is_active
    ) a
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = a.semaphore_code
  ) alarms
  ORDER BY d.id DESC;

-- findDevices
-- answers id int4, code text, name text null, operatorName text, regionName text, address text null, isOnline int2
WITH found AS MATERIALIZED (
  SELECT d.id, CASE
    WHEN d.code = lower($1::text) THEN 0
    WHEN d.code LIKE '%' || lower($2::text) THEN 1
    WHEN d.code LIKE lower($3::text) || '%' THEN 2
    WHEN d.code LIKE '%' || lower($4::text) || '%' THEN 3
    ELSE 4 END AS rank
  FROM device_listing d WHERE ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[])) AND (d.search_text LIKE '%' || lower($8::text) || '%' AND (d.search_text LIKE '%' || lower($9::text) || '%'))
  ORDER BY rank, length(d.code), d.id DESC LIMIT $10
)
SELECT d.id, d.code, d.name, p.name AS "operatorName", r.full_name AS "regionName", d.address,
  nullif(l.connection, 2) AS "isOnline"
FROM found f
JOIN device d ON d.id = f.id
JOIN device_listing l ON l.id = f.id
JOIN operator p ON p.id = d.operator_id
JOIN region r ON r.id = d.region_id
ORDER BY f.rank, length(d.code), d.id DESC;

-- findCode
-- answers code text
SELECT d.code FROM device d WHERE d.id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));

-- 
DELETE FROM device_connection WHERE ctid = ANY(ARRAY(
SELECT ctid FROM device_connection WHERE at < $1 LIMIT $2));

-- listOnlineOf
-- answers deviceId int4
SELECT s.device_id AS "deviceId" FROM device_state s JOIN device d ON d.id = s.device_id
WHERE s.device_id = ANY($1::int4[]) AND s.is_online AND d.protocol = 'mqtt';
