-- What people did about an alarm that has been over for a while is settled: the state that it shows is kept with it, and
-- counted like the history. A list by handling reads the few that are not settled yet, however many were handled.
ALTER TABLE alarm_handling ADD COLUMN settled text;

-- A row for each, with what lists filter by.
CREATE TABLE alarm_settled (
  state text NOT NULL,
  occurred_at timestamptz NOT NULL,
  id bigint NOT NULL,
  device_id integer NOT NULL,
  operator_id integer NOT NULL,
  model_id integer NOT NULL,
  region_id integer NOT NULL,
  semaphore_code text NOT NULL,
  assignee_id integer,
  PRIMARY KEY (state, occurred_at, id) INCLUDE (operator_id, model_id, region_id, semaphore_code)
) WITH (autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0.01,
  autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX alarm_settled_device ON alarm_settled (device_id, occurred_at, id) INCLUDE (state, semaphore_code);
CREATE INDEX alarm_settled_operator ON alarm_settled (state, operator_id, occurred_at, id)
  INCLUDE (model_id, region_id, semaphore_code);
CREATE INDEX alarm_settled_region ON alarm_settled (state, region_id, occurred_at, id)
  INCLUDE (operator_id, model_id, semaphore_code);
CREATE INDEX alarm_settled_semaphore ON alarm_settled (state, semaphore_code, occurred_at, id)
  INCLUDE (operator_id, model_id, region_id);
CREATE INDEX alarm_settled_assignee ON alarm_settled (assignee_id, state, occurred_at, id)
  INCLUDE (operator_id, model_id, region_id, semaphore_code) WHERE assignee_id IS NOT NULL;

-- The source by which the counters of the history count a state.
CREATE FUNCTION settled_source(state text) RETURNS smallint LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE state WHEN 'closed' THEN 3 WHEN 'inProgress' THEN 4 ELSE 5 END::smallint $$;

-- Whatever people change, also by the deletion of who has the alarm, or of its device, makes it open to be settled anew. A
-- release that does not know of this changes it the same way.
CREATE FUNCTION leave_settled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH gone AS (
    DELETE FROM alarm_settled
    WHERE state = OLD.settled AND occurred_at = OLD.occurred_at AND id = OLD.episode_id
    RETURNING *
  )
  INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
  SELECT settled_source(state), occurred_at::date, operator_id, model_id, region_id, semaphore_code, -1
  FROM gone g
  -- What goes with its month is in no counter any more.
  WHERE EXISTS (SELECT FROM alarm_history h WHERE h.occurred_at = g.occurred_at AND h.id = g.id);
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  NEW.settled := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER leave_settled BEFORE UPDATE OR DELETE ON alarm_handling FOR EACH ROW
  WHEN (OLD.settled IS NOT NULL)
  EXECUTE FUNCTION leave_settled();

-- A late report may change an episode that is over, and a device may move with its episodes. The recovery itself costs
-- ingest the comparison alone.
CREATE FUNCTION follow_settled() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was text := (SELECT settled FROM alarm_handling WHERE episode_id = NEW.id);
BEGIN
  IF was IS NULL THEN RETURN NULL; END IF;
  IF (NEW.value, NEW.recovered_at) IS DISTINCT FROM (OLD.value, OLD.recovered_at) THEN
    UPDATE alarm_handling SET settled = NULL WHERE episode_id = NEW.id AND settled IS NOT NULL;
  END IF;
  WITH moved AS (
    UPDATE alarm_settled SET operator_id = NEW.operator_id, model_id = NEW.model_id, region_id = NEW.region_id
    WHERE state = was AND occurred_at = NEW.occurred_at AND id = NEW.id
      AND (operator_id, model_id, region_id) IS DISTINCT FROM (NEW.operator_id, NEW.model_id, NEW.region_id)
    RETURNING 1
  )
  INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
  SELECT settled_source(was), NEW.occurred_at::date, place.operator_id, place.model_id, place.region_id,
    NEW.semaphore_code, place.n
  FROM moved, (VALUES
    (OLD.operator_id, OLD.model_id, OLD.region_id, -1), (NEW.operator_id, NEW.model_id, NEW.region_id, 1)
  ) AS place (operator_id, model_id, region_id, n);
  RETURN NULL;
END $$;
CREATE TRIGGER follow_settled AFTER UPDATE ON alarm_history FOR EACH ROW
  WHEN (OLD.recovered_at IS NOT NULL
    AND (OLD.value, OLD.recovered_at, OLD.operator_id, OLD.model_id, OLD.region_id)
      IS DISTINCT FROM (NEW.value, NEW.recovered_at, NEW.operator_id, NEW.model_id, NEW.region_id))
  EXECUTE FUNCTION follow_settled();

-- Sources that the release before has counted, which knows nothing of them: it finds no levels for them, and moves no counts
-- of theirs. Their rows are counted one by one until a job has counted them anew.
CREATE TABLE history_uncounted (source smallint PRIMARY KEY);
CREATE FUNCTION count_settled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('voltkeep.counts_settled', true), '') <> 'on' THEN
    INSERT INTO history_uncounted VALUES (3), (4), (5) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_settled AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON history_count FOR EACH STATEMENT
  EXECUTE FUNCTION count_settled();
