-- Since when and why a device is held back by the limits of the intake; null while it is not.
ALTER TABLE device_state ADD COLUMN throttled_since timestamptz;
ALTER TABLE device_state ADD COLUMN throttle_reason text;
ALTER TABLE device_state ADD CONSTRAINT device_state_throttle_whole
  CHECK ((throttled_since IS NULL) = (throttle_reason IS NULL));
CREATE INDEX device_state_throttled ON device_state (device_id) WHERE throttled_since IS NOT NULL;
