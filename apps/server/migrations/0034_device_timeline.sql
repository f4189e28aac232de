-- When devices came and went: a row for each change of device_state.is_online, written by the trigger that tells
-- device_listing of it. Kept for 90 days; a job removes what is older.
CREATE TABLE device_connection (
  id bigint GENERATED ALWAYS AS IDENTITY,
  device_id integer NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  at timestamptz NOT NULL,
  is_online boolean NOT NULL,
  address text,
  PRIMARY KEY (device_id, at, id)
);
CREATE INDEX device_connection_at ON device_connection USING brin (at) WITH (autosummarize = on);

CREATE OR REPLACE FUNCTION list_connection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE device_listing SET connection =
    CASE WHEN NEW.is_online THEN 1 WHEN NEW.online_changed_at IS NOT NULL THEN 0 ELSE 2 END
  WHERE id = NEW.device_id;
  INSERT INTO device_connection (device_id, at, is_online, address)
  VALUES (NEW.device_id, coalesce(NEW.online_changed_at, now()), NEW.is_online,
    CASE WHEN NEW.is_online THEN NEW.connected_from END);
  RETURN NULL;
END $$;

-- What was done to one device is read newest first from each of these.
DROP INDEX device_command_device;
CREATE INDEX device_command_device ON device_command (device_id, created_at);
CREATE INDEX operation_log_device ON operation_log (target, at, id) WHERE target LIKE '设备 %';
