-- Written by `npm run docs:sql`.

-- claimDevices
-- answers deviceId int4, epoch int4, takenFrom int4 null, changedAt timestamptz null
INSERT INTO device_state AS s (device_id, is_online, online_changed_at, connected_from, held_by, held_epoch)
SELECT m.device_id, m.is_online, m.at, nullif(m.address, ''), m.node_id, 1
FROM unnest($1::int4[], $2::bool[], $3::timestamptz[], $4::text[], $5::int4[])
  AS m(device_id, is_online, at, address, node_id)
JOIN device d ON d.id = m.device_id
JOIN node n ON n.id = m.node_id AND n.lease_until > clock_timestamp()
ON CONFLICT (device_id) DO UPDATE
SET is_online = excluded.is_online,
  online_changed_at = CASE
    WHEN s.is_online = excluded.is_online THEN s.online_changed_at
    ELSE excluded.online_changed_at
  END,
  connected_from = coalesce(excluded.connected_from, s.connected_from),
  held_by = excluded.held_by, held_epoch = s.held_epoch + 1,
  taken_from = CASE WHEN s.held_by <> excluded.held_by THEN s.held_by END
RETURNING device_id AS "deviceId", held_epoch AS epoch, taken_from AS "takenFrom",
  online_changed_at AS "changedAt";

-- releaseDevices
-- answers deviceId int4
UPDATE device_state s SET is_online = false, online_changed_at = m.at
FROM unnest($1::int4[], $2::timestamptz[], $3::int4[], $4::int4[]) AS m(device_id, at, node_id, epoch)
WHERE s.device_id = m.device_id AND s.held_by = m.node_id AND s.held_epoch = m.epoch AND s.is_online
RETURNING s.device_id AS "deviceId";

-- listTaken
-- answers ids _int4
SELECT array_agg(s.device_id) AS ids
FROM unnest($1::int4[], $2::int4[]) AS m(device_id, node_id)
JOIN device_state s ON s.device_id = m.device_id AND s.held_by <> m.node_id;

-- adoptDevices
-- answers deviceId int4
UPDATE device_state s SET held_by = $3
FROM unnest($1::int4[], $2::int4[]) AS m(device_id, epoch)
WHERE s.device_id = m.device_id AND s.held_by = $4 AND s.held_epoch = m.epoch
RETURNING s.device_id AS "deviceId";

-- releaseAbandoned
-- answers deviceId int4
WITH abandoned AS MATERIALIZED (
  SELECT s.device_id FROM device_state s JOIN device d ON d.id = s.device_id
  WHERE s.is_online AND d.protocol = ANY($3::text[]) AND NOT EXISTS (
    SELECT FROM node n WHERE n.id = s.held_by AND n.lease_until > clock_timestamp() - $2 * interval '1 ms'
  )
  ORDER BY s.device_id LIMIT $1 FOR UPDATE OF s SKIP LOCKED
)
UPDATE device_state s SET is_online = false, online_changed_at = clock_timestamp()
FROM abandoned a WHERE s.device_id = a.device_id
RETURNING s.device_id AS "deviceId";

-- listHeld
-- answers ids _int4
SELECT array_agg(s.device_id) AS ids
FROM device_state s JOIN node n ON n.id = s.held_by AND n.lease_until > clock_timestamp()
WHERE s.device_id = ANY ($1::int4[]) AND s.is_online;
