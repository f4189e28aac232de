-- Written by `npm run docs:sql`.

-- findRelay
-- answers id int4, code text, isStation bool, isOnline bool, url text null, identity text null, password text null, tls text null, isEnabled bool null, connectedTime timestamptz null, lastError text null, lastErrorTime timestamptz null, updateBy text null, updateTime timestamptz null, version int4 null
SELECT d.id, d.code, d.protocol = 'ocpp16' AS "isStation", coalesce(s.is_online, false) AS "isOnline", r.url,
  r.identity, r.password, r.tls, r.is_enabled AS "isEnabled", r.connected_at AS "connectedTime",
  r.last_error AS "lastError", r.last_error_at AS "lastErrorTime", r.updated_by_name AS "updateBy",
  r.updated_at AS "updateTime", r.version
FROM device d
LEFT JOIN ocpp_relay r ON r.id = d.id
LEFT JOIN device_state s ON s.device_id = d.id
WHERE d.id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));

-- lockStation
-- answers id int4, code text, isStation bool
SELECT d.id, d.code, d.protocol = 'ocpp16' AS "isStation" FROM device d
WHERE d.id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])) FOR NO KEY UPDATE OF d;

-- lockRelay
-- answers id int4, code text, url text, identity text null, password text null, tls text null, isEnabled bool, version int4
SELECT d.id, d.code, r.url, r.identity, r.password, r.tls, r.is_enabled AS "isEnabled", r.version
FROM ocpp_relay r JOIN device d ON d.id = r.id
WHERE r.id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])) FOR UPDATE OF r;

-- findTarget
-- answers code text, url text, identity text null, password text null, tls text null, edition text
SELECT coalesce(d.protocol_identity, d.code) AS code, r.url, r.identity, r.password, r.tls,
  concat_ws(' ', r.version, extract(epoch FROM r.updated_at)) AS edition
FROM ocpp_relay r JOIN device d ON d.id = r.id WHERE r.id = $1 AND r.is_enabled;

-- listEditions
-- answers id int4, edition text, isConnected bool
SELECT r.id, concat_ws(' ', r.version, extract(epoch FROM r.updated_at)) AS edition, r.connected_at IS NOT NULL AS "isConnected" FROM ocpp_relay r
WHERE r.id = ANY($1::int[]) AND r.is_enabled;

-- markConnected
-- answers since text
UPDATE ocpp_relay SET connected_at = clock_timestamp() WHERE id = $1
RETURNING connected_at::text AS since;

-- markFailed
UPDATE ocpp_relay SET connected_at = NULL, last_error = $1, last_error_at = now()
WHERE id = $2;

-- markGone
UPDATE ocpp_relay SET connected_at = NULL
WHERE id = $1 AND connected_at = $2::timestamptz;
