-- Written by `npm run docs:sql`.

-- markThrottled
INSERT INTO device_state (device_id, throttled_since, throttle_reason)
SELECT id, now(), $1 FROM device WHERE id = $2
ON CONFLICT (device_id) DO UPDATE SET
  throttled_since = coalesce(device_state.throttled_since, excluded.throttled_since),
  throttle_reason = excluded.throttle_reason
WHERE device_state.throttle_reason IS DISTINCT FROM excluded.throttle_reason;

-- clearThrottled
-- answers deviceId int4
UPDATE device_state SET throttled_since = NULL, throttle_reason = NULL
WHERE throttled_since IS NOT NULL AND ($1::int4 IS NULL OR device_id = $2)
RETURNING device_id AS "deviceId";
