-- Written by `npm run docs:sql`.

-- listUnknownCodes
-- answers code text
SELECT asked.code FROM unnest($1::text[]) WITH ORDINALITY AS asked (code, n)
WHERE NOT EXISTS (SELECT FROM device d WHERE d.code = asked.code AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])))
GROUP BY asked.code ORDER BY min(asked.n);
