-- Names of readings count for an organization, whatever becomes of the device that used them first, and go with their history.
ALTER TABLE reading_key
  -- Of the device that used it first. Null: for nobody, as the catalogue knows the name, the device was gone already, or a
  -- release that does not know of it has added it. No reference, as intake must not wait for who changes an organization.
  ADD COLUMN organization_id integer,
  -- Within 30 days and some minutes: written that seldom.
  ADD COLUMN used_at timestamptz NOT NULL DEFAULT now();

UPDATE reading_key k SET organization_id = o.organization_id
FROM device d JOIN operator o ON o.id = d.operator_id
WHERE d.id = k.device_id AND NOT EXISTS (SELECT FROM reading_definition r WHERE r.key = k.key);

-- Who deletes an organization after its devices does not get rid of its names.
CREATE FUNCTION hand_reading_keys_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE reading_key SET organization_id = OLD.parent_id WHERE organization_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER reading_keys_handed_up AFTER DELETE ON organization FOR EACH ROW EXECUTE FUNCTION hand_reading_keys_up();
