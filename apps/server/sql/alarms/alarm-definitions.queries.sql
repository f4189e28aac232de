-- Written by `npm run docs:sql`.

-- readDefinitions
-- answers code text, equipClassify text, name text, bitPosition int8, analysisType text
SELECT e.code, d.equip_classify AS "equipClassify", d.name, d.bit_position AS "bitPosition",
  e.analysis_type AS "analysisType"
FROM dictionary_entry e JOIN semaphore_definition d ON d.entry_id = e.id
WHERE e.type = 'ALARM' AND e.code = ANY($1::text[]) AND d.equip_classify = $2
  AND e.analysis_type IS NOT NULL
ORDER BY e.code, d.bit_position;

-- readDefinitions
-- answers name text
SELECT name FROM dictionary_entry WHERE type = 'SEMAPHORE_TYPE' AND code = 'ALARM';
