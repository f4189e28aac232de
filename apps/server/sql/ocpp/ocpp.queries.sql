-- Written by `npm run docs:sql`.

-- readStanding
-- answers firstPart text, station jsonb, connectors jsonb, transactions jsonb
SELECT
    (SELECT (
SELECT p.part_type FROM equip_model_part p JOIN part_type k ON k.code = p.part_type
WHERE p.equip_model_id = "d"."model_id" ORDER BY k.order_num, k.code LIMIT 1) FROM device d WHERE d.id = $1) AS "firstPart",
    (SELECT jsonb_build_object('vendor', vendor, 'rebootKeys', reboot_keys, 'commandId', command_id)
     FROM ocpp_station WHERE device_id = $2) AS station,
    coalesce((SELECT jsonb_agg(jsonb_build_object('connectorId', connector_id, 'status', status,
      'semaphoreCode', semaphore_code, 'alarmValue', alarm_value))
     FROM ocpp_connector WHERE device_id = $3), '[]') AS connectors,
    coalesce((SELECT jsonb_agg(jsonb_build_object('id', t.id, 'connectorId', t.connector_id) ORDER BY t.id)
     FROM (SELECT id, connector_id FROM ocpp_transaction
       WHERE device_id = $4 AND stopped_at IS NULL ORDER BY id DESC LIMIT $5) t), '[]') AS transactions;

-- findUpgrade
-- answers id text
SELECT id::text FROM upgrade_target
WHERE device_id = $1 AND state IN ('sent', 'downloading', 'installing')
ORDER BY started_at DESC NULLS LAST, id DESC LIMIT 1;

-- markStation
INSERT INTO ocpp_station AS s (device_id, reboot_keys, command_id)
SELECT id, $1::text[], $2::uuid FROM device WHERE id = $3
ON CONFLICT (device_id) DO UPDATE
SET reboot_keys = CASE WHEN $4 THEN s.reboot_keys ELSE excluded.reboot_keys END,
  command_id = coalesce(excluded.command_id, s.command_id);

-- upsertBoots
INSERT INTO ocpp_station (device_id, vendor, model, serial, firmware, iccid, imsi, booted_at)
SELECT m.* FROM unnest($1::int4[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
  $8::timestamptz[]) AS m(device_id, vendor, model, serial, firmware, iccid, imsi, booted_at)
JOIN device d ON d.id = m.device_id
ON CONFLICT (device_id) DO UPDATE
SET vendor = excluded.vendor, model = excluded.model, serial = excluded.serial, firmware = excluded.firmware,
  iccid = excluded.iccid, imsi = excluded.imsi, booted_at = excluded.booted_at, reboot_keys = '{}',
  changed_at = now();

-- upsertConnectors
INSERT INTO ocpp_connector (device_id, connector_id, status, error_code, vendor_error_code, info,
  semaphore_code, alarm_value, reported_at)
SELECT m.* FROM unnest($1::int4[], $2::int4[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
  $8::int8[], $9::timestamptz[]) AS m(device_id, connector_id, status, error_code, vendor_error_code, info,
  semaphore_code, alarm_value, reported_at)
JOIN device d ON d.id = m.device_id
ON CONFLICT (device_id, connector_id) DO UPDATE
SET status = excluded.status, error_code = excluded.error_code,
  vendor_error_code = excluded.vendor_error_code, info = excluded.info,
  semaphore_code = excluded.semaphore_code, alarm_value = excluded.alarm_value,
  reported_at = excluded.reported_at;

-- countUnknownCodes
INSERT INTO ocpp_unknown_code AS u (vendor, code, info, device_id, semaphore_code, count, first_at, last_at)
SELECT m.vendor, m.code, m.info, d.id, m.semaphore_code, m.count, m.at, m.at
FROM unnest($1::text[], $2::text[], $3::text[], $4::int4[], $5::text[], $6::int8[], $7::timestamptz[])
  AS m(vendor, code, info, device_id, semaphore_code, count, at)
JOIN device d ON d.id = m.device_id
WHERE EXISTS (SELECT FROM ocpp_unknown_code k
    WHERE k.device_id = d.id AND k.vendor = m.vendor AND k.code = m.code)
  OR (SELECT count(*) FROM ocpp_unknown_code k WHERE k.device_id = d.id) < 50
ORDER BY d.id, m.vendor, m.code
ON CONFLICT (device_id, vendor, code) DO UPDATE
SET info = coalesce(excluded.info, u.info), semaphore_code = excluded.semaphore_code, count = u.count + excluded.count, last_at = excluded.last_at;

-- insertStarts
-- answers n int8, id int4
WITH m AS (
  SELECT * FROM unnest($1::int4[], $2::int4[], $3::text[], $4::int8[], $5::timestamptz[])
    WITH ORDINALITY AS m(device_id, connector_id, id_tag, meter_start, started_at, n)
), known AS (
  SELECT m.n, t.id FROM m JOIN ocpp_transaction t ON t.device_id = m.device_id
    AND t.connector_id = m.connector_id AND t.id_tag = m.id_tag AND t.meter_start = m.meter_start
    AND t.started_at = m.started_at
), added AS (
  -- A conflict takes a number of the sequence, too: it is left to sessions that another process adds meanwhile.
  INSERT INTO ocpp_transaction AS t (device_id, connector_id, id_tag, meter_start, started_at)
  SELECT m.device_id, m.connector_id, m.id_tag, m.meter_start, m.started_at
  FROM m JOIN device d ON d.id = m.device_id WHERE m.n NOT IN (SELECT n FROM known)
  ON CONFLICT ON CONSTRAINT ocpp_transaction_once DO UPDATE SET id_tag = excluded.id_tag
  RETURNING t.*
)
SELECT n, id FROM known
UNION ALL
SELECT m.n, a.id FROM m JOIN added a ON a.device_id = m.device_id AND a.connector_id = m.connector_id
  AND a.id_tag = m.id_tag AND a.meter_start = m.meter_start AND a.started_at = m.started_at;

-- limitStarts
WITH ended AS (
  UPDATE ocpp_transaction t SET stopped_at = now()
  FROM unnest($1::int4[]) AS m(device_id) CROSS JOIN LATERAL (
    SELECT id FROM ocpp_transaction o WHERE o.device_id = m.device_id AND o.stopped_at IS NULL
    ORDER BY o.id DESC OFFSET 64
  ) AS o
  WHERE t.id = o.id AND t.stopped_at IS NULL
)
DELETE FROM ocpp_transaction t
USING unnest($1::int4[]) AS m(device_id) CROSS JOIN LATERAL (
  SELECT id FROM ocpp_transaction o WHERE o.device_id = m.device_id ORDER BY o.id DESC OFFSET 2000
) AS o
WHERE t.id = o.id AND t.stopped_at IS NOT NULL;

-- endTransactions
UPDATE ocpp_transaction t SET stopped_at = m.at
FROM unnest($1::int4[], $2::int4[], $3::timestamptz[]) AS m(device_id, id, at)
WHERE t.id = m.id AND t.device_id = m.device_id AND t.stopped_at IS NULL;

-- forgetTransactions
DELETE FROM ocpp_transaction
WHERE stopped_at < $1 OR (stopped_at IS NULL AND started_at < $2);

-- forgetUnknownCodes
DELETE FROM ocpp_unknown_code WHERE last_at < $1;

-- readKnownCodes
-- answers vendor text, code text, semaphoreCode text, alarmValue float8
SELECT vendor, code, semaphore_code AS "semaphoreCode", alarm_value::float8 AS "alarmValue"
FROM ocpp_error_code;
