-- Reports: what is added up of past days once, so that a month is read within a second. Nothing here is a record of its
-- own: every row can be computed again from the history, as long as the history is kept.

-- What was written about days that are over, by whoever wrote it, in the same transaction. Rows are added, and taken by
-- the job that adds the days up again: nobody waits for another's.
CREATE TABLE report_touched (
  device_id integer NOT NULL,
  -- The day of this moment has other alarms than were counted; null: none has.
  alarm_at timestamptz,
  -- The device's state differs within this stretch; null: it does not.
  from_at timestamptz,
  to_at timestamptz
);

CREATE FUNCTION touch_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO report_touched VALUES
      (NEW.device_id, NEW.occurred_at, NEW.occurred_at, coalesce(NEW.recovered_at, now()));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO report_touched VALUES (OLD.device_id, OLD.occurred_at, NULL, NULL);
  ELSE
    INSERT INTO report_touched VALUES (
      NEW.device_id,
      CASE WHEN (NEW.operator_id, NEW.model_id, NEW.region_id)
        IS DISTINCT FROM (OLD.operator_id, OLD.model_id, OLD.region_id) THEN NEW.occurred_at END,
      CASE WHEN NEW.recovered_at IS DISTINCT FROM OLD.recovered_at THEN least(NEW.recovered_at, OLD.recovered_at) END,
      CASE WHEN NEW.recovered_at IS DISTINCT FROM OLD.recovered_at
        THEN greatest(coalesce(NEW.recovered_at, now()), coalesce(OLD.recovered_at, now())) END
    );
  END IF;
  RETURN NULL;
END $$;

-- The conditions hold for late reports, for devices that move and for those that are deleted. What is reported as it
-- happens costs ingest the comparison alone.
CREATE TRIGGER report_late_alarm AFTER INSERT ON alarm_history FOR EACH ROW
  WHEN (NEW.occurred_at < date_trunc('day', now()))
  EXECUTE FUNCTION touch_report();
CREATE TRIGGER report_changed_alarm AFTER UPDATE ON alarm_history FOR EACH ROW
  WHEN (
    OLD.recovered_at IS DISTINCT FROM NEW.recovered_at
      AND least(OLD.recovered_at, NEW.recovered_at) < date_trunc('day', now())
    OR (OLD.operator_id, OLD.model_id, OLD.region_id) IS DISTINCT FROM (NEW.operator_id, NEW.model_id, NEW.region_id)
      AND NEW.occurred_at < date_trunc('day', now())
  )
  EXECUTE FUNCTION touch_report();
CREATE TRIGGER report_deleted_alarm AFTER DELETE ON alarm_history FOR EACH ROW
  WHEN (OLD.occurred_at < date_trunc('day', now()))
  EXECUTE FUNCTION touch_report();

-- The days that are added up, in the zone whose days they are. A day that is not here is read from the history.
CREATE TABLE report_day (
  part text NOT NULL CHECK (part IN ('alarms', 'devices')),
  day date NOT NULL,
  zone text NOT NULL,
  PRIMARY KEY (part, day)
);

-- A region that gets another parent has other regions above it on every day.
CREATE FUNCTION forget_reports_of_regions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM report_day WHERE part = 'alarms';
  RETURN NULL;
END $$;
CREATE TRIGGER report_moved_region AFTER UPDATE OF path ON region FOR EACH ROW
  WHEN (OLD.path IS DISTINCT FROM NEW.path)
  EXECUTE FUNCTION forget_reports_of_regions();

-- Alarms by ten minutes of a day: of an operator, a model, a region with all below it, a semaphore. Ten minutes
-- without an alarm are left out.
CREATE TABLE report_window (
  day date NOT NULL,
  kind text NOT NULL CHECK (kind IN ('operator', 'model', 'region', 'code')),
  key text NOT NULL,
  -- The number of the ten minutes, from 0 at midnight, and the alarms in them.
  at smallint[] NOT NULL,
  n integer[] NOT NULL,
  PRIMARY KEY (kind, key, day)
);
CREATE INDEX report_window_day ON report_window (day);

-- Alarms that chattered on a day, with the place that the device's history has.
CREATE TABLE report_chattering (
  day date NOT NULL,
  device_id integer NOT NULL,
  semaphore_code text NOT NULL,
  operator_id integer NOT NULL,
  model_id integer NOT NULL,
  region_id integer NOT NULL,
  n integer NOT NULL,
  PRIMARY KEY (day, device_id, semaphore_code)
);

-- From when on a device counts.
CREATE TABLE report_device (
  device_id integer PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  known_from timestamptz NOT NULL
);

-- The days on which a device did not work all day, in whole seconds. A day that is added up and not here was all up.
CREATE TABLE report_device_day (
  day date NOT NULL,
  device_id integer NOT NULL,
  down_s integer NOT NULL,
  planned_s integer NOT NULL,
  unknown_s integer NOT NULL,
  failures integer NOT NULL,
  -- How long those failures lasted that ended on this day.
  recovered_s integer[] NOT NULL,
  -- Since when it is down, at the end of the day; null: it is not.
  down_since timestamptz,
  PRIMARY KEY (day, device_id)
);

-- When the server ran: a row from its start on, extended while it runs. Between two rows nothing is known of any device.
CREATE TABLE report_beat (
  from_at timestamptz PRIMARY KEY,
  to_at timestamptz NOT NULL
);
