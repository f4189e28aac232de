-- Wide windows touch days as a whole, and what is kept of a mapping's models is looked for once.

-- The version of the shelf that reached_ids was written with. Another one: a release that does not know of it has changed the
-- window since, and whom it reaches is not known.
ALTER TABLE alarm_shelf ADD COLUMN reached_version integer NOT NULL DEFAULT 1;

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
      -- So many devices by 90 days are more to look up for each report than the days as a whole.
      NEW.filter IS NOT NULL
        AND (NEW.reached_ids IS NULL OR NEW.reached_version <> NEW.version OR cardinality(reached) > 2000),
      reached,
      -- Older days are kept as they are.
      greatest(from_at, date_trunc('day', now()) - interval '90 days'), greatest(old_end, new_end));
  END IF;
  RETURN NULL;
END $$;

-- All models of a statement at once: each call looks through all active alarms.
CREATE FUNCTION keep_fires_of_mapped() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  model_ids integer[] := ARRAY(SELECT DISTINCT model_id FROM mapped);
BEGIN
  IF cardinality(model_ids) > 0 THEN
    PERFORM keep_fires_of_models(model_ids);
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER fires_kept_of_mapped ON mapping_model;
CREATE TRIGGER fires_kept_of_mapped AFTER INSERT ON mapping_model REFERENCING NEW TABLE AS mapped
  FOR EACH STATEMENT EXECUTE FUNCTION keep_fires_of_mapped();
CREATE TRIGGER fires_kept_of_unmapped AFTER DELETE ON mapping_model REFERENCING OLD TABLE AS mapped
  FOR EACH STATEMENT EXECUTE FUNCTION keep_fires_of_mapped();
CREATE OR REPLACE FUNCTION keep_fires_of_mapping() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'mapping_version' THEN
    PERFORM keep_fires_of_models(ARRAY(SELECT model_id FROM mapping_model WHERE mapping_id = NEW.mapping_id));
  ELSE
    PERFORM keep_fires_of_models(ARRAY(SELECT model_id FROM mapping_model WHERE mapping_id = NEW.id));
  END IF;
  RETURN NULL;
END $$;
