-- Written by `npm run docs:sql`.

-- readPlacesOfDevices
-- answers id text, operatorId int4, equipTypeId int4, regionId int4
SELECT d.id::text AS id, d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId",
  d.region_id AS "regionId"
FROM device d JOIN equip_model m ON m.id = d.model_id
WHERE d.id = ANY($1::bigint[]);

-- readDevicesOfEpisodes
-- answers id int4
SELECT DISTINCT device_id AS id FROM alarm_state WHERE episode_id = ANY($1::bigint[]);

-- readDevicesByCode
-- answers id int4
SELECT id FROM device WHERE code = ANY($1::text[]);
