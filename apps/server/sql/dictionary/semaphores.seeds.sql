-- Written by `npm run docs:sql`.

-- plant
-- answers id int4, type text, code text
INSERT INTO dictionary_entry (type, code, name, note, unit, alarm_level, analysis_type, order_num, is_fire)
SELECT type, code, name, note, unit, alarm_level, analysis_type, order_num, coalesce(is_fire, false)
FROM jsonb_to_recordset($1::jsonb)
  AS e(type text, code text, name text, note text, unit text, alarm_level smallint, analysis_type text,
    order_num integer, is_fire boolean)
ON CONFLICT (type, code) DO NOTHING
RETURNING id, type, code;

-- plant
INSERT INTO semaphore_definition (entry_id, equip_classify, bit_position, name)
SELECT entry_id, equip_classify, bit_position, name
FROM jsonb_to_recordset($1::jsonb)
  AS d(entry_id integer, equip_classify text, bit_position bigint, name text);
