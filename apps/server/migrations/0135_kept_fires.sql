-- Whom the present secret was handed to, who can speak as the device by it: the user who registered the device or had the
-- secret renewed. Null: nobody was shown it, or the release before wrote it.
ALTER TABLE device ADD COLUMN secret_by integer;

-- Alarms of fire of a device that was deleted, or came to speak otherwise: by another secret, name, model, protocol or mapping. For
-- a day they count at the device and at whichever comes by one of its names: who does this does not open the door alone.
-- Each name counts for a day from when the device had it last. Of more than 20 in a day the first ones are kept, so that no
-- row of new names drives out the one that the cabinet has.
CREATE TABLE kept_fire (
  -- No foreign key: the device may be gone.
  device_id integer NOT NULL,
  semaphore_code text NOT NULL,
  value bigint NOT NULL,
  names text[] NOT NULL,
  -- When the device had each of them last.
  named_at timestamptz[] NOT NULL,
  kept_at timestamptz NOT NULL DEFAULT now(),
  -- One alarm may come to name other compartments.
  PRIMARY KEY (device_id, semaphore_code, value)
);
CREATE INDEX kept_fire_names ON kept_fire USING gin (names);
CREATE INDEX kept_fire_kept_at ON kept_fire (kept_at);

-- Of one device, those of the last day as well: they may have been declared over by who does it.
CREATE FUNCTION keep_fires_of_device() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM kept_fire WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM kept_fire WHERE kept_at < now() - interval '24 hours' FOR UPDATE SKIP LOCKED));
  INSERT INTO kept_fire (device_id, semaphore_code, value, names, named_at)
  SELECT s.device_id, s.semaphore_code, CASE WHEN s.is_active THEN s.value ELSE coalesce(h.value, 0) END,
    array_remove(ARRAY[OLD.code, OLD.protocol_identity], NULL),
    array_fill(now(), ARRAY[1 + (OLD.protocol_identity IS NOT NULL)::int])
  FROM alarm_state s
  JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code AND e.is_fire
  LEFT JOIN device_state z ON z.device_id = s.device_id
  LEFT JOIN alarm_history h ON h.occurred_at = s.occurred_at AND h.id = s.episode_id
  WHERE s.device_id = OLD.id AND (s.is_active OR s.recovered_at > now() - interval '24 hours'
    OR s.recovered_at - z.clock_offset_ms * interval '1 ms' > now() - interval '24 hours')
  ORDER BY 1, 2, 3
  ON CONFLICT (device_id, semaphore_code, value) DO UPDATE
    SET kept_at = now(), (names, named_at) = (
      SELECT array_agg(name ORDER BY place), array_agg(at ORDER BY place)
      FROM (
        SELECT name, max(at) AS at, min(place) AS place
        FROM unnest(kept_fire.names || excluded.names, kept_fire.named_at || excluded.named_at)
          WITH ORDINALITY AS named (name, at, place)
        WHERE at > now() - interval '24 hours' GROUP BY name ORDER BY min(place) LIMIT 20
      ) AS kept);
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER fires_kept_of_deleted BEFORE DELETE ON device FOR EACH ROW EXECUTE FUNCTION keep_fires_of_device();
CREATE TRIGGER fires_kept_of_changed BEFORE UPDATE OF secret_hash, protocol_identity, model_id, protocol ON device
  FOR EACH ROW WHEN ((old.secret_hash, old.protocol_identity, old.model_id, old.protocol)
    IS DISTINCT FROM (new.secret_hash, new.protocol_identity, new.model_id, new.protocol))
  EXECUTE FUNCTION keep_fires_of_device();

-- Another mapping says of the next message what it is.
CREATE FUNCTION keep_fires_of_models(model_ids integer[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO kept_fire (device_id, semaphore_code, value, names, named_at)
  SELECT s.device_id, s.semaphore_code, s.value, array_remove(ARRAY[d.code, d.protocol_identity], NULL),
    array_fill(now(), ARRAY[1 + (d.protocol_identity IS NOT NULL)::int])
  FROM alarm_state s
  JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code AND e.is_fire
  JOIN device d ON d.id = s.device_id
  WHERE s.is_active AND s.model_id = ANY(model_ids)
  ORDER BY 1, 2, 3
  ON CONFLICT (device_id, semaphore_code, value) DO UPDATE
    SET kept_at = now(), (names, named_at) = (
      SELECT array_agg(name ORDER BY place), array_agg(at ORDER BY place)
      FROM (
        SELECT name, max(at) AS at, min(place) AS place
        FROM unnest(kept_fire.names || excluded.names, kept_fire.named_at || excluded.named_at)
          WITH ORDINALITY AS named (name, at, place)
        WHERE at > now() - interval '24 hours' GROUP BY name ORDER BY min(place) LIMIT 20
      ) AS kept);
$$;
CREATE FUNCTION keep_fires_of_mapping() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'mapping_model' THEN
    PERFORM keep_fires_of_models(ARRAY[coalesce(NEW.model_id, OLD.model_id)]);
  ELSIF TG_TABLE_NAME = 'mapping_version' THEN
    PERFORM keep_fires_of_models(ARRAY(SELECT model_id FROM mapping_model WHERE mapping_id = NEW.mapping_id));
  ELSE
    PERFORM keep_fires_of_models(ARRAY(SELECT model_id FROM mapping_model WHERE mapping_id = NEW.id));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER fires_kept_of_mapped AFTER INSERT OR DELETE ON mapping_model FOR EACH ROW EXECUTE FUNCTION keep_fires_of_mapping();
CREATE TRIGGER fires_kept_of_version AFTER INSERT OR UPDATE OF is_active ON mapping_version
  FOR EACH ROW WHEN (new.is_active) EXECUTE FUNCTION keep_fires_of_mapping();
CREATE TRIGGER fires_kept_of_switched AFTER UPDATE OF is_enabled ON mapping
  FOR EACH ROW WHEN (old.is_enabled <> new.is_enabled) EXECUTE FUNCTION keep_fires_of_mapping();
