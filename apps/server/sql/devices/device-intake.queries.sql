-- Written by `npm run docs:sql`.

-- setBackStatuses
UPDATE device_state s SET status_at = m.to_time
FROM unnest($1::int4[], $2::timestamptz[], $3::timestamptz[]) AS m(device_id, clock_limit, to_time)
WHERE s.device_id = m.device_id AND s.status_at > m.clock_limit;

-- meetReported
-- answers n int4
WITH m AS MATERIALIZED (
  SELECT * FROM unnest($1::int4[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[])
    WITH ORDINALITY AS m(device_id, name, addr, reported_at, clock_limit, n)
), set_back AS (
  UPDATE device_version s SET reported_at = m.reported_at FROM m
  WHERE s.device_id = m.device_id AND s.part_type = m.name AND s.addr_id = m.addr AND s.reported_at > m.clock_limit
)
SELECT m.n::int AS n FROM m
WHERE NOT EXISTS (SELECT FROM device_version s WHERE s.device_id = m.device_id AND s.part_type = m.name AND s.addr_id = m.addr OFFSET 0);

-- countUpTo
-- answers deviceId int4, n int4
SELECT m.device_id AS "deviceId", s.n
FROM unnest($1::int4[]) AS m(device_id)
CROSS JOIN LATERAL (
  SELECT count(*)::int AS n FROM (SELECT FROM device_version WHERE device_id = m.device_id LIMIT $2) s
) s;

-- upsertVersions
INSERT INTO device_version (device_id, part_type, addr_id, version, hw_version, pcb_code, reported_at)
SELECT m.* FROM unnest(
  $1::int4[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[]
) AS m(device_id, part_type, addr_id, version, hw_version, pcb_code, reported_at)
JOIN device d ON d.id = m.device_id
ON CONFLICT (device_id, part_type, addr_id) DO UPDATE
SET version = excluded.version, hw_version = excluded.hw_version, pcb_code = excluded.pcb_code,
  reported_at = excluded.reported_at
WHERE device_version.reported_at <= excluded.reported_at;

-- upsertParameters
INSERT INTO device_parameter (device_id, parameter_id, value, reported_at)
SELECT m.* FROM unnest($1::int4[], $2::text[], $3::text[], $4::timestamptz[])
  AS m(device_id, parameter_id, value, reported_at)
JOIN device d ON d.id = m.device_id
ON CONFLICT (device_id, parameter_id) DO UPDATE
SET value = excluded.value, reported_at = excluded.reported_at
WHERE device_parameter.reported_at <= excluded.reported_at;

-- upsertStatuses
INSERT INTO device_state (device_id, status, compartments, status_at)
SELECT m.device_id, m.status::jsonb, m.compartments::jsonb, m.status_at
FROM unnest($1::int4[], $2::text[], $3::text[], $4::timestamptz[])
  AS m(device_id, status, compartments, status_at)
JOIN device d ON d.id = m.device_id
ON CONFLICT (device_id) DO UPDATE
SET status = excluded.status, compartments = excluded.compartments, status_at = excluded.status_at
WHERE device_state.status_at IS NULL OR device_state.status_at <= excluded.status_at;

-- upsertSightings
INSERT INTO device_state (device_id, last_report_at, clock_offset_ms)
SELECT m.* FROM unnest($1::int4[], $2::timestamptz[], $3::int8[])
  AS m(device_id, last_report_at, clock_offset_ms)
JOIN device d ON d.id = m.device_id
ON CONFLICT (device_id) DO UPDATE
SET last_report_at = greatest(excluded.last_report_at, device_state.last_report_at),
  clock_offset_ms = coalesce(excluded.clock_offset_ms, device_state.clock_offset_ms);

-- upsertPresence
-- answers deviceId int4, changedAt timestamptz null
INSERT INTO device_state (device_id, is_online, online_changed_at, connected_from)
SELECT m.device_id, m.is_online, m.at, nullif(m.address, '')
FROM unnest($1::int4[], $2::bool[], $3::timestamptz[], $4::text[])
  AS m(device_id, is_online, at, address)
JOIN device d ON d.id = m.device_id
ON CONFLICT (device_id) DO UPDATE
SET is_online = excluded.is_online, online_changed_at = excluded.online_changed_at,
  connected_from = coalesce(excluded.connected_from, device_state.connected_from)
WHERE coalesce(
  device_state.online_changed_at <= excluded.online_changed_at
    OR device_state.online_changed_at > now() + interval '1 minute',
  true
)
RETURNING device_id AS "deviceId", online_changed_at AS "changedAt";

-- upsertPolled
-- answers changedAt timestamptz null
INSERT INTO device_state AS s (device_id, is_online, online_changed_at, connected_from)
SELECT id, true, $2, $3 FROM device WHERE id = $1
ON CONFLICT (device_id) DO UPDATE
SET is_online = true,
  online_changed_at = CASE WHEN s.is_online THEN s.online_changed_at ELSE excluded.online_changed_at END,
  connected_from = excluded.connected_from
RETURNING online_changed_at AS "changedAt";

-- endSilent
-- answers deviceId int4
UPDATE device_state s SET is_online = false, online_changed_at = now()
FROM device d
WHERE d.protocol = 'ddi' AND s.device_id = d.id AND s.is_online
  AND (s.last_report_at IS NULL OR s.last_report_at < $1)
RETURNING s.device_id AS "deviceId";
