-- Written by `npm run docs:sql`.

-- listHandovers
-- answers id int4, organizationName text, startTime timestamptz, endTime timestamptz, state text, draftedBy int4, draftUserName text, countTime timestamptz, note text null, signUserName text null, signTime timestamptz, signNote text null, isNotesCut bool, version int4
SELECT
h.id, o.name AS "organizationName", h.from_at AS "startTime", h.to_at AS "endTime",
CASE
WHEN h.signed_at IS NOT NULL THEN 'signed'
WHEN now() >= h.to_at + $1 * interval '1 minute' THEN 'overdue'
ELSE 'drafted' END AS state, h.drafted_by AS "draftedBy", h.drafted_by_name AS "draftUserName",
h.counted_at AS "countTime", h.note, h.signed_by_name AS "signUserName", h.signed_at AS "signTime",
h.sign_note AS "signNote", h.is_notes_cut AS "isNotesCut", h.version FROM handover h JOIN organization o ON o.id = h.organization_id
  WHERE "h"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND h.to_at > $3 AND h.from_at < $4 AND CASE
WHEN h.signed_at IS NOT NULL THEN 'signed'
WHEN now() >= h.to_at + $5 * interval '1 minute' THEN 'overdue'
ELSE 'drafted' END = ANY($6::text[]) AND h.id = ANY($7::int[])
  ORDER BY h.from_at DESC, h.id DESC LIMIT $8 OFFSET $9;

-- lockHandover
-- answers id int4, organizationName text, startTime timestamptz, endTime timestamptz, state text, draftedBy int4, draftUserName text, countTime timestamptz, note text null, signUserName text null, signTime timestamptz, signNote text null, isNotesCut bool, version int4
SELECT
h.id, o.name AS "organizationName", h.from_at AS "startTime", h.to_at AS "endTime",
CASE
WHEN h.signed_at IS NOT NULL THEN 'signed'
WHEN now() >= h.to_at + $1 * interval '1 minute' THEN 'overdue'
ELSE 'drafted' END AS state, h.drafted_by AS "draftedBy", h.drafted_by_name AS "draftUserName",
h.counted_at AS "countTime", h.note, h.signed_by_name AS "signUserName", h.signed_at AS "signTime",
h.sign_note AS "signNote", h.is_notes_cut AS "isNotesCut", h.version FROM handover h JOIN organization o ON o.id = h.organization_id
  WHERE h.id = $2 AND "h"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $3::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) FOR UPDATE OF h;

-- findUserName
-- answers name text
SELECT user_name AS name FROM app_user WHERE id = $1;

-- countOpen
-- answers level int2, handling text, count int4, shelvedCount int4
SELECT c.level, c.handling, sum(c.n)::int AS count, coalesce(sum(c.shelved), 0)::int AS "shelvedCount"
FROM handover h
CROSS JOIN LATERAL unnest(h.open_devices, h.open_levels, h.open_handlings, h.open_counts, h.open_shelved)
  AS c (device_id, level, handling, n, shelved)
JOIN device d ON d.id = c.device_id
WHERE h.id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
GROUP BY c.level, c.handling;

-- listAlarms
-- answers id text, equipId int4, code text, equipName text null, regionName text, semaphoreName text, meaning text null, alarmLevel int2, handling text, occurrenceTime timestamptz, assigneeName text null, ackUserName text null, lastNote text null, lastNoteUserName text null, lastNoteTime timestamptz null, isShelved int4, shelvedUntil timestamptz null
SELECT a.episode_id::text AS id, a.device_id AS "equipId", a.device_code AS code, a.device_name AS "equipName",
  a.region_name AS "regionName", a.semaphore_name AS "semaphoreName", a.meaning, a.level AS "alarmLevel",
  a.handling, a.occurred_at AS "occurrenceTime", a.assignee_name AS "assigneeName", a.acked_by_name AS "ackUserName",
  a.last_note AS "lastNote", a.last_note_by_name AS "lastNoteUserName", a.last_note_at AS "lastNoteTime",
  a.is_shelved::int AS "isShelved", a.shelved_until AS "shelvedUntil"
FROM handover_alarm a JOIN device d ON d.id = a.device_id
WHERE a.handover_id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])) ORDER BY a.place;

-- listShelves
-- answers id int4, kind text, reason text, createBy text, endTime timestamptz null, deviceCodes _text, deviceCount int4, placeNames _text, semaphoreNames _text null, alarmLevels _int4 null, compartment int2 null, isOneShot int4
SELECT s.shelf_id AS id, s.kind, s.reason, s.made_by_name AS "createBy", s.until AS "endTime",
    CASE WHEN s.device_ids IS NOT NULL THEN seen.codes[:$1::int] END AS "deviceCodes",
    cardinality(seen.codes)::int AS "deviceCount",
    CASE WHEN s.device_ids IS NOT NULL OR s.place_names = '{}' OR EXISTS (
      SELECT FROM alarm_shelf a WHERE a.id = s.shelf_id AND (
  ("a"."filter" ->> 'organizationId' IS NULL OR ("a"."filter" ->> 'organizationId')::bigint IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree))
  AND ("a"."filter" ->> 'operatorId' IS NULL OR ("a"."filter" ->> 'operatorId' IS NOT NULL)))
    ) THEN s.place_names ELSE ARRAY[$3] END AS "placeNames",
    s.semaphore_names AS "semaphoreNames", s.levels AS "alarmLevels", s.compartment,
    s.is_one_shot::int AS "isOneShot"
  FROM handover_shelf s
  CROSS JOIN LATERAL (
    SELECT ARRAY(
      SELECT d.code FROM device d WHERE d.id = ANY(s.device_ids) AND ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[])) ORDER BY d.code
    ) AS codes
  ) seen
  WHERE s.handover_id = $7 AND CASE WHEN s.device_ids IS NULL THEN coalesce(
s.organization_id, (SELECT a.organization_id FROM alarm_shelf a WHERE a.id = s.shelf_id)) IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $8::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
    ELSE seen.codes <> '{}' END
  ORDER BY s.place;

-- listNotes
-- answers time timestamptz, userName text, kind text, note text, alarmCount int4, code text, equipId int4, semaphoreName text null, meaning text null
SELECT n.at AS time, n.user_name AS "userName", n.kind, n.note, seen.count AS "alarmCount", d.code,
  d.id AS "equipId", n.semaphore_name AS "semaphoreName", n.meaning
FROM handover_note n
CROSS JOIN LATERAL (
  SELECT count(*)::int AS count, min(d.id) AS device_id
  FROM unnest(n.device_ids) AS u (device_id) JOIN device d ON d.id = u.device_id
  WHERE ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[]))
) seen
JOIN device d ON d.id = seen.device_id
WHERE n.handover_id = $4 ORDER BY n.place;

-- reachesBeyond
-- answers isBeyond bool
SELECT EXISTS (
    SELECT FROM (
      SELECT unnest(h.open_devices) AS device_id FROM handover h WHERE h.id = $1
      UNION SELECT unnest(n.device_ids) FROM handover_note n WHERE n.handover_id = $2
      UNION SELECT unnest(s.device_ids) FROM handover_shelf s WHERE s.handover_id = $3
    ) named
    JOIN device d ON d.id = named.device_id
    WHERE NOT ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[]))
  ) OR EXISTS (
    SELECT FROM handover_shelf s
    WHERE s.handover_id = $7 AND s.device_ids IS NULL AND coalesce(
s.organization_id, (SELECT a.organization_id FROM alarm_shelf a WHERE a.id = s.shelf_id)) IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $8::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) IS NOT TRUE
  ) AS "isBeyond";

-- listUnderWay
-- answers upgradeIds _int4, batchIds _int4
SELECT
    ARRAY(
SELECT t.id FROM upgrade_task t
WHERE t.state IN ('running', 'paused') AND EXISTS (
  SELECT FROM upgrade_target g JOIN device d ON d.id = g.device_id
  WHERE g.task_id = t.id AND ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[]))) ORDER BY t.id) AS "upgradeIds",
    ARRAY(
SELECT t.id FROM parameter_batch t
WHERE t.next_at IS NOT NULL AND EXISTS (
  SELECT FROM parameter_target g JOIN device d ON d.id = g.device_id
  WHERE g.batch_id = t.id AND ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[]))) ORDER BY t.id) AS "batchIds";

-- countUnderWay
-- answers upgradeCount int4, batchCount int4
SELECT
    (SELECT count(*)::int FROM (
SELECT t.id FROM upgrade_task t
WHERE t.id IN (SELECT unnest("h"."upgrade_ids") FROM handover h WHERE h.id = $1) AND EXISTS (
  SELECT FROM upgrade_target g JOIN device d ON d.id = g.device_id
  WHERE g.task_id = t.id AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])))) u) AS "upgradeCount",
    (SELECT count(*)::int FROM (
SELECT t.id FROM parameter_batch t
WHERE t.id IN (SELECT unnest("h"."batch_ids") FROM handover h WHERE h.id = $5) AND EXISTS (
  SELECT FROM parameter_target g JOIN device d ON d.id = g.device_id
  WHERE g.batch_id = t.id AND ("d"."operator_id" = ANY($6::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "d"."region_id" = ANY($8::int[])))) b) AS "batchCount";

-- 
DELETE FROM handover WHERE id IN (
SELECT id FROM handover WHERE to_at < $1 ORDER BY to_at LIMIT $2);
