-- The feed of events for other systems. What happens is appended by the statement that writes it, in its transaction: one
-- insert for all rows of a batch. Numbers of sequences are no order of commits, so rows get their place in the feed
-- later, once they can be seen: whoever reads moves them from feed_pending to feed_event, one at a time.
CREATE TABLE feed_pending (
  -- Of two rows of the same subject, the later has the greater id: it was written by somebody who saw the former.
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  device_id integer NOT NULL,
  -- When it happened.
  moment timestamptz NOT NULL,
  -- Of alarms: the episode, when it began, its code and its value.
  episode_id bigint,
  began_at timestamptz,
  semaphore_code text,
  value bigint,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- In the order of commits. No foreign keys: a row outlives neither its week nor, for readers, its device.
CREATE TABLE feed_event (
  seq bigint PRIMARY KEY,
  kind text NOT NULL,
  device_id integer NOT NULL,
  moment timestamptz NOT NULL,
  episode_id bigint,
  began_at timestamptz,
  semaphore_code text,
  value bigint,
  at timestamptz NOT NULL
);

-- One row, locked by whoever gives out places.
CREATE TABLE feed_state (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  last_seq bigint NOT NULL
);
INSERT INTO feed_state (last_seq) VALUES (0);

-- Events are appended while somebody reads the feed: an installation without a reader pays nothing for it in its intake.
-- A reader that was away for longer than events are kept has missed some anyway, and is told so.
CREATE TABLE feed_reader (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- Of the last call, to an hour; null before the first.
  read_at timestamptz
);
INSERT INTO feed_reader (read_at) VALUES (NULL);

-- Seven days, and the hour by which read_at may be late.
CREATE FUNCTION feed_is_read() RETURNS boolean LANGUAGE sql STABLE AS
  $$ SELECT coalesce(read_at > now() - interval '169 hours', false) FROM feed_reader $$;

CREATE FUNCTION feed_new_alarms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, episode_id, began_at, semaphore_code, value)
  SELECT kind, device_id, moment, id, occurred_at, semaphore_code, value FROM (
    SELECT 'alarm.raised' AS kind, 1 AS n, device_id, occurred_at AS moment, id, occurred_at, semaphore_code, value
    FROM added
    UNION ALL
    -- What is reported late may be over already.
    SELECT 'alarm.recovered', 2, device_id, recovered_at, id, occurred_at, semaphore_code, value
    FROM added WHERE recovered_at IS NOT NULL
  ) AS news ORDER BY n, id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_new_alarms AFTER INSERT ON alarm_history REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION feed_new_alarms();

CREATE FUNCTION feed_changed_alarms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, episode_id, began_at, semaphore_code, value)
  SELECT kind, device_id, moment, id, occurred_at, semaphore_code, value FROM (
    SELECT 'alarm.changed' AS kind, 1 AS n, now.device_id, clock_timestamp() AS moment, now.id, now.occurred_at,
      now.semaphore_code, now.value
    FROM after now JOIN before was ON was.id = now.id AND was.occurred_at = now.occurred_at
    WHERE now.value <> was.value
    UNION ALL
    SELECT 'alarm.recovered', 2, now.device_id, now.recovered_at, now.id, now.occurred_at, now.semaphore_code, now.value
    FROM after now JOIN before was ON was.id = now.id AND was.occurred_at = now.occurred_at
    WHERE now.recovered_at IS NOT NULL AND was.recovered_at IS NULL
  ) AS news ORDER BY n, id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_changed_alarms AFTER UPDATE ON alarm_history REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION feed_changed_alarms();

CREATE FUNCTION feed_handled_alarms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, episode_id, began_at)
  SELECT CASE a.kind WHEN 'ack' THEN 'alarm.acknowledged' ELSE 'alarm.closed' END, a.device_id, a.at, a.episode_id,
    h.occurred_at
  FROM added a JOIN alarm_handling h ON h.episode_id = a.episode_id
  WHERE a.kind IN ('ack', 'close') ORDER BY a.id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_handled_alarms AFTER INSERT ON alarm_handling_action REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION feed_handled_alarms();

CREATE FUNCTION feed_connections() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment)
  SELECT CASE WHEN is_online THEN 'device.online' ELSE 'device.offline' END, device_id, at FROM added ORDER BY id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_connections AFTER INSERT ON device_connection REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION feed_connections();
