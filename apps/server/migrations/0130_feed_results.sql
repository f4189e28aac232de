-- The feed tells of results: of a batch on a device, of extractions of logs, of tasks as a whole; and who had a device that
-- has moved to others is told that it left. As before, the statement that writes appends.

-- To who saw the device where it stood and does not where it stands now, and the other way round. The place by which a
-- row is told is in its columns, as that of a deleted device; `detail` is the other place, which is told to nobody.
CREATE OR REPLACE FUNCTION feed_changed_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, detail)
  SELECT 'device.changed', id, clock_timestamp(), jsonb_build_object('fields', fields) FROM (
    SELECT now.id, array_remove(ARRAY[
      CASE WHEN now.name IS DISTINCT FROM was.name THEN 'name' END,
      CASE WHEN now.operator_id <> was.operator_id THEN 'operatorId' END,
      CASE WHEN now.model_id <> was.model_id THEN 'equipModelId' END,
      CASE WHEN now.region_id <> was.region_id THEN 'regionCode' END,
      CASE WHEN now.address IS DISTINCT FROM was.address THEN 'address' END,
      CASE WHEN now.business_status <> was.business_status THEN 'businessStatus' END,
      CASE WHEN now.protocol <> was.protocol THEN 'protocol' END,
      CASE WHEN now.protocol_identity IS DISTINCT FROM was.protocol_identity THEN 'protocolIdentity' END
    ], NULL) AS fields
    FROM after now JOIN before was ON was.id = now.id
  ) AS news WHERE cardinality(fields) > 0 ORDER BY id;
  INSERT INTO feed_pending (kind, device_id, moment, code, operator_id, model_id, region_id, detail)
  SELECT kind, id, clock_timestamp(), code, operator_id, model_id, region_id, jsonb_build_object(
    'operatorId', other_operator_id, 'modelId', other_model_id, 'regionId', other_region_id) FROM (
    SELECT 'device.left' AS kind, 1 AS n, was.id, was.code, was.operator_id, was.model_id, was.region_id,
      now.operator_id AS other_operator_id, now.model_id AS other_model_id, now.region_id AS other_region_id
    FROM after now JOIN before was ON was.id = now.id
    WHERE (now.operator_id, now.model_id, now.region_id) <> (was.operator_id, was.model_id, was.region_id)
    UNION ALL
    SELECT 'device.arrived', 2, now.id, now.code, now.operator_id, now.model_id, now.region_id,
      was.operator_id, was.model_id, was.region_id
    FROM after now JOIN before was ON was.id = now.id
    WHERE (now.operator_id, now.model_id, now.region_id) <> (was.operator_id, was.model_id, was.region_id)
  ) AS moved ORDER BY n, id;
  RETURN NULL;
END $$;

-- A device that is left out has its result as soon as it is planned.
CREATE FUNCTION feed_planned_batch_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, detail)
  SELECT 'batch.ended', device_id, changed_at, jsonb_build_object('batchId', batch_id::text, 'state', state)
  FROM added WHERE state IN ('succeeded', 'failed', 'refused', 'expired', 'skipped', 'stopped') ORDER BY id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_planned_batch_devices AFTER INSERT ON parameter_target REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION feed_planned_batch_devices();

CREATE FUNCTION feed_ended_batch_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, detail)
  SELECT 'batch.ended', now.device_id, now.changed_at,
    jsonb_build_object('batchId', now.batch_id::text, 'state', now.state)
  FROM after now JOIN before was ON was.id = now.id
  WHERE now.state <> was.state AND now.state IN ('succeeded', 'failed', 'refused', 'expired', 'skipped', 'stopped')
  ORDER BY now.id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_ended_batch_devices AFTER UPDATE ON parameter_target
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION feed_ended_batch_devices();

CREATE FUNCTION feed_ended_extractions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, detail)
  SELECT 'log.ended', now.device_id, now.changed_at,
    jsonb_build_object('extractionId', now.id::text, 'state', now.state)
  FROM after now JOIN before was ON was.id = now.id
  WHERE now.state <> was.state AND now.state IN ('done', 'failed', 'cancelled') ORDER BY now.id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_ended_extractions AFTER UPDATE ON log_extraction
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION feed_ended_extractions();

-- Tasks as a whole are of no device: 0. Who may hear of one, and how many devices of theirs it had, is asked when it is read.
CREATE FUNCTION feed_finished_upgrades() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, detail)
  SELECT 'upgrade.finished', 0, clock_timestamp(), jsonb_build_object('taskId', now.id::text, 'state', now.state)
  FROM after now JOIN before was ON was.id = now.id
  WHERE now.state <> was.state AND now.state IN ('finished', 'cancelled') ORDER BY now.id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_finished_upgrades AFTER UPDATE ON upgrade_task
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION feed_finished_upgrades();

CREATE FUNCTION feed_finished_batches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, detail)
  SELECT 'batch.finished', 0, clock_timestamp(), jsonb_build_object('batchId', now.id::text, 'state', now.state)
  FROM after now JOIN before was ON was.id = now.id
  WHERE now.state <> was.state AND now.state IN ('finished', 'stopped') ORDER BY now.id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_finished_batches AFTER UPDATE ON parameter_batch
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION feed_finished_batches();

-- One that is over has no state of its own: it is looked at no more.
CREATE FUNCTION feed_finished_advertisements() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, detail)
  SELECT 'advertisement.finished', 0, clock_timestamp(), jsonb_build_object('advertisementId', now.id::text,
    'state', CASE WHEN now.deleted_at IS NULL THEN 'over' ELSE 'deleted' END)
  FROM after now JOIN before was ON was.id = now.id
  WHERE (now.deleted_at IS NOT NULL AND was.deleted_at IS NULL)
    OR (now.deleted_at IS NULL AND now.next_at IS NULL AND was.next_at IS NOT NULL AND now.ends_at <= clock_timestamp()
      -- It is looked at again where somebody wakes it.
      AND NOT EXISTS (SELECT FROM feed_pending p WHERE p.kind = 'advertisement.finished' AND p.moment >= now.ends_at
        AND p.detail->>'advertisementId' = now.id::text)
      AND NOT EXISTS (SELECT FROM feed_event f WHERE f.kind = 'advertisement.finished' AND f.moment >= now.ends_at
        AND f.detail->>'advertisementId' = now.id::text))
  ORDER BY now.id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_finished_advertisements AFTER UPDATE ON advertisement
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION feed_finished_advertisements();
