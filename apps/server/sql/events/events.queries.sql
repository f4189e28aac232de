-- Written by `npm run docs:sql`.

-- readEvents
-- answers id int8, code text, equipCode text, equipId int4, equipName text null, organizationId int4, operatorId int4, operatorName text, equipTypeId int4, equipTypeName text, equipClassify text, equipModelId int4, equipModelName text, isOnline int4, regionName text, address text null, semaphoreCode text, semaphoreName text, value int8, unit text null, isFault bool, occurrenceTime timestamptz, data jsonb null
SELECT
h.id,
d.code, d.code AS "equipCode", d.id AS "equipId", d.name AS "equipName",
o.organization_id AS "organizationId", o.id AS "operatorId", o.name AS "operatorName",
t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
m.id AS "equipModelId", m.name AS "equipModelName",
coalesce(ds.is_online, false)::int AS "isOnline", r.full_name AS "regionName", d.address,
h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
h.value, e.unit, h.is_fault AS "isFault", h.occurred_at AS "occurrenceTime", h.data
  FROM unnest($1::timestamptz[], $2::bigint[]) AS k (occurred_at, id) JOIN event_history h ON
  h.occurred_at = k.occurred_at AND h.id = k.id
  AND h.occurred_at BETWEEN $3::timestamptz AND $4::timestamptz
JOIN device d ON d.id = h.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
LEFT JOIN dictionary_entry e ON e.type = 'EVENT' AND e.code = h.semaphore_code
  ORDER BY h.occurred_at DESC, h.id DESC;

-- findEvent
-- answers id int8, code text, equipCode text, equipId int4, equipName text null, organizationId int4, operatorId int4, operatorName text, equipTypeId int4, equipTypeName text, equipClassify text, equipModelId int4, equipModelName text, isOnline int4, regionName text, address text null, semaphoreCode text, semaphoreName text, value int8, unit text null, isFault bool, occurrenceTime timestamptz, data jsonb null
SELECT
h.id,
d.code, d.code AS "equipCode", d.id AS "equipId", d.name AS "equipName",
o.organization_id AS "organizationId", o.id AS "operatorId", o.name AS "operatorName",
t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
m.id AS "equipModelId", m.name AS "equipModelName",
coalesce(ds.is_online, false)::int AS "isOnline", r.full_name AS "regionName", d.address,
h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
h.value, e.unit, h.is_fault AS "isFault", h.occurred_at AS "occurrenceTime", h.data
  FROM event_history h
JOIN device d ON d.id = h.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
LEFT JOIN dictionary_entry e ON e.type = 'EVENT' AND e.code = h.semaphore_code
  WHERE h.id = $1::bigint
    AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));
