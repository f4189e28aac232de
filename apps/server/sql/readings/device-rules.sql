-- Written by `npm run docs:sql`.

-- readTypes
-- answers id int4, equipTypeId int4
SELECT d.id, m.equip_type_id AS "equipTypeId" FROM device d JOIN equip_model m ON m.id = d.model_id
WHERE d.id = ANY($1::int[]);
