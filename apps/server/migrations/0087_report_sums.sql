-- Sums of reports by place and by device, which stay when a device moves, is deleted or reports late: what differs since is
-- written beside them with its sign, and added at every read until a job adds it to the sums.

-- Alarms by ten minutes of a day. The kind says what a row fixes (o operator, m model, r region, c code); of the rest it has
-- 0 and ''. A region is the one that devices are in.
DROP TABLE report_window;
CREATE TABLE report_window (
  kind text NOT NULL CHECK (kind IN ('o', 'm', 'r', 'c', 'omr', 'oc', 'mc', 'rc')),
  day date NOT NULL,
  operator_id integer NOT NULL,
  model_id integer NOT NULL,
  region_id integer NOT NULL,
  semaphore_code text NOT NULL,
  -- Pairs of bytes: the number of the ten minutes, from 0 at midnight, and how many alarms, up to 255. More of them are
  -- several pairs, so that rows are added up by joining their bytes.
  windows bytea NOT NULL,
  PRIMARY KEY (kind, day, operator_id, model_id, region_id, semaphore_code)
);
CREATE INDEX report_window_day ON report_window (day);

-- Alarms of a device by days of a month: the element of a day counts all from the first on, so that a stretch of days is
-- a difference of two.
CREATE TABLE report_device_alarms (
  month date NOT NULL,
  device_id integer NOT NULL,
  running integer[] NOT NULL,
  PRIMARY KEY (month, device_id)
) WITH (fillfactor = 70);

-- Alarms of days that are over that were added, deleted or have another place now, by whoever wrote them, in the same
-- transaction. Rows are only ever added, so that nobody waits for another's.
CREATE TABLE report_alarm_delta (
  occurred_at timestamptz NOT NULL,
  device_id integer NOT NULL,
  operator_id integer NOT NULL,
  model_id integer NOT NULL,
  region_id integer NOT NULL,
  semaphore_code text NOT NULL,
  sign smallint NOT NULL
);

CREATE OR REPLACE FUNCTION touch_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO report_alarm_delta VALUES (NEW.occurred_at, NEW.device_id, NEW.operator_id, NEW.model_id, NEW.region_id,
      NEW.semaphore_code, 1);
    INSERT INTO report_touched (device_id, from_at, to_at) VALUES
      (NEW.device_id, NEW.occurred_at, coalesce(NEW.recovered_at, now()));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO report_alarm_delta VALUES (OLD.occurred_at, OLD.device_id, OLD.operator_id, OLD.model_id, OLD.region_id,
      OLD.semaphore_code, -1);
  ELSE
    IF (NEW.operator_id, NEW.model_id, NEW.region_id) IS DISTINCT FROM (OLD.operator_id, OLD.model_id, OLD.region_id) THEN
      INSERT INTO report_alarm_delta VALUES
        (OLD.occurred_at, OLD.device_id, OLD.operator_id, OLD.model_id, OLD.region_id, OLD.semaphore_code, -1),
        (NEW.occurred_at, NEW.device_id, NEW.operator_id, NEW.model_id, NEW.region_id, NEW.semaphore_code, 1);
    END IF;
    IF NEW.recovered_at IS DISTINCT FROM OLD.recovered_at THEN
      INSERT INTO report_touched (device_id, from_at, to_at) VALUES (
        NEW.device_id, least(NEW.recovered_at, OLD.recovered_at),
        greatest(coalesce(NEW.recovered_at, now()), coalesce(OLD.recovered_at, now())));
    END IF;
  END IF;
  RETURN NULL;
END $$;

-- What was written about alarms before is part of the days that are added up anew.
DELETE FROM report_day WHERE part IN ('alarms', 'groups');
DELETE FROM report_touched WHERE from_at IS NULL;
ALTER TABLE report_touched DROP COLUMN alarm_at;
-- Sums are of the region that a device is in, and what lies above it is looked up at each read.
DROP TRIGGER report_moved_region ON region;
DROP FUNCTION forget_reports_of_regions();

-- What the devices of one operator, model and region did on a day, added up over report_device_day.
DROP TABLE report_group_day;
CREATE TABLE report_place_day (
  day date NOT NULL,
  operator_id integer NOT NULL,
  model_id integer NOT NULL,
  region_id integer NOT NULL,
  down_s bigint NOT NULL,
  planned_s bigint NOT NULL,
  unknown_s bigint NOT NULL,
  failures integer NOT NULL,
  -- How long the failures lasted that ended on this day, four bytes each.
  recovered_s bytea NOT NULL,
  PRIMARY KEY (day, operator_id, model_id, region_id)
);

-- The same of a device by days of a month; the element of a day counts all from the first on. Null: nothing in the month.
CREATE TABLE report_device_month (
  month date NOT NULL,
  device_id integer NOT NULL,
  down_s integer[],
  planned_s integer[],
  unknown_s integer[],
  failures integer[],
  PRIMARY KEY (month, device_id)
) WITH (fillfactor = 70);

-- Devices that have moved or are deleted since the places were added up: what a place loses and gains with them.
DROP TRIGGER report_moved_groups ON region;
DROP TABLE report_moved;
CREATE TABLE report_moved (
  device_id integer NOT NULL,
  operator_id integer NOT NULL,
  model_id integer NOT NULL,
  region_id integer NOT NULL,
  sign smallint NOT NULL
);
CREATE OR REPLACE FUNCTION move_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_moved VALUES (OLD.id, OLD.operator_id, OLD.model_id, OLD.region_id, -1);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO report_moved VALUES (NEW.id, NEW.operator_id, NEW.model_id, NEW.region_id, 1);
  END IF;
  RETURN NULL;
END $$;
