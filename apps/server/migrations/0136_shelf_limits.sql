-- Shelves of named devices are bounded by what looking them up costs, and a window by filter touches days of the devices that
-- it reaches.
ALTER TABLE alarm_shelf
  -- Pairs of device and code that a shelf of named devices is looked up by. 0 of older ones: the rows that they name.
  ADD COLUMN pair_count integer NOT NULL DEFAULT 0,
  -- Of a window by filter: whom it reached when it was made or changed last. Null: not known, any.
  ADD COLUMN reached_ids integer[];

CREATE OR REPLACE FUNCTION touch_report_of_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_end timestamptz := 'infinity';
  new_end timestamptz := least(coalesce(NEW.ended_at, 'infinity'), coalesce(NEW.end_at, 'infinity'));
  from_at timestamptz := NEW.start_at;
  reached integer[] := NEW.reached_ids;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    -- Also whom it reached on days that are kept: they may have moved since.
    reached := ARRAY(
      SELECT unnest(NEW.reached_ids) UNION SELECT unnest(OLD.reached_ids)
      UNION SELECT unnest(device_ids) FROM report_plan WHERE shelf_id = NEW.id);
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
    IF NEW.filter IS NULL THEN
      reached := ARRAY(SELECT DISTINCT device_id FROM alarm_shelf_target WHERE shelf_id = NEW.id);
    END IF;
    PERFORM touch_planned(
      NEW.filter IS NOT NULL AND NEW.reached_ids IS NULL, reached,
      -- Older days are kept as they are.
      greatest(from_at, date_trunc('day', now()) - interval '90 days'), greatest(old_end, new_end));
  END IF;
  RETURN NULL;
END $$;
