-- Windows of maintenance and what is out of service are planned time of devices, where they are about whole devices.

-- Null: the days of every device may differ. One row for each such day.
ALTER TABLE report_touched ALTER COLUMN device_id DROP NOT NULL;

-- Whom a shelf reached on a day, as its people saw then: a corrected day asks nobody again who may be gone by now.
CREATE TABLE report_plan (
  day date NOT NULL,
  -- Of alarm_shelf. No foreign key: the day outlives it.
  shelf_id integer NOT NULL,
  device_ids integer[] NOT NULL,
  PRIMARY KEY (day, shelf_id)
);

CREATE INDEX alarm_shelf_planned ON alarm_shelf (start_at) WHERE kind <> 'shelve';

-- Touches the days that are over within a stretch of a shelf, and the day after it: a failure may begin there now.
CREATE FUNCTION touch_planned(is_filter boolean, devices integer[], from_at timestamptz, to_at timestamptz)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO report_touched (device_id, from_at, to_at)
  SELECT device, from_at, least(to_at, now()) + interval '1 day' FROM unnest(devices) AS device WHERE NOT is_filter
  UNION ALL
  SELECT NULL, day, day
  FROM generate_series(
    greatest(date_trunc('day', from_at), date_trunc('day', now()) - interval '90 days'),
    least(to_at + interval '1 day', date_trunc('day', now()) - interval '1 second'), interval '1 day') AS day
  WHERE is_filter
$$;

CREATE FUNCTION touch_report_of_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_end timestamptz := 'infinity';
  new_end timestamptz := least(coalesce(NEW.ended_at, 'infinity'), coalesce(NEW.end_at, 'infinity'));
  from_at timestamptz := NEW.start_at;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    old_end := least(coalesce(OLD.ended_at, 'infinity'), coalesce(OLD.end_at, 'infinity'));
    IF (OLD.kind, OLD.start_at, OLD.start_local, OLD.end_local, OLD.repeat, OLD.time_zone)
      IS NOT DISTINCT FROM (NEW.kind, NEW.start_at, NEW.start_local, NEW.end_local, NEW.repeat, NEW.time_zone)
      AND (OLD.filter, OLD.semaphore_codes, OLD.alarm_levels, OLD.compartment)
      IS NOT DISTINCT FROM (NEW.filter, NEW.semaphore_codes, NEW.alarm_levels, NEW.compartment)
    THEN
      from_at := least(old_end, new_end);
    ELSE
      from_at := least(OLD.start_at, NEW.start_at);
      DELETE FROM report_plan WHERE shelf_id = NEW.id;
    END IF;
  ELSE
    old_end := new_end;
  END IF;
  IF from_at < date_trunc('day', now()) THEN
    PERFORM touch_planned(
      NEW.filter IS NOT NULL OR (TG_OP = 'UPDATE' AND OLD.filter IS NOT NULL),
      ARRAY(SELECT DISTINCT device_id FROM alarm_shelf_target WHERE shelf_id = NEW.id),
      from_at, greatest(old_end, new_end));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER report_planned_shelf AFTER INSERT ON alarm_shelf FOR EACH ROW
  WHEN (NEW.kind <> 'shelve' AND NEW.filter IS NOT NULL AND NEW.start_at < date_trunc('day', now()))
  EXECUTE FUNCTION touch_report_of_shelf();
-- What a shelf has met is written often and changes nothing here.
CREATE TRIGGER report_changed_shelf AFTER UPDATE OF
  kind, start_at, end_at, ended_at, start_local, end_local, repeat, time_zone, filter, semaphore_codes, alarm_levels, compartment
  ON alarm_shelf FOR EACH ROW
  WHEN (OLD.kind <> 'shelve' OR NEW.kind <> 'shelve')
  EXECUTE FUNCTION touch_report_of_shelf();

CREATE FUNCTION touch_report_of_target() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM touch_planned(
    false, ARRAY(SELECT DISTINCT device_id FROM named WHERE shelf_id = a.id), a.start_at,
    least(coalesce(a.ended_at, 'infinity'), coalesce(a.end_at, 'infinity')))
  FROM alarm_shelf a
  WHERE a.id IN (SELECT shelf_id FROM named) AND a.kind <> 'shelve' AND a.start_at < date_trunc('day', now());
  RETURN NULL;
END $$;
CREATE TRIGGER report_planned_device AFTER INSERT ON alarm_shelf_target REFERENCING NEW TABLE AS named
  FOR EACH STATEMENT EXECUTE FUNCTION touch_report_of_target();

-- Those that are there already.
SELECT touch_planned(
  a.filter IS NOT NULL, ARRAY(SELECT DISTINCT device_id FROM alarm_shelf_target WHERE shelf_id = a.id), a.start_at,
  least(coalesce(a.ended_at, 'infinity'), coalesce(a.end_at, 'infinity')))
FROM alarm_shelf a WHERE a.kind <> 'shelve' AND a.start_at < date_trunc('day', now());

-- Handovers say what is kept quiet, and until when.
ALTER TABLE handover
  -- Beside open_counts: how many of them are quiet. Empty on older pages, which did not count it.
  ADD COLUMN open_shelved integer[] NOT NULL DEFAULT '{}';
ALTER TABLE handover_alarm
  ADD COLUMN is_shelved boolean NOT NULL DEFAULT false,
  -- Null: without end.
  ADD COLUMN shelved_until timestamptz;

-- The shelves in force, as they were.
CREATE TABLE handover_shelf (
  handover_id integer NOT NULL REFERENCES handover (id) ON DELETE CASCADE,
  place smallint NOT NULL,
  shelf_id integer NOT NULL,
  kind text NOT NULL,
  reason text NOT NULL,
  made_by_name text NOT NULL,
  -- Null: without end.
  until timestamptz,
  -- The named devices in the drafter's data scope; null: by a filter.
  device_ids integer[],
  -- What a filter says, by name.
  place_names text[] NOT NULL,
  -- Null: all.
  semaphore_names text[],
  levels integer[],
  compartment smallint,
  is_one_shot boolean NOT NULL,
  PRIMARY KEY (handover_id, place)
);
