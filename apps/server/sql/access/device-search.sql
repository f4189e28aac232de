-- Written by `npm run docs:sql`.

-- listWordsFound
-- answers word text
SELECT asked.word FROM unnest($1::text[]) AS asked(word)
WHERE EXISTS (SELECT FROM device_listing d WHERE d.code = asked.word AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])))
UNION
SELECT asked.word FROM unnest($5::text[]) AS asked(word)
WHERE EXISTS (
  SELECT FROM device_listing d WHERE strpos(d."search_text", asked.word) > 0 AND ("d"."operator_id" = ANY($6::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "d"."region_id" = ANY($8::int[])));
