-- What an event's value is counted or measured in, as it is read after the value: 3号仓, 80%. None: the value is a code.
ALTER TABLE dictionary_entry
  ADD COLUMN unit text CONSTRAINT dictionary_entry_unit_check CHECK (unit <> '' AND char_length(unit) <= 16);

-- Of the events that every installation starts with; a new one has them from its seeds.
UPDATE dictionary_entry e SET unit = u.unit
FROM (VALUES
  ('03110002', '号仓'), ('03110003', '号仓'), ('03110005', '号仓'), ('03110006', '号仓'), ('03110007', '号仓'),
  ('03110008', '号仓'), ('03110009', '号门'), ('03110010', '个'), ('03110011', '个'), ('03110012', '分钟'),
  ('03210001', '%'), ('03210002', '%'), ('03210003', '%'), ('03310001', 'kW'), ('03310002', 'kW')
) AS u (code, unit)
WHERE e.type = 'EVENT' AND e.code = u.code;
