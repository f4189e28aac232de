-- Written by `npm run docs:sql`.

-- findDevice
-- answers id int4, code text, name text null, address text null, equipClassify text, isOnline bool, compartmentCount int2 null, batteryCode text
SELECT d.id, d.code, d.name, d.address, t.classify AS "equipClassify", coalesce(s.is_online, false) AS "isOnline",
  m.compartment_count AS "compartmentCount",
  (SELECT c ->> 'batteryCode' FROM jsonb_array_elements(s.compartments) AS c
    WHERE (c ->> 'no')::int = $1::int LIMIT 1) AS "batteryCode"
FROM device d
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
LEFT JOIN device_state s ON s.device_id = d.id
WHERE d.id = $2 AND ("d"."operator_id" = ANY($3::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($4::int[])) AND "d"."region_id" = ANY($5::int[]));

-- lockActionsOf
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('remote_action', $1));

-- listAccounts
-- answers id int4
SELECT coalesce(
(SELECT p.maker_id FROM app_user p WHERE p.id = "s"."recovered_by"),
(SELECT (f.reach ->> 'makerId')::int FROM former_user_reach f WHERE f.user_id = "s"."recovered_by"), "s"."recovered_by") AS id
  FROM alarm_state s JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code AND e.is_fire
  WHERE s.device_id = $1 AND NOT s.is_active AND s.recovered_by IS NOT NULL
  UNION
  SELECT coalesce(
(SELECT p.maker_id FROM app_user p WHERE p.id = "d"."secret_by"),
(SELECT (f.reach ->> 'makerId')::int FROM former_user_reach f WHERE f.user_id = "d"."secret_by"), "d"."secret_by") FROM device d
  WHERE d.id = $2 AND d.secret_by IS NOT NULL;

-- listFireAlarms
-- answers name text, why text, meanings _text
WITH reported AS (
    SELECT s.semaphore_code, s.is_active, CASE WHEN s.is_active THEN s.value ELSE coalesce(h.value, 0) END AS value,
      -- Reports have the device's time: one that is ahead would date an older report after the declaration.
      NOT s.is_active AND coalesce(
(SELECT p.maker_id FROM app_user p WHERE p.id = "s"."recovered_by"),
(SELECT (f.reach ->> 'makerId')::int FROM former_user_reach f WHERE f.user_id = "s"."recovered_by"), "s"."recovered_by") = ANY($1::int[])
        AND s.reported_at - greatest(coalesce(z.clock_offset_ms, 0), 0) * interval '1 ms' <= s.recovered_at AS is_declared,
      coalesce(
(SELECT p.maker_id FROM app_user p WHERE p.id = "d"."secret_by"),
(SELECT (f.reach ->> 'makerId')::int FROM former_user_reach f WHERE f.user_id = "d"."secret_by"), "d"."secret_by") = ANY($2::int[]) AND (s.is_active OR s.recovered_at > now() - interval '24 hours'
        OR s.recovered_at - z.clock_offset_ms * interval '1 ms' > now() - interval '24 hours') AS is_in_hand
    FROM alarm_state s
    JOIN device d ON d.id = s.device_id
    LEFT JOIN device_state z ON z.device_id = s.device_id
    LEFT JOIN alarm_history h ON h.occurred_at = s.occurred_at AND h.id = s.episode_id
    WHERE s.device_id = $3
  ), fires AS (
    SELECT semaphore_code, value, CASE WHEN is_active THEN 'active' ELSE 'declaredOver' END AS why
    FROM reported WHERE is_active OR is_declared
    UNION ALL
    -- Who can speak as the device can name other compartments: it counts for all of them.
    SELECT semaphore_code, NULL, 'secretHeld' FROM reported WHERE is_in_hand
    UNION ALL
    SELECT k.semaphore_code, k.value, 'kept' FROM kept_fire k
    WHERE k.device_id = $4 AND k.kept_at > now() - interval '24 hours'
    UNION ALL
    SELECT k.semaphore_code, k.value, 'kept' FROM device d JOIN kept_fire k ON k.names && ARRAY[d.code, d.protocol_identity]
    WHERE d.id = $5 AND EXISTS (
      SELECT FROM unnest(k.names, k.named_at) AS named (name, at)
      WHERE name IN (d.code, d.protocol_identity) AND at > now() - interval '24 hours')
  )
  SELECT e.name, s.why, ARRAY(
    SELECT f.name FROM semaphore_definition f
    WHERE f.entry_id = e.id AND f.equip_classify = t.classify AND CASE e.analysis_type
      WHEN 'BIT' THEN f.bit_position < 63 AND (s.value >> least(f.bit_position, 62)::int) & 1 = 1
      WHEN 'VALUE' THEN f.bit_position = s.value
    END
    ORDER BY f.bit_position
  ) AS meanings
  FROM (
    -- One alarm may be kept with other compartments than those that it has by now.
    SELECT DISTINCT ON (semaphore_code, value) * FROM fires ORDER BY semaphore_code, value, why
  ) s
  JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code AND e.is_fire
  JOIN device d ON d.id = $6
  JOIN equip_model m ON m.id = d.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  ORDER BY e.alarm_level, e.name;

-- findSame
-- answers commandId uuid null, createdBy int4, createBy text
SELECT command_id AS "commandId", created_by AS "createdBy", created_by_name AS "createBy"
FROM remote_action
WHERE device_id = $1 AND action = $2 AND compartment IS NOT DISTINCT FROM $3::smallint
  AND (state = 'sent' OR (state IN ('acknowledged', 'confirmed', 'unconfirmed')
    AND created_at > now() - $4 * interval '1 second'))
ORDER BY id DESC LIMIT 1;

-- listActions
-- answers id int8, equipId int4, equipCode text, equipName text null, operatorName text, action text, compartment int2 null, batteryCode text null, reason text, state text, note text null, commandId uuid null, createBy text, address text, approvedBy text null, createTime timestamptz, answerTime timestamptz null, confirmTime timestamptz, changeTime timestamptz
SELECT
x.id, d.id AS "equipId", d.code AS "equipCode", d.name AS "equipName", p.name AS "operatorName", x.action,
x.compartment, x.battery_code AS "batteryCode", x.purpose AS reason, x.state, x.reason AS note,
x.command_id AS "commandId", x.created_by_name AS "createBy", x.address, x.approved_by_name AS "approvedBy",
x.created_at AS "createTime", x.answered_at AS "answerTime",
CASE WHEN x.state = 'confirmed' THEN x.shown_at END AS "confirmTime", x.changed_at AS "changeTime"
  FROM remote_action x JOIN device d ON d.id = x.device_id JOIN operator p ON p.id = d.operator_id
  WHERE (("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[])) AND x.device_id = $4 AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($5::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($6::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "d"."region_id" = ANY($8::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $9 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($10::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($11::int[])) AND "d"."region_id" = ANY($12::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND x.action = ANY($13::text[]) AND x.state = ANY($14::text[]) AND x.compartment = $15 AND x.created_by_name ILIKE $16 AND x.command_id = $17::uuid AND x.created_at >= $18 AND x.created_at < $19 AND x.id = ANY($20::int8[]))
  ORDER BY x.id DESC LIMIT $21 OFFSET $22;

-- listUnanswered
-- answers id int8, isUnsent bool, action text, createdBy int4, createdByName text, approvedBy int4 null, approvedByName text null
SELECT t.id, (c.state = 'waiting' OR (c.state = 'sent' AND EXISTS (
SELECT FROM device_state gone WHERE gone.device_id = c.device_id
  AND NOT gone.is_online AND gone.online_changed_at >= c.sent_at - interval '1 minute'))) AS "isUnsent", t.action, t.created_by AS "createdBy", t.created_by_name AS "createdByName",
    t.approved_by AS "approvedBy", t.approved_by_name AS "approvedByName"
  FROM remote_action t JOIN device_command c ON c.id = t.command_id
  WHERE t.state = 'sent'
  ORDER BY t.id;

-- listDevicesWithOpen
-- answers id int4
SELECT m.id FROM unnest($1::int4[]) AS m(id)
CROSS JOIN LATERAL (
  SELECT 1 FROM remote_action t
  WHERE t.device_id = m.id AND t.state IN ('sent', 'acknowledged') LIMIT 1
) AS o;

-- 
DELETE FROM remote_action WHERE id IN (
SELECT id FROM remote_action
WHERE state NOT IN ('sent', 'acknowledged') AND created_at < $1 LIMIT $2);
