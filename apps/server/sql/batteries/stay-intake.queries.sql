-- Written by `npm run docs:sql`.

-- lockStates
-- answers deviceId int4, statusMs float8
SELECT s.device_id AS "deviceId", (extract(epoch FROM s.status_at) * 1000)::float8 AS "statusMs"
FROM device_state s WHERE s.device_id = ANY($1::int4[]) ORDER BY s.device_id FOR NO KEY UPDATE;

-- readStays
-- answers deviceId int4, compartment int2, code text, endMs float8, stretches jsonb
SELECT s.device_id AS "deviceId", s.compartment, s.battery_code AS code,
  (extract(epoch FROM s.ended_at) * 1000)::float8 AS "endMs",
  coalesce(s.stretches, jsonb_build_array(jsonb_build_array(
    extract(epoch FROM s.started_at) * 1000, extract(epoch FROM s.seen_at) * 1000,
    s.soc_in, extract(epoch FROM s.soc_in_at) * 1000,
    s.soc_out, extract(epoch FROM s.soc_out_at) * 1000))) AS stretches
FROM unnest($1::int4[], $2::int2[], $3::timestamptz[]) AS m(device_id, compartment, since)
CROSS JOIN LATERAL (
  SELECT * FROM battery_stay s
  WHERE s.device_id = m.device_id AND s.compartment = m.compartment
    AND coalesce(s.ended_at, 'infinity'::timestamptz) >= m.since
  LIMIT $4
) AS s;

-- deleteStays
DELETE FROM battery_stay s
USING unnest($1::int4[], $2::int2[], $3::timestamptz[], $4::text[])
  AS m(device_id, compartment, started_at, code)
WHERE s.device_id = m.device_id AND s.compartment = m.compartment AND s.started_at = m.started_at
  AND s.battery_code = m.code;

-- putStays
INSERT INTO battery_stay (device_id, compartment, battery_code, started_at, seen_at, ended_at,
  soc_in, soc_in_at, soc_out, soc_out_at, stretches)
SELECT m.device_id, m.compartment, m.code, m.started_at, m.seen_at, m.ended_at,
  m.soc_in::real, m.soc_in_at, m.soc_out::real, m.soc_out_at, m.stretches::jsonb
FROM unnest($1::int4[], $2::int2[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[],
  $7::text[], $8::timestamptz[], $9::text[], $10::timestamptz[], $11::text[])
  AS m(device_id, compartment, code, started_at, seen_at, ended_at,
    soc_in, soc_in_at, soc_out, soc_out_at, stretches)
JOIN device d ON d.id = m.device_id
ON CONFLICT (device_id, compartment, started_at, battery_code) DO UPDATE
SET seen_at = excluded.seen_at, ended_at = excluded.ended_at, soc_in = excluded.soc_in,
  soc_in_at = excluded.soc_in_at, soc_out = excluded.soc_out, soc_out_at = excluded.soc_out_at,
  stretches = excluded.stretches;

-- findCodes
-- answers code text
SELECT b.code FROM battery b WHERE b.code = ANY($1::text[]);

-- countFound
-- answers deviceId int4, count int4
SELECT b.found_by AS "deviceId", count(*)::int AS count FROM battery b
WHERE b.found_by = ANY($1::int4[]) AND b.found_at > now() - interval '1 day' GROUP BY b.found_by;

-- addBatteries
INSERT INTO battery (code, found_by)
SELECT m.code, m.device_id FROM unnest($1::text[], $2::int4[]) AS m(code, device_id)
ORDER BY m.code COLLATE "C"
ON CONFLICT (code) DO NOTHING;

-- placeBatteries
SELECT FROM battery b WHERE b.code = ANY($1::text[]) ORDER BY b.code FOR NO KEY UPDATE;

-- placeBatteries
UPDATE battery b SET device_id = n.device_id, compartment = n.compartment, started_at = n.started_at,
  ended_at = n.ended_at, claims = n.claims, state = CASE WHEN n.is_same THEN b.state END
FROM (
  SELECT b.code, p.device_id, p.compartment, p.started_at, p.ended_at, o.claims,
    p.ended_at IS NULL AND (p.device_id, p.compartment) IS NOT DISTINCT FROM (b.device_id, b.compartment) AS is_same
  FROM unnest($1::text[]) AS m(code)
  JOIN battery b ON b.code = m.code
  LEFT JOIN LATERAL (
    SELECT s.* FROM battery_stay s WHERE s.battery_code = m.code AND s.battery_code <> ''
    ORDER BY s.started_at DESC LIMIT 1
  ) AS last ON true
  LEFT JOIN LATERAL (
    SELECT s.* FROM battery_stay s LEFT JOIN device_state d ON d.device_id = s.device_id
    WHERE s.battery_code = m.code AND s.battery_code <> '' AND s.ended_at IS NULL
      AND (s.started_at = last.started_at OR last.ended_at IS NOT NULL AND last.seen_at <= CASE
        WHEN d.compartments @> jsonb_build_array(jsonb_build_object('no', s.compartment, 'batteryCode', m.code))
        THEN greatest(s.seen_at, d.status_at) ELSE s.seen_at END)
    ORDER BY s.started_at DESC, s.device_id, s.compartment LIMIT 1
  ) AS other ON true
  CROSS JOIN LATERAL (
    SELECT count(*)::int2 AS claims FROM battery_stay s
    WHERE s.battery_code = m.code AND s.battery_code <> '' AND s.ended_at IS NULL
  ) AS o
  CROSS JOIN LATERAL (
    SELECT coalesce(other.device_id, last.device_id) AS device_id,
      coalesce(other.compartment, last.compartment) AS compartment,
      coalesce(other.started_at, last.started_at) AS started_at,
      CASE WHEN other.device_id IS NULL THEN last.ended_at END AS ended_at
  ) AS p
) AS n
WHERE b.code = n.code
  AND (b.device_id, b.compartment, b.started_at, b.ended_at, b.claims)
    IS DISTINCT FROM (n.device_id, n.compartment, n.started_at, n.ended_at, n.claims);

-- describeBatteries
UPDATE battery b SET state = m.state, soh = coalesce(m.soh::real, b.soh),
  soh_by = CASE WHEN m.soh IS NULL THEN b.soh_by ELSE m.device_id END
FROM unnest($1::int4[], $2::int2[], $3::text[], $4::text[], $5::text[])
  AS m(device_id, compartment, code, state, soh)
WHERE b.code = m.code AND b.device_id = m.device_id AND b.compartment = m.compartment AND b.ended_at IS NULL
  AND (b.state, b.soh, b.soh_by) IS DISTINCT FROM (m.state, coalesce(m.soh::real, b.soh),
    CASE WHEN m.soh IS NULL THEN b.soh_by ELSE m.device_id END);

-- putStock
-- answers deviceId int4
INSERT INTO device_stock (device_id, full_count, charging_count, idle_count, empty_count, faulty_count,
  disabled_count)
SELECT m.* FROM unnest($1::int4[], $2::int2[], $3::int2[], $4::int2[], $5::int2[], $6::int2[], $7::int2[])
  AS m(device_id, full_count, charging_count, idle_count, empty_count, faulty_count, disabled_count)
JOIN device d ON d.id = m.device_id
ON CONFLICT (device_id) DO UPDATE
SET full_count = excluded.full_count, charging_count = excluded.charging_count,
  idle_count = excluded.idle_count, empty_count = excluded.empty_count,
  faulty_count = excluded.faulty_count, disabled_count = excluded.disabled_count, changed_at = now()
WHERE (device_stock.full_count, device_stock.charging_count, device_stock.idle_count,
    device_stock.empty_count, device_stock.faulty_count, device_stock.disabled_count)
  IS DISTINCT FROM (excluded.full_count, excluded.charging_count, excluded.idle_count,
    excluded.empty_count, excluded.faulty_count, excluded.disabled_count)
RETURNING device_id AS "deviceId";

-- deleteStock
DELETE FROM device_stock s WHERE s.device_id = ANY($1::int4[]);
