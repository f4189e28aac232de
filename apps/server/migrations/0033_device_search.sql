-- What lists of devices filter by and search in, in one narrow row each: a page of a hundred thousand devices and its
-- exact total are read in one pass. A part of a name is often two characters, which no trigram finds: so the pass is made
-- quick, and no extension has to be installed. Triggers write it: whoever changes a device or its connection cannot
-- forget to.
-- connection: 1 online, 0 offline, 2 never connected. code, search_text: in small letters; the latter is code, name and
-- address, a line each.
CREATE TABLE device_listing (
  id integer PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  operator_id integer NOT NULL,
  model_id integer NOT NULL,
  region_id integer NOT NULL,
  business_status smallint NOT NULL,
  connection smallint NOT NULL DEFAULT 2,
  code text COLLATE "C" NOT NULL,
  search_text text COLLATE "C" NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX device_listing_code ON device_listing (code);
CREATE INDEX device_listing_operator ON device_listing (operator_id);

CREATE FUNCTION device_search_text(code text, name text, address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT lower(code || E'\n' || coalesce(name, '') || E'\n' || coalesce(address, ''))
$$;
INSERT INTO device_listing (id, operator_id, model_id, region_id, business_status, connection, code, search_text)
SELECT d.id, d.operator_id, d.model_id, d.region_id, d.business_status,
  CASE WHEN s.is_online THEN 1 WHEN s.online_changed_at IS NOT NULL THEN 0 ELSE 2 END,
  lower(d.code), device_search_text(d.code, d.name, d.address)
FROM device d LEFT JOIN device_state s ON s.device_id = d.id
ORDER BY d.id;
-- One that begins with a text is among those that contain it.
DROP INDEX device_code_prefix;

CREATE FUNCTION list_new_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO device_listing (id, operator_id, model_id, region_id, business_status, code, search_text)
  SELECT id, operator_id, model_id, region_id, business_status, lower(code), device_search_text(code, name, address)
  FROM added ORDER BY id;
  RETURN NULL;
END $$;
CREATE TRIGGER device_listing_added AFTER INSERT ON device
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION list_new_devices();

CREATE FUNCTION list_changed_device() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE device_listing SET operator_id = NEW.operator_id, model_id = NEW.model_id, region_id = NEW.region_id,
    business_status = NEW.business_status, code = lower(NEW.code),
    search_text = device_search_text(NEW.code, NEW.name, NEW.address)
  WHERE id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER device_listing_changed
  AFTER UPDATE OF code, name, address, operator_id, model_id, region_id, business_status ON device
  FOR EACH ROW WHEN (
    (OLD.code, OLD.name, OLD.address, OLD.operator_id, OLD.model_id, OLD.region_id, OLD.business_status) IS DISTINCT FROM
      (NEW.code, NEW.name, NEW.address, NEW.operator_id, NEW.model_id, NEW.region_id, NEW.business_status)
  ) EXECUTE FUNCTION list_changed_device();

CREATE FUNCTION list_connection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE device_listing SET connection =
    CASE WHEN NEW.is_online THEN 1 WHEN NEW.online_changed_at IS NOT NULL THEN 0 ELSE 2 END
  WHERE id = NEW.device_id;
  RETURN NULL;
END $$;
CREATE TRIGGER device_listing_connected AFTER INSERT ON device_state
  FOR EACH ROW WHEN (NEW.is_online OR NEW.online_changed_at IS NOT NULL) EXECUTE FUNCTION list_connection();
-- Connections alone set these columns; the reports of a device do not come here.
CREATE TRIGGER device_listing_reconnected AFTER UPDATE OF is_online, online_changed_at ON device_state
  FOR EACH ROW WHEN (
    OLD.is_online IS DISTINCT FROM NEW.is_online
      OR (OLD.online_changed_at IS NULL) <> (NEW.online_changed_at IS NULL)
  ) EXECUTE FUNCTION list_connection();
