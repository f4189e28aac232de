-- Written by `npm run docs:sql`.

-- listDevicesSeen
-- answers id int4
SELECT d.id FROM device d WHERE d.id = ANY($1::int[]) AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));
