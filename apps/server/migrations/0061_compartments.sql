-- The compartments of a device's last status report, sorted by number; null where it had none.
ALTER TABLE device_state ADD COLUMN compartments jsonb;

-- How the compartments of a model stand; null for models without, and where nobody has said.
ALTER TABLE equip_model
  ADD COLUMN compartment_count smallint
    CONSTRAINT equip_model_compartment_count_check CHECK (compartment_count BETWEEN 1 AND 64),
  ADD COLUMN compartment_columns smallint,
  ADD CONSTRAINT equip_model_compartment_columns_check
    CHECK (compartment_columns BETWEEN 1 AND compartment_count);

-- Names of models have said it so far: 12仓换电柜.
UPDATE equip_model m SET compartment_count = named.count, compartment_columns =
  CASE WHEN named.count <= 2 THEN named.count WHEN named.count <= 10 THEN 2 WHEN named.count <= 15 THEN 3
    WHEN named.count <= 40 THEN 4 ELSE 8 END
FROM (
  SELECT m.id, substring(m.name FROM '(\d{1,2})\s*仓')::smallint AS count
  FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
  WHERE t.classify = 'EC'
) AS named
WHERE named.id = m.id AND named.count BETWEEN 1 AND 64;
