-- The feed tells of devices beside their alarms: the registry, versions, what becomes of upgrades, and reported events. As
-- before, whatever writes a row appends in the same statement, all rows of a batch at once.

-- What a kind has to say beyond the columns, by the names of the wire.
ALTER TABLE feed_pending ADD COLUMN detail jsonb;
ALTER TABLE feed_event ADD COLUMN detail jsonb;
-- Of a device that was deleted, where it stood last: nothing else says any more who may hear of it.
ALTER TABLE feed_pending ADD COLUMN code text;
ALTER TABLE feed_pending ADD COLUMN operator_id integer;
ALTER TABLE feed_pending ADD COLUMN model_id integer;
ALTER TABLE feed_pending ADD COLUMN region_id integer;
ALTER TABLE feed_event ADD COLUMN code text;
ALTER TABLE feed_event ADD COLUMN operator_id integer;
ALTER TABLE feed_event ADD COLUMN model_id integer;
ALTER TABLE feed_event ADD COLUMN region_id integer;

CREATE FUNCTION feed_new_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment) SELECT 'device.registered', id, created_at FROM added ORDER BY id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_new_devices AFTER INSERT ON device REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION feed_new_devices();

CREATE FUNCTION feed_changed_devices() RETURNS trigger LANGUAGE plpgsql AS $$
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
  RETURN NULL;
END $$;
CREATE TRIGGER feed_changed_devices AFTER UPDATE ON device REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION feed_changed_devices();

CREATE FUNCTION feed_deleted_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, code, operator_id, model_id, region_id)
  SELECT 'device.deleted', id, clock_timestamp(), code, operator_id, model_id, region_id FROM gone ORDER BY id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_deleted_devices AFTER DELETE ON device REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION feed_deleted_devices();

-- A version that is said for the first time, and one that is another than before.
CREATE FUNCTION feed_new_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, detail)
  SELECT 'version.changed', device_id, reported_at,
    jsonb_build_object('partType', part_type, 'addrId', addr_id, 'version', version)
  FROM added ORDER BY device_id, part_type, addr_id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_new_versions AFTER INSERT ON device_version REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION feed_new_versions();

CREATE FUNCTION feed_changed_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, detail)
  SELECT 'version.changed', now.device_id, now.reported_at, jsonb_build_object('partType', now.part_type,
    'addrId', now.addr_id, 'version', now.version, 'fromVersion', was.version)
  FROM after now JOIN before was
    ON was.device_id = now.device_id AND was.part_type = now.part_type AND was.addr_id = now.addr_id
  WHERE now.version <> was.version ORDER BY now.device_id, now.part_type, now.addr_id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_changed_versions AFTER UPDATE ON device_version REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION feed_changed_versions();

-- Every change of a target's state is recorded there, and nothing of its progress.
CREATE FUNCTION feed_ended_upgrades() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, detail)
  SELECT 'upgrade.ended', t.device_id, a.at,
    jsonb_build_object('taskId', a.task_id::text, 'partType', t.part_type, 'state', a.to_state)
  FROM added a JOIN upgrade_target t ON t.id = a.target_id
  WHERE a.to_state IN ('succeeded', 'failed', 'refused', 'timedOut', 'skipped', 'cancelled') ORDER BY a.id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_ended_upgrades AFTER INSERT ON upgrade_transition REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION feed_ended_upgrades();

CREATE FUNCTION feed_reported_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT feed_is_read() THEN RETURN NULL; END IF;
  INSERT INTO feed_pending (kind, device_id, moment, episode_id, began_at, semaphore_code, value)
  SELECT 'event.reported', device_id, occurred_at, id, occurred_at, semaphore_code, value FROM added ORDER BY id;
  RETURN NULL;
END $$;
CREATE TRIGGER feed_reported_events AFTER INSERT ON event_history REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION feed_reported_events();
