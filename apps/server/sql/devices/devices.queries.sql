-- Written by `npm run docs:sql`.

-- listAndCountDevices
-- answers total int4, ids _int4
WITH found AS MATERIALIZED (SELECT d.id FROM device_listing d WHERE true)
SELECT (SELECT count(*)::int FROM found) AS total,
  ARRAY(SELECT d.id FROM found d ORDER BY d.id DESC LIMIT $1 OFFSET $2) AS ids;

-- readRows
-- answers id int4, code text, name text null, isOnline int4, onlineChangedTime timestamptz null, organizationId int4, organizationName text, operatorId int4, operatorName text, equipTypeId int4, equipTypeName text, equipClassify text, equipModelId int4, equipModelName text, regionCode text, regionName text, address text null, businessStatus int2, throttledSince timestamptz null, throttleReason text null, alarmCount int4, worstAlarmLevel int2, fullCount int2 null, usableCount int2, updateTime timestamptz null, createTime timestamptz, version int4
WITH page AS MATERIALIZED (SELECT d.id FROM device_listing d WHERE true AND d.id < $1
  ORDER BY d.id DESC LIMIT $2 OFFSET $3)
SELECT
  d.id, d.code, d.name,
  coalesce(s.is_online, false)::int AS "isOnline", s.online_changed_at AS "onlineChangedTime",
  o.id AS "organizationId", o.name AS "organizationName",
  p.id AS "operatorId", p.name AS "operatorName",
  t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
  m.id AS "equipModelId", m.name AS "equipModelName",
  r.code AS "regionCode", r.full_name AS "regionName",
  d.address, d.business_status AS "businessStatus",
  s.throttled_since AS "throttledSince", s.throttle_reason AS "throttleReason",
  alarms.count AS "alarmCount", alarms.worst AS "worstAlarmLevel",
  k.full_count AS "fullCount",
  k.full_count + k.charging_count + k.idle_count + k.empty_count AS "usableCount",
  s.last_report_at AS "updateTime", d.created_at AS "createTime", d.version
FROM page
JOIN device d ON d.id = page.id
JOIN operator p ON p.id = d.operator_id
JOIN organization o ON o.id = p.organization_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state s ON s.device_id = d.id
LEFT JOIN device_stock k ON k.device_id = d.id
CROSS JOIN LATERAL (
  SELECT count(*)::int AS count, min(e.alarm_level) AS worst
  FROM alarm_state a
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = a.semaphore_code
  WHERE a.device_id = d.id AND a.is_active
) alarms
ORDER BY d.id DESC;

-- findDevices
-- answers id int4, code text, name text null, operatorName text, regionName text, address text null, isOnline int2
WITH found AS MATERIALIZED (
  SELECT d.id, CASE
    WHEN d.code = lower($1::text) THEN 0
    WHEN d.code LIKE '%' || lower($2::text) THEN 1
    WHEN d.code LIKE lower($3::text) || '%' THEN 2
    WHEN d.code LIKE '%' || lower($4::text) || '%' THEN 3
    ELSE 4 END AS rank
  FROM device_listing d WHERE ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[])) AND (d.search_text LIKE '%' || lower($8::text) || '%' AND (d.search_text LIKE '%' || lower($9::text) || '%'))
  ORDER BY rank, length(d.code), d.id DESC LIMIT $10
)
SELECT d.id, d.code, d.name, p.name AS "operatorName", r.full_name AS "regionName", d.address,
  nullif(l.connection, 2) AS "isOnline"
FROM found f
JOIN device d ON d.id = f.id
JOIN device_listing l ON l.id = f.id
JOIN operator p ON p.id = d.operator_id
JOIN region r ON r.id = d.region_id
ORDER BY f.rank, length(d.code), d.id DESC;

-- findCode
-- answers code text
SELECT d.code FROM device d WHERE d.id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));

-- 
DELETE FROM device_connection WHERE ctid = ANY(ARRAY(
SELECT ctid FROM device_connection WHERE at < $1 LIMIT $2));

-- listOnlineOf
-- answers deviceId int4
SELECT device_id AS "deviceId" FROM device_state
WHERE device_id = ANY($1::int4[]) AND is_online;
