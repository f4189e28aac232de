-- Written by `npm run docs:sql`.

-- listBatteries
-- answers id text, code text, state text, soc float8, soh float8, temperature float8, deviceId int4, deviceCode text, deviceName text null, isOnline int4, compartment int2, operatorName text, regionName text, startTime timestamptz, endTime timestamptz, seenTime timestamptz, isConflict bool, foundTime timestamptz
WITH page AS MATERIALIZED (
    SELECT b.code FROM battery b WHERE (b.device_id IS NOT NULL AND b.code = ANY($1::text[]) AND b.code = ANY($2::text[]) AND b.claims > 1 AND CASE WHEN (b.claims <= 1 OR EXISTS (SELECT FROM device d WHERE d.id = "b"."device_id" AND ("d"."operator_id" = ANY($3::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($4::int[])) AND "d"."region_id" = ANY($5::int[])))) THEN b.ended_at IS NULL AND b.state = $6
  ELSE $7 = (
    SELECT cell.value->>'state' FROM battery_stay s
    JOIN device d ON d.id = s.device_id
    LEFT JOIN device_state ds ON ds.device_id = d.id
    LEFT JOIN LATERAL (
SELECT c.value FROM jsonb_array_elements(ds.compartments) AS c(value)
WHERE s.ended_at IS NULL AND c.value @> jsonb_build_object('no', s.compartment, 'batteryCode', s.battery_code)
LIMIT 1) AS cell ON true
    WHERE s.battery_code = b.code AND s.battery_code <> '' AND s.ended_at IS NULL AND ("d"."operator_id" = ANY($8::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($9::int[])) AND "d"."region_id" = ANY($10::int[]))
    ORDER BY s.started_at DESC LIMIT 1) END AND b.search_code LIKE '%' || lower($11::text) || '%' AND (b.device_id IN (SELECT d.id FROM device d WHERE (
  true
  AND true
  AND true))
    OR b.claims > 1 AND EXISTS (
      SELECT FROM battery_stay s JOIN device d ON d.id = s.device_id
      WHERE s.battery_code = b.code AND s.battery_code <> '' AND s.ended_at IS NULL AND (
  true
  AND true
  AND true))) AND (b.claims > 1 AND EXISTS (
SELECT FROM battery_stay s LEFT JOIN device_state ds ON ds.device_id = s.device_id
WHERE s.battery_code = b.code AND s.battery_code <> '' AND s.ended_at IS NULL AND EXISTS (
SELECT FROM battery_stay o
LEFT JOIN device_state os ON os.device_id = o.device_id
WHERE o.battery_code = s.battery_code AND o.battery_code <> ''
  AND (o.device_id, o.compartment) <> (s.device_id, s.compartment)
  AND o.started_at < CASE
  WHEN "s"."ended_at" IS NULL AND "ds"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "s"."compartment", 'batteryCode', "s"."battery_code"))
  THEN greatest("s"."seen_at", "ds"."status_at") ELSE "s"."seen_at" END - $12 * interval '1 millisecond'
  AND coalesce(o.ended_at, 'infinity') > s.started_at
  AND least(CASE
  WHEN "o"."ended_at" IS NULL AND "os"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "o"."compartment", 'batteryCode', "o"."battery_code"))
  THEN greatest("o"."seen_at", "os"."status_at") ELSE "o"."seen_at" END, CASE
  WHEN "s"."ended_at" IS NULL AND "ds"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "s"."compartment", 'batteryCode', "s"."battery_code"))
  THEN greatest("s"."seen_at", "ds"."status_at") ELSE "s"."seen_at" END) - greatest(o.started_at, s.started_at) > $13 * interval '1 millisecond')))) AND b.code > $14 ORDER BY b.code LIMIT $15 OFFSET $16
  )
  SELECT b.code AS id, b.code,
    CASE WHEN s.ended_at IS NOT NULL THEN 'away'
      ELSE coalesce(CASE WHEN s.is_chief THEN b.state ELSE cell.value->>'state' END, 'present') END AS state,
    coalesce((cell.value->>'soc')::float8, s.soc_out) AS soc,
    coalesce((cell.value->>'soh')::float8, CASE WHEN (EXISTS (SELECT FROM device d WHERE d.id = "b"."soh_by" AND ("d"."operator_id" = ANY($17::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($18::int[])) AND "d"."region_id" = ANY($19::int[]))) OR b.soh_by IS NULL AND NOT EXISTS (
      SELECT FROM battery_stay x JOIN device d ON d.id = x.device_id
      WHERE x.battery_code = b.code AND x.battery_code <> '' AND NOT ("d"."operator_id" = ANY($20::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($21::int[])) AND "d"."region_id" = ANY($22::int[])))) THEN b.soh END) AS soh,
    (cell.value->>'temperature')::float8 AS temperature,
    d.id AS "deviceId", d.code AS "deviceCode", d.name AS "deviceName",
    coalesce(ds.is_online, false)::int AS "isOnline", s.compartment,
    p.name AS "operatorName", r.full_name AS "regionName",
    s.started_at AS "startTime", s.ended_at AS "endTime", CASE
  WHEN "s"."ended_at" IS NULL AND "ds"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "s"."compartment", 'batteryCode', "s"."battery_code"))
  THEN greatest("s"."seen_at", "ds"."status_at") ELSE "s"."seen_at" END AS "seenTime",
    (b.claims > 1 AND EXISTS (
SELECT FROM battery_stay s LEFT JOIN device_state ds ON ds.device_id = s.device_id
WHERE s.battery_code = b.code AND s.battery_code <> '' AND s.ended_at IS NULL AND EXISTS (
SELECT FROM battery_stay o
LEFT JOIN device_state os ON os.device_id = o.device_id
WHERE o.battery_code = s.battery_code AND o.battery_code <> ''
  AND (o.device_id, o.compartment) <> (s.device_id, s.compartment)
  AND o.started_at < CASE
  WHEN "s"."ended_at" IS NULL AND "ds"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "s"."compartment", 'batteryCode', "s"."battery_code"))
  THEN greatest("s"."seen_at", "ds"."status_at") ELSE "s"."seen_at" END - $23 * interval '1 millisecond'
  AND coalesce(o.ended_at, 'infinity') > s.started_at
  AND least(CASE
  WHEN "o"."ended_at" IS NULL AND "os"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "o"."compartment", 'batteryCode', "o"."battery_code"))
  THEN greatest("o"."seen_at", "os"."status_at") ELSE "o"."seen_at" END, CASE
  WHEN "s"."ended_at" IS NULL AND "ds"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "s"."compartment", 'batteryCode', "s"."battery_code"))
  THEN greatest("s"."seen_at", "ds"."status_at") ELSE "s"."seen_at" END) - greatest(o.started_at, s.started_at) > $24 * interval '1 millisecond'))) AS "isConflict", CASE WHEN EXISTS (SELECT FROM device d WHERE d.id = "b"."found_by" AND ("d"."operator_id" = ANY($25::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($26::int[])) AND "d"."region_id" = ANY($27::int[]))) THEN b.found_at ELSE (
      SELECT min(x.started_at) FROM battery_stay x JOIN device d ON d.id = x.device_id
      WHERE x.battery_code = b.code AND x.battery_code <> '' AND ("d"."operator_id" = ANY($28::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($29::int[])) AND "d"."region_id" = ANY($30::int[]))
    ) END AS "foundTime"
  FROM page JOIN battery b ON b.code = page.code
  CROSS JOIN LATERAL (
    SELECT s.*, (s.device_id, s.compartment, s.started_at) = (b.device_id, b.compartment, b.started_at) AS is_chief
    FROM battery_stay s JOIN device d ON d.id = s.device_id
    WHERE s.battery_code = b.code AND s.battery_code <> '' AND ("d"."operator_id" = ANY($31::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($32::int[])) AND "d"."region_id" = ANY($33::int[]))
      AND ((s.device_id, s.compartment, s.started_at) = (b.device_id, b.compartment, b.started_at)
        OR b.claims > 1 AND s.ended_at IS NULL)
    ORDER BY (s.device_id, s.compartment, s.started_at) = (b.device_id, b.compartment, b.started_at) DESC,
      s.started_at DESC LIMIT 1
  ) AS s
  JOIN device d ON d.id = s.device_id
  JOIN operator p ON p.id = d.operator_id
  JOIN region r ON r.id = d.region_id
  LEFT JOIN device_state ds ON ds.device_id = d.id
  LEFT JOIN LATERAL (
SELECT c.value FROM jsonb_array_elements(ds.compartments) AS c(value)
WHERE s.ended_at IS NULL AND c.value @> jsonb_build_object('no', s.compartment, 'batteryCode', b.code)
LIMIT 1) AS cell ON true
  ORDER BY b.code;

-- listStays
-- answers id text, deviceId int4, deviceCode text, deviceName text null, regionName text, compartment int2, startTime timestamptz, endTime timestamptz, seenTime timestamptz, socIn float4 null, socOut float4, isConflict bool
SELECT d.id || '-' || s.compartment || '-' || extract(epoch FROM s.started_at) AS id,
    d.id AS "deviceId", d.code AS "deviceCode", d.name AS "deviceName",
    (SELECT r.full_name FROM region r WHERE r.id = d.region_id) AS "regionName",
    s.compartment, s.started_at AS "startTime", s.ended_at AS "endTime", CASE
  WHEN "s"."ended_at" IS NULL AND "ds"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "s"."compartment", 'batteryCode', "s"."battery_code"))
  THEN greatest("s"."seen_at", "ds"."status_at") ELSE "s"."seen_at" END AS "seenTime",
    s.soc_in AS "socIn", CASE WHEN s.ended_at IS NOT NULL THEN s.soc_out END AS "socOut", EXISTS (
SELECT FROM battery_stay o
LEFT JOIN device_state os ON os.device_id = o.device_id
WHERE o.battery_code = s.battery_code AND o.battery_code <> ''
  AND (o.device_id, o.compartment) <> (s.device_id, s.compartment)
  AND o.started_at < CASE
  WHEN "s"."ended_at" IS NULL AND "ds"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "s"."compartment", 'batteryCode', "s"."battery_code"))
  THEN greatest("s"."seen_at", "ds"."status_at") ELSE "s"."seen_at" END - $1 * interval '1 millisecond'
  AND coalesce(o.ended_at, 'infinity') > s.started_at
  AND least(CASE
  WHEN "o"."ended_at" IS NULL AND "os"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "o"."compartment", 'batteryCode', "o"."battery_code"))
  THEN greatest("o"."seen_at", "os"."status_at") ELSE "o"."seen_at" END, CASE
  WHEN "s"."ended_at" IS NULL AND "ds"."compartments" @> jsonb_build_array(
    jsonb_build_object('no', "s"."compartment", 'batteryCode', "s"."battery_code"))
  THEN greatest("s"."seen_at", "ds"."status_at") ELSE "s"."seen_at" END) - greatest(o.started_at, s.started_at) > $2 * interval '1 millisecond') AS "isConflict"
FROM battery_stay s
JOIN device d ON d.id = s.device_id
LEFT JOIN device_state ds ON ds.device_id = d.id
WHERE s.battery_code = $3 AND s.battery_code <> '' AND ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[]))
  AND ($7::timestamptz IS NULL OR s.started_at < $8)
  AND ($9::timestamptz IS NULL OR coalesce(s.ended_at, 'infinity') >= $10) AND s.ended_at IS NULL
  ORDER BY s.started_at DESC, s.device_id, s.compartment LIMIT $11 OFFSET $12;

-- readPlacesOfBatteries
-- answers id text, operatorId int4, equipTypeId int4, regionId int4
SELECT b.code AS id, d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId", d.region_id AS "regionId"
FROM battery b JOIN device d ON d.id = b.device_id JOIN equip_model m ON m.id = d.model_id
WHERE b.code = ANY($1::text[]);

-- findBatteries
-- answers code text, deviceCode text, deviceName text null, compartment int4, isAway bool
SELECT b.code, d.code AS "deviceCode", d.name AS "deviceName", coalesce(b.compartment, 0) AS compartment,
  b.ended_at IS NOT NULL AS "isAway"
FROM battery b JOIN device d ON d.id = b.device_id
WHERE b.search_code LIKE '%' || lower($1::text) || '%' AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
ORDER BY b.search_code = lower($5::text) DESC, b.search_code LIKE '%' || lower($6::text) DESC, length(b.code), b.code
LIMIT $7;
