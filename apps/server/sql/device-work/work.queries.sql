-- Written by `npm run docs:sql`.

-- lock
-- answers id int8, deviceId int4, deviceCode text, state text, reason text null, commandId uuid null, dueAtMs float8, answeredAtMs float8, shownAtMs float8, action text, compartment int2 null, createdAtMs float8
SELECT t.id, t.device_id AS "deviceId", d.code AS "deviceCode", t.state AS "state", t.reason AS "reason", t.command_id AS "commandId", floor(extract(epoch FROM t.next_at) * 1000)::float8 AS "dueAtMs", floor(extract(epoch FROM t.answered_at) * 1000)::float8 AS "answeredAtMs", floor(extract(epoch FROM t.shown_at) * 1000)::float8 AS "shownAtMs" , t.action, t.compartment, (extract(epoch FROM t.created_at) * 1000)::float8 AS "createdAtMs"
FROM "remote_action" t JOIN device d ON d.id = t.device_id
WHERE t.id = ANY($1::int8[]) ORDER BY t.id FOR UPDATE OF t;

-- verifiedAmong
-- answers id int8
SELECT t.id FROM "remote_action" t  WHERE t.id = ANY($1::int8[]) AND (t.action = 'restart' AND t.state = 'acknowledged' AND EXISTS (
SELECT FROM device_connection g
WHERE g.device_id = t.device_id AND NOT g.is_online AND g.at >= t.created_at
  AND EXISTS (
    SELECT FROM device_connection b
    WHERE b.device_id = t.device_id AND b.is_online AND (b.at, b.id) > (g.at, g.id))));

-- write
-- not shown: has the columns of the table that it is asked for

-- listVerified
-- answers id int8, commandId uuid
SELECT t.id, CASE WHEN t.state = 'sent' THEN t.command_id END AS "commandId" FROM "remote_action" t
      WHERE t.device_id = ANY($1::int[]) AND t.state IN ('sent', 'acknowledged') AND (t.action = 'restart' AND t.state = 'acknowledged' AND EXISTS (
SELECT FROM device_connection g
WHERE g.device_id = t.device_id AND NOT g.is_online AND g.at >= t.created_at
  AND EXISTS (
    SELECT FROM device_connection b
    WHERE b.device_id = t.device_id AND b.is_online AND (b.at, b.id) > (g.at, g.id)))) LIMIT $2;

-- lockCommands
-- answers id int8, commandId uuid, note text
SELECT t.id, t.command_id AS "commandId", NULL::text AS note
      FROM "remote_action" t JOIN device_command c ON c.id = t.command_id JOIN device d ON d.id = t.device_id
      WHERE t.id = ANY($1::int8[]) AND (c.state = 'waiting' OR (c.state = 'sent' AND EXISTS (
SELECT FROM device_state gone WHERE gone.device_id = c.device_id
  AND NOT gone.is_online AND gone.online_changed_at >= c.sent_at - interval '1 minute'))) AND t.state = 'sent' AND c.next_at IS NOT NULL
      ORDER BY c.id LIMIT $2 FOR UPDATE OF c;

-- listOpen
-- not shown: read with the table of the first feature and the condition of the first caller, which is another feature's

-- listNext
-- not shown: read with the table of the first feature and the condition of the first caller, which is another feature's

-- hasOpen
-- not shown: read with the table of the first feature and the condition of the first caller, which is another feature's

-- postpone
UPDATE "remote_action" t SET next_at = now() + $1 * interval '1 ms' WHERE t.id = ANY($2::int8[]);

-- listWithin
-- answers id int8
SELECT t.id FROM "remote_action" t JOIN device d ON d.id = t.device_id
WHERE t.id = ANY($1::int8[]) AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));

-- readPlaces
-- answers id int8, operatorId int4, equipTypeId int4, regionId int4
SELECT t.id, d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId", d.region_id AS "regionId"
FROM "remote_action" t JOIN device d ON d.id = t.device_id JOIN equip_model m ON m.id = d.model_id
WHERE t.id = ANY($1::int8[]);

-- listUnsentAskers
-- not shown: read with the table of the first feature and the condition of the first caller, which is another feature's
