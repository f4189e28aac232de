-- Written by `npm run docs:sql`.

-- plant
-- answers id int4, type text
INSERT INTO dictionary_entry (type, code, name, note, unit, alarm_level, analysis_type, order_num, is_fire)
SELECT type, code, name, note, unit, level, analysis, "order", "isFire"
FROM jsonb_to_recordset($1::jsonb)
  AS e(type text, code text, name text, note text, unit text, level smallint, analysis text, "order" integer,
    "isFire" boolean)
ON CONFLICT (type, code) DO NOTHING
RETURNING id, type;

-- plant
INSERT INTO semaphore_definition (entry_id, equip_classify, bit_position, name)
SELECT id, classify, bit, name FROM jsonb_to_recordset($1::jsonb)
  AS d(id integer, classify text, bit bigint, name text);
