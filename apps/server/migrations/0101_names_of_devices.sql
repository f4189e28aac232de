-- A device is found by its code, and by what it calls itself. Both are names of one kind: who registers as a code what
-- another device calls itself would have that device's connections, and its certificate, for those of the own one.
-- Devices are added side by side. What one calls itself is given by hand, and waits for those that are being added.
CREATE FUNCTION keep_new_names_apart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM added WHERE protocol_identity IS NOT NULL) THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('names of devices', 0));
  ELSE
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('names of devices', 0));
  END IF;
  IF EXISTS (SELECT FROM added a JOIN device d ON d.protocol_identity = a.code AND d.id <> a.id) THEN
    RAISE unique_violation USING CONSTRAINT = 'device_code_taken', MESSAGE = 'another device calls itself so';
  END IF;
  IF EXISTS (SELECT FROM added a JOIN device d ON d.code = a.protocol_identity AND d.id <> a.id) THEN
    RAISE unique_violation
      USING CONSTRAINT = 'device_protocol_identity_taken', MESSAGE = 'it is the code of another device';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_changed_names_apart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('names of devices', 0));
  IF EXISTS (SELECT FROM device WHERE protocol_identity = new.code AND id <> new.id) THEN
    RAISE unique_violation USING CONSTRAINT = 'device_code_taken', MESSAGE = 'another device calls itself so';
  END IF;
  IF EXISTS (SELECT FROM device WHERE code = new.protocol_identity AND id <> new.id) THEN
    RAISE unique_violation
      USING CONSTRAINT = 'device_protocol_identity_taken', MESSAGE = 'it is the code of another device';
  END IF;
  RETURN NULL;
END $$;

-- Of two devices with one name the code was found: nobody has come by the other one's.
UPDATE device d SET protocol_identity = NULL
WHERE EXISTS (SELECT FROM device c WHERE c.code = d.protocol_identity);

CREATE TRIGGER device_names_added AFTER INSERT ON device REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION keep_new_names_apart();
CREATE TRIGGER device_names_changed AFTER UPDATE OF code, protocol_identity ON device
  FOR EACH ROW WHEN (old.code IS DISTINCT FROM new.code OR old.protocol_identity IS DISTINCT FROM new.protocol_identity)
  EXECUTE FUNCTION keep_changed_names_apart();
