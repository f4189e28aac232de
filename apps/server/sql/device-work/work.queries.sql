-- Written by `npm run docs:sql`.

-- lock
-- answers id int8, deviceId int4, deviceCode text, state text, reason text null, commandId uuid null, dueAtMs float8, attempts int4, withdrawal text null, reportedAtMs float8, asker jsonb, advertisementId int4, endsAtMs float8
SELECT t.id, t.device_id AS "deviceId", d.code AS "deviceCode", t.state AS "state", t.reason AS "reason", t.command_id AS "commandId", floor(extract(epoch FROM t.next_at) * 1000)::float8 AS "dueAtMs", t.attempts AS "attempts", t.withdrawal AS "withdrawal", floor(extract(epoch FROM t.reported_at) * 1000)::float8 AS "reportedAtMs", CASE WHEN t.asked_by IS NOT NULL
THEN jsonb_build_object('userId', t.asked_by, 'name', t.asked_by_name) END AS "asker" , t.advertisement_id AS "advertisementId", (extract(epoch FROM a.ends_at) * 1000)::float8 AS "endsAtMs"
    FROM "advertisement_delivery" t JOIN device d ON d.id = t.device_id JOIN advertisement a ON a.id = t.advertisement_id
    WHERE t.id = ANY($1::int8[]) ORDER BY t.id FOR UPDATE OF t;

-- write
UPDATE "advertisement_delivery" t SET state = n.state, reason = n.reason, command_id = n.command_id, next_at = n.next_at, attempts = n.attempts, withdrawal = n.withdrawal, reported_at = n.reported_at, asked_by = n.asked_by, asked_by_name = n.asked_by_name ,
stored_at = CASE WHEN n.state IN ('stored', 'shown') THEN coalesce(t.stored_at, now())
                 WHEN n.state IN ('waiting', 'sent', 'failed', 'refused') THEN NULL ELSE t.stored_at END,
shown_at = CASE WHEN n.state = 'shown' THEN coalesce(t.shown_at, now())
                WHEN n.state IN ('waiting', 'sent', 'failed', 'refused') THEN NULL ELSE t.shown_at END,
      changed_at = CASE WHEN t.state = n.state THEN t.changed_at ELSE now() END
    FROM unnest(
      $1::int8[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[], $6::int4[], $7::text[], $8::timestamptz[], $9::int4[], $10::text[]
    ) AS n(id, state, reason, command_id, next_at, attempts, withdrawal, reported_at, asked_by, asked_by_name)
    WHERE t.id = n.id;

-- listVerified
-- answers id int8, commandId uuid
SELECT t.id, CASE WHEN (t.state = 'sent' AND t.next_at IS NULL) THEN t.command_id END AS "commandId" FROM "advertisement_delivery" t JOIN advertisement a ON a.id = t.advertisement_id
WHERE t.device_id = ANY($1::int[]) AND (t.state NOT IN ('removing', 'removed', 'ended') OR t.withdrawal = 'leftScope') AND true LIMIT $2;

-- lockCommands
-- answers id int8, commandId uuid, note text
SELECT t.id, t.command_id AS "commandId", NULL::text AS note
      FROM "advertisement_delivery" t JOIN device_command c ON c.id = t.command_id JOIN device d ON d.id = t.device_id JOIN advertisement a ON a.id = t.advertisement_id
      WHERE t.advertisement_id = $1 AND (c.state = 'waiting' OR (c.state = 'sent' AND EXISTS (
SELECT FROM device_state gone WHERE gone.device_id = c.device_id
  AND NOT gone.is_online AND gone.online_changed_at >= c.sent_at - interval '1 minute'))) AND (t.state = 'sent' AND t.next_at IS NULL) AND c.next_at IS NOT NULL
      ORDER BY c.id LIMIT $2 FOR UPDATE OF c;

-- listOpen
-- answers id int8, commandId uuid null, isUnderWay bool, wasSent bool
SELECT t.id, t.command_id AS "commandId", (t.state = 'sent' AND t.next_at IS NULL) AS "isUnderWay", coalesce(c.attempts, 0) > 0 AS "wasSent"
FROM "advertisement_delivery" t JOIN device d ON d.id = t.device_id LEFT JOIN device_command c ON c.id = t.command_id JOIN advertisement a ON a.id = t.advertisement_id
WHERE t.advertisement_id = $1 AND (t.state NOT IN ('removing', 'removed', 'ended') OR t.withdrawal = 'leftScope') ORDER BY t.id LIMIT $2;

-- listNext
-- answers id int8
SELECT t.id FROM "advertisement_delivery" t JOIN device d ON d.id = t.device_id JOIN advertisement a ON a.id = t.advertisement_id
      WHERE
t.advertisement_id = $1 AND t.state = 'waiting' AND t.next_at IS NULL AND t.id > $2::int8 ORDER BY t.id LIMIT $3;

-- hasOpen
-- not shown: read with the table of the first feature and the condition of the first caller, which is another feature's

-- postpone
UPDATE "advertisement_delivery" t SET next_at = now() + $1 * interval '1 ms' WHERE t.id = ANY($2::int8[]);

-- listWithin
-- answers id int8
SELECT t.id FROM "advertisement_delivery" t JOIN device d ON d.id = t.device_id
WHERE t.id = ANY($1::int8[]) AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));

-- readPlaces
-- answers id int8, operatorId int4, equipTypeId int4, regionId int4
SELECT t.id, d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId", d.region_id AS "regionId"
FROM "advertisement_delivery" t JOIN device d ON d.id = t.device_id JOIN equip_model m ON m.id = d.model_id
WHERE t.id = ANY($1::int8[]);

-- listUnsentAskers
-- answers userId int4, name text null
SELECT DISTINCT t.asked_by AS "userId", t.asked_by_name AS name
      FROM "advertisement_delivery" t JOIN device_command c ON c.id = t.command_id
      WHERE t.advertisement_id = $1 AND (t.state = 'sent' AND t.next_at IS NULL) AND (c.state = 'waiting' OR (c.state = 'sent' AND EXISTS (
SELECT FROM device_state gone WHERE gone.device_id = c.device_id
  AND NOT gone.is_online AND gone.online_changed_at >= c.sent_at - interval '1 minute'))) AND t.asked_by IS NOT NULL;
