-- Written by `npm run docs:sql`.

-- lockDevices
-- answers deviceId int4, deviceCode text, operatorId int4, equipTypeId int4, regionId int4, classify text, code text, episodeId text
SELECT
d.id AS "deviceId", d.code AS "deviceCode", d.operator_id AS "operatorId", t.id AS "equipTypeId",
d.region_id AS "regionId", t.classify, NULL AS code, NULL AS "episodeId"
  FROM device d
JOIN equip_model m ON m.id = d.model_id JOIN equip_type t ON t.id = m.equip_type_id
  WHERE d.code = ANY($1::text[]) AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
  ORDER BY d.id FOR KEY SHARE OF d;

-- read
-- answers deviceId int4, deviceCode text, operatorId int4, equipTypeId int4, regionId int4, classify text, code text, episodeId text
SELECT
d.id AS "deviceId", d.code AS "deviceCode", d.operator_id AS "operatorId", t.id AS "equipTypeId",
d.region_id AS "regionId", t.classify, h.semaphore_code AS code, "h"."episode_id"::text AS "episodeId"
    FROM "alarm_state" h JOIN device d ON d.id = h.device_id
JOIN equip_model m ON m.id = d.model_id JOIN equip_type t ON t.id = m.equip_type_id
    WHERE "h"."episode_id" = ANY($1::bigint[]) AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
    ORDER BY d.id FOR KEY SHARE OF d;

-- listFireNames
-- answers code text, name text
SELECT code, name FROM dictionary_entry
WHERE type = 'ALARM' AND is_fire AND code = ANY($1::text[]) ORDER BY code;

-- listFound
-- not shown: its places are asked for without codes, which devices have none of

-- listMet
-- answers id text, deviceId int4, code text
SELECT DISTINCT s.episode_id::text AS id, s.device_id AS "deviceId", s.semaphore_code AS code
  FROM (
    SELECT episode_id, device_id, occurred_at, $1::int AS shelf_id, $2::timestamptz AS until
    FROM alarm_state WHERE is_active AND (operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND semaphore_code <> ALL($7::text[]))  UNION ALL
    SELECT episode_id, device_id, occurred_at, q_shelf AS shelf_id, q_until AS until FROM alarm_state,
unnest(
  $8::int[], $9::timestamptz[],
  $10::int[], $11::text[],
  $12::bigint[], $13::bigint[],
  $14::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact)
    WHERE is_active AND q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($15::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END ) AS met JOIN alarm_state s ON s.episode_id = met.episode_id
  LIMIT $16;

-- insertShelf
-- answers id int4
INSERT INTO alarm_shelf (kind, organization_id, filter, semaphore_codes, alarm_levels, compartment, is_one_shot,
    is_critical, reason, start_at, end_at, time_zone, start_local, end_local, repeat, decided_by, decided_by_name,
    decided_in, approved_by, approved_by_name, approved_in, pair_count, reached_ids)
  VALUES ($1, $2,
    $3::jsonb, $4::text[],
    $5::int[], $6, $7, $8, $9,
    $10, $11, $12, $13,
    $14, $15, $16, $17,
    (
SELECT coalesce(CASE WHEN m.id IS NOT NULL THEN (CASE
WHEN u.organization_id = m.organization_id OR EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "m"."id" AND r.code = 'SYSTEM') THEN u.organization_id
WHEN u.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "m"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN u.organization_id
WHEN m.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "u"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN m.organization_id
END) END, u.organization_id)
FROM app_user u LEFT JOIN app_user m ON m.id = u.maker_id
WHERE u.id = $18 AND NOT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $19 AND r.code = 'SYSTEM')), $20, $21,
    $22, $23, $24::int[])
  RETURNING id;

-- insertShelf
INSERT INTO alarm_shelf_target (shelf_id, device_id, semaphore_code, episode_id)
SELECT $1, m.device_id, m.code, m.episode_id
FROM unnest(
  $2::int[], $3::text[],
  $4::bigint[]
) AS m (device_id, code, episode_id)
ORDER BY m.device_id;

-- countOpen
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('alarm_shelf made', 0));

-- countOpen
-- answers organizationId int4, ofAll jsonb, ofUser jsonb
SELECT organization_id AS "organizationId", jsonb_build_object(
'byFilter', count(*) FILTER (WHERE true AND is_condition),
'named', count(*) FILTER (WHERE true AND NOT is_condition),
'pairs', coalesce(sum(pairs) FILTER (WHERE true AND NOT is_condition), 0)) AS "ofAll", jsonb_build_object(
'byFilter', count(*) FILTER (WHERE is_own AND is_condition),
'named', count(*) FILTER (WHERE is_own AND NOT is_condition),
'pairs', coalesce(sum(pairs) FILTER (WHERE is_own AND NOT is_condition), 0)) AS "ofUser"
  FROM (
    SELECT a.organization_id, a.decided_by IN (
SELECT id FROM app_user WHERE id = $1 OR maker_id = $2) AS is_own,
      a.filter IS NOT NULL OR a.pair_count > $3 AS is_condition,
      CASE WHEN a.filter IS NULL THEN greatest(
        a.pair_count, (SELECT count(*) FROM alarm_shelf_target g WHERE g.shelf_id = a.id)) END AS pairs
    FROM alarm_shelf a WHERE a.ended_at IS NULL AND (a.end_at IS NULL OR a.end_at > now())
  ) AS open GROUP BY organization_id;

-- hasSame
WITH asked AS (
  SELECT * FROM unnest(
    $1::int[], $2::text[],
    $3::bigint[]
  ) AS m (device_id, code, episode_id)
)
SELECT FROM alarm_shelf a
WHERE a.decided_by = $4 AND NOT (a.ended_at IS NOT NULL OR coalesce(a.end_at <= now(), false)) AND a.filter IS NULL AND a.kind = $5
  AND a.is_one_shot = $6 AND a.compartment IS NOT DISTINCT FROM $7::smallint
  AND ARRAY(SELECT unnest(a.semaphore_codes) ORDER BY 1) = ARRAY(SELECT unnest($8::text[]) ORDER BY 1)
  AND ARRAY(SELECT unnest(a.alarm_levels) ORDER BY 1) = ARRAY(SELECT unnest($9::int[]) ORDER BY 1)
  AND (a.time_zone, a.start_local, a.end_local, a.repeat) IS NOT DISTINCT FROM
    ($10::text, $11::text, $12::text,
      $13::text)
  AND (SELECT count(*) FROM alarm_shelf_target g WHERE g.shelf_id = a.id) = $14
  AND NOT EXISTS (
    SELECT FROM alarm_shelf_target g WHERE g.shelf_id = a.id AND NOT EXISTS (
      SELECT FROM asked m WHERE m.device_id = g.device_id AND m.code IS NOT DISTINCT FROM g.semaphore_code
        AND m.episode_id IS NOT DISTINCT FROM g.episode_id))
LIMIT 1;

-- listShelves
-- answers id int4, organizationId int4, kind text, deviceCodes _text, deviceCount int4, organizationName text, operatorName text, equipTypeName text null, equipModelName text, regionName text null, semaphoreNames _text, alarmLevels _int4 null, compartment int2 null, isOneShot bool, isCritical bool, reason text, startAt timestamptz, endAt timestamptz null, timeZone text null, startLocal text null, endLocal text null, repeat text null, decidedBy int4, decidedByName text, decidedIn int4, approvedBy int4 null, approvedByName text null, approvedIn int4 null, createTime timestamptz, endBy text null, endedAt timestamptz, matchedCount int4, lastMatchedTime timestamptz, isIdle bool, mayEnd bool, mayChange bool, version int4
SELECT a.id, a.organization_id AS "organizationId", a.kind, CASE WHEN a.filter IS NULL THEN ARRAY(
      SELECT DISTINCT d.code FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id
  WHERE g.shelf_id = a.id AND ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[])) ORDER BY d.code LIMIT $4
    ) END AS "deviceCodes",
    (SELECT count(DISTINCT g.device_id)::int FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id
  WHERE g.shelf_id = a.id AND ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[]))) AS "deviceCount",
    CASE WHEN ("a"."filter" ->> 'organizationId')::bigint IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $8::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN o.name
      WHEN (a.filter ->> 'organizationId') IS NOT NULL THEN $9 END AS "organizationName",
    CASE WHEN ("a"."filter" ->> 'operatorId' IS NOT NULL) THEN p.name
      WHEN (a.filter ->> 'operatorId') IS NOT NULL THEN $10 END AS "operatorName", t.name AS "equipTypeName", m.name AS "equipModelName",
    r.full_name AS "regionName", (
      SELECT array_agg(coalesce(e.name, n.code) ORDER BY n.code) FROM (
        SELECT unnest(a.semaphore_codes) AS code
        UNION
        SELECT g.semaphore_code FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id
  WHERE g.shelf_id = a.id AND ("d"."operator_id" = ANY($11::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($12::int[])) AND "d"."region_id" = ANY($13::int[])) AND g.semaphore_code IS NOT NULL
        ORDER BY code LIMIT $14
      ) AS n LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = n.code
    ) AS "semaphoreNames",
    a.alarm_levels AS "alarmLevels", a.compartment, a.is_one_shot AS "isOneShot", a.is_critical AS "isCritical",
    a.reason, a.start_at AS "startAt", a.end_at AS "endAt", a.time_zone AS "timeZone",
    a.start_local AS "startLocal", a.end_local AS "endLocal", a.repeat, a.decided_by AS "decidedBy",
    a.decided_by_name AS "decidedByName", a.decided_in AS "decidedIn", a.approved_by AS "approvedBy",
    a.approved_by_name AS "approvedByName", a.approved_in AS "approvedIn", a.created_at AS "createTime",
    a.ended_by_name AS "endBy", a.ended_at AS "endedAt",
    CASE WHEN ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $15::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
      AND CASE WHEN a.filter IS NULL THEN NOT EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND NOT ("d"."operator_id" = ANY($16::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($17::int[])) AND "d"."region_id" = ANY($18::int[])))
        ELSE a.decided_in IS NOT NULL AND "a"."decided_in" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $19::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
          AND NOT EXISTS (
SELECT FROM user_authority WHERE user_id = ANY($20::int[])
  AND ($21::text IS NULL OR authority_type = $22)) END) THEN a.matched ELSE (SELECT count(*)::int FROM alarm_shelf_cover c JOIN device d ON d.id = c.device_id
  WHERE c.shelf_id = a.id AND ("d"."operator_id" = ANY($23::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($24::int[])) AND "d"."region_id" = ANY($25::int[]))) END AS "matchedCount",
    CASE WHEN ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $26::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
      AND CASE WHEN a.filter IS NULL THEN NOT EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND NOT ("d"."operator_id" = ANY($27::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($28::int[])) AND "d"."region_id" = ANY($29::int[])))
        ELSE a.decided_in IS NOT NULL AND "a"."decided_in" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $30::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
          AND NOT EXISTS (
SELECT FROM user_authority WHERE user_id = ANY($31::int[])
  AND ($32::text IS NULL OR authority_type = $33)) END) THEN a.last_matched_at
      ELSE (SELECT max(c.since) FROM alarm_shelf_cover c JOIN device d ON d.id = c.device_id
  WHERE c.shelf_id = a.id AND ("d"."operator_id" = ANY($34::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($35::int[])) AND "d"."region_id" = ANY($36::int[]))) END AS "lastMatchedTime", (NOT (a.ended_at IS NOT NULL OR coalesce(a.end_at <= now(), false)) AND a.kind <> 'maintenance'
AND coalesce(a.last_matched_at, a.start_at) < now() - $37 * interval '1 day') AS "isIdle",
    NOT (a.ended_at IS NOT NULL OR coalesce(a.end_at <= now(), false)) AND (a.decided_by = $38 OR ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $39::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
      AND CASE WHEN a.filter IS NULL THEN NOT EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND NOT ("d"."operator_id" = ANY($40::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($41::int[])) AND "d"."region_id" = ANY($42::int[])))
        ELSE a.decided_in IS NOT NULL AND "a"."decided_in" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $43::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
          AND NOT EXISTS (
SELECT FROM user_authority WHERE user_id = ANY($44::int[])
  AND ($45::text IS NULL OR authority_type = $46)) END)) AS "mayEnd",
    NOT (a.ended_at IS NOT NULL OR coalesce(a.end_at <= now(), false)) AND (a.kind = 'maintenance' AND (a.decided_by = $47
  OR (a.filter IS NULL AND ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $48::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
      AND CASE WHEN a.filter IS NULL THEN NOT EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND NOT ("d"."operator_id" = ANY($49::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($50::int[])) AND "d"."region_id" = ANY($51::int[])))
        ELSE a.decided_in IS NOT NULL AND "a"."decided_in" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $52::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
          AND NOT EXISTS (
SELECT FROM user_authority WHERE user_id = ANY($53::int[])
  AND ($54::text IS NULL OR authority_type = $55)) END)))) AS "mayChange", a.version
  FROM (
    SELECT * FROM alarm_shelf a WHERE (a.decided_by = $56
OR ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $57::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  AND (a.filter IS NOT NULL OR EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND ("d"."operator_id" = ANY($58::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($59::int[])) AND "d"."region_id" = ANY($60::int[])))))) AND a.kind = $61 AND NOT (a.ended_at IS NOT NULL OR coalesce(a.end_at <= now(), false)) AND a.id = ANY($62::int[]) AND a.id <> ALL($63::int[]) AND (NOT (a.ended_at IS NOT NULL OR coalesce(a.end_at <= now(), false)) AND a.kind <> 'maintenance'
AND coalesce(a.last_matched_at, a.start_at) < now() - $64 * interval '1 day') AND EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($65::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($66::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($67::int[])) AND "d"."region_id" = ANY($68::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $69 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($70::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($71::int[])) AND "d"."region_id" = ANY($72::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)))
    ORDER BY a.id DESC LIMIT $73 OFFSET $74
  ) AS a
  LEFT JOIN organization o ON o.id = (a.filter ->> 'organizationId')::bigint
  LEFT JOIN operator p ON p.id = (a.filter ->> 'operatorId')::bigint
  LEFT JOIN equip_type t ON t.id = (a.filter ->> 'equipTypeId')::bigint
  LEFT JOIN equip_model m ON m.id = (a.filter ->> 'equipModelId')::bigint
  LEFT JOIN region r ON r.code = (a.filter ->> 'regionCode')
  ORDER BY a.id DESC;

-- endIdle
-- answers id int4
UPDATE alarm_shelf a SET ended_at = $1, ended_by_name = $2
  WHERE (NOT (a.ended_at IS NOT NULL OR coalesce(a.end_at <= now(), false)) AND a.kind <> 'maintenance'
AND coalesce(a.last_matched_at, a.start_at) < now() - $3 * interval '1 day') AND (a.decided_by = $4
OR ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $5::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  AND (a.filter IS NOT NULL OR EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND ("d"."operator_id" = ANY($6::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($7::int[])) AND "d"."region_id" = ANY($8::int[])))))) AND (a.decided_by = $9 OR ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $10::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
      AND CASE WHEN a.filter IS NULL THEN NOT EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND NOT ("d"."operator_id" = ANY($11::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($12::int[])) AND "d"."region_id" = ANY($13::int[])))
        ELSE a.decided_in IS NOT NULL AND "a"."decided_in" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $14::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
          AND NOT EXISTS (
SELECT FROM user_authority WHERE user_id = ANY($15::int[])
  AND ($16::text IS NULL OR authority_type = $17)) END))
  RETURNING a.id;

-- endIdle
UPDATE alarm_shelf_cover SET until = $1 WHERE shelf_id = ANY($2::int[]) AND is_open;

-- lockShelf
SELECT FROM alarm_shelf WHERE id = $1 FOR UPDATE;

-- lockShelf
-- answers id int4, kind text, reason text, isOver bool, endBy text null, endedAt timestamptz, mayEnd bool, mayChange bool, startAt timestamptz, startLocal text null, endLocal text null, repeat text null, timeZone text null, filter jsonb, isOfDevices bool, version int4
SELECT a.id, a.kind, a.reason, (a.ended_at IS NOT NULL OR coalesce(a.end_at <= now(), false)) AS "isOver", a.ended_by_name AS "endBy", a.ended_at AS "endedAt",
    (a.decided_by = $1 OR ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
      AND CASE WHEN a.filter IS NULL THEN NOT EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND NOT ("d"."operator_id" = ANY($3::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($4::int[])) AND "d"."region_id" = ANY($5::int[])))
        ELSE a.decided_in IS NOT NULL AND "a"."decided_in" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $6::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
          AND NOT EXISTS (
SELECT FROM user_authority WHERE user_id = ANY($7::int[])
  AND ($8::text IS NULL OR authority_type = $9)) END)) AS "mayEnd", (a.kind = 'maintenance' AND (a.decided_by = $10
  OR (a.filter IS NULL AND ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $11::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
      AND CASE WHEN a.filter IS NULL THEN NOT EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND NOT ("d"."operator_id" = ANY($12::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($13::int[])) AND "d"."region_id" = ANY($14::int[])))
        ELSE a.decided_in IS NOT NULL AND "a"."decided_in" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $15::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
          AND NOT EXISTS (
SELECT FROM user_authority WHERE user_id = ANY($16::int[])
  AND ($17::text IS NULL OR authority_type = $18)) END)))) AS "mayChange",
    a.start_at AS "startAt", a.start_local AS "startLocal", a.end_local AS "endLocal", a.repeat,
    a.time_zone AS "timeZone", a.filter, num_nonnulls(a.semaphore_codes, a.alarm_levels, a.compartment) = 0 AS "isOfDevices", a.version
  FROM alarm_shelf a WHERE a.id = $19 AND (a.decided_by = $20
OR ("a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $21::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  AND (a.filter IS NOT NULL OR EXISTS (
SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND ("d"."operator_id" = ANY($22::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($23::int[])) AND "d"."region_id" = ANY($24::int[]))))));

-- changeWindow
UPDATE alarm_shelf SET start_at = $1, end_at = $2, time_zone = $3,
    start_local = $4, end_local = $5, repeat = $6, reason = $7,
    decided_by = $8, decided_by_name = $9, decided_in = (
SELECT coalesce(CASE WHEN m.id IS NOT NULL THEN (CASE
WHEN u.organization_id = m.organization_id OR EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "m"."id" AND r.code = 'SYSTEM') THEN u.organization_id
WHEN u.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "m"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN u.organization_id
WHEN m.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "u"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN m.organization_id
END) END, u.organization_id)
FROM app_user u LEFT JOIN app_user m ON m.id = u.maker_id
WHERE u.id = $10 AND NOT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $11 AND r.code = 'SYSTEM')),
    reached_ids = $12::int[], reached_version = version + 1, version = version + 1
  WHERE id = $13;

-- endShelf
UPDATE alarm_shelf SET ended_at = $1, ended_by_name = $2 WHERE id = $3;

-- endShelf
UPDATE alarm_shelf_cover SET until = $1 WHERE shelf_id = $2 AND is_open;

-- lockWatch
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('alarm_shelf watch', 0));

-- coverMet
-- answers id text
WITH met AS MATERIALIZED (
    SELECT * FROM (
      SELECT episode_id, shelf_id, min(device_id) AS device_id, min(occurred_at) AS occurred_at,
        CASE WHEN bool_and(until IS NOT NULL) THEN max(until) END AS until,
        row_number() OVER (
          PARTITION BY episode_id
          ORDER BY CASE WHEN bool_and(until IS NOT NULL) THEN max(until) END DESC NULLS FIRST, shelf_id
        ) AS place
      FROM (
    SELECT episode_id, device_id, occurred_at, $1::int AS shelf_id, $2::timestamptz AS until
    FROM alarm_state WHERE is_active AND (operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND semaphore_code <> ALL($7::text[]))  UNION ALL
    SELECT episode_id, device_id, occurred_at, q_shelf AS shelf_id, q_until AS until FROM alarm_state,
unnest(
  $8::int[], $9::timestamptz[],
  $10::int[], $11::text[],
  $12::bigint[], $13::bigint[],
  $14::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact)
    WHERE is_active AND q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($15::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END ) AS found GROUP BY episode_id, shelf_id
    ) AS all_met WHERE place <= $16
  ), written AS (
    INSERT INTO alarm_shelf_cover AS c (episode_id, shelf_id, occurred_at, device_id, until)
    SELECT met.episode_id, met.shelf_id, met.occurred_at, met.device_id, met.until
    FROM met JOIN device d ON d.id = met.device_id
    ORDER BY met.episode_id, met.shelf_id
    ON CONFLICT (episode_id, shelf_id) DO UPDATE SET until = excluded.until, is_open = true
      WHERE NOT c.is_open OR c.until IS DISTINCT FROM excluded.until
    RETURNING c.episode_id, c.shelf_id, c.xmax = 0 AS is_new
  ), left_by AS (
    -- Open ones that it does not keep quiet any more, before their time: its people see less, or may not decide.
    UPDATE alarm_shelf_cover c SET until = date_trunc('milliseconds', clock_timestamp())
    WHERE c.is_open AND (c.until IS NULL OR c.until > now())
      AND NOT EXISTS (SELECT FROM met WHERE met.episode_id = c.episode_id AND met.shelf_id = c.shelf_id)
    RETURNING 1
  ), counted AS (
    UPDATE alarm_shelf a SET matched = a.matched + n.added, last_matched_at = now()
    FROM (
      SELECT met.shelf_id, count(w.episode_id) FILTER (WHERE w.is_new) AS added
      FROM met LEFT JOIN written w USING (episode_id, shelf_id) GROUP BY met.shelf_id
    ) AS n
    WHERE a.id = n.shelf_id
      AND (n.added > 0 OR a.last_matched_at IS NULL OR a.last_matched_at < now() - interval '1 hour')
  )
  SELECT DISTINCT episode_id::text AS id FROM written WHERE is_new;

-- coverMet
DELETE FROM alarm_shelf_cover c USING (
  SELECT episode_id, shelf_id, row_number() OVER (
    PARTITION BY episode_id ORDER BY until DESC, shelf_id DESC) AS place
  FROM alarm_shelf_cover WHERE NOT is_open AND episode_id = ANY($1::bigint[])
) AS o
WHERE c.episode_id = o.episode_id AND c.shelf_id = o.shelf_id AND o.place > $2;

-- leaveAll
UPDATE alarm_shelf_cover SET until = date_trunc('milliseconds', clock_timestamp())
WHERE is_open AND (until IS NULL OR until > now());

-- closeLeft
-- answers id text, isActive bool
UPDATE alarm_shelf_cover c SET is_open = false
WHERE c.is_open AND c.until <= clock_timestamp()
RETURNING c.episode_id::text AS id, EXISTS (
  SELECT FROM alarm_state s WHERE s.episode_id = c.episode_id AND s.is_active) AS "isActive";

-- deleteShelves
-- answers ?column? int4
DELETE FROM alarm_shelf_cover WHERE (episode_id, shelf_id) IN (
  SELECT episode_id, shelf_id FROM alarm_shelf_cover WHERE occurred_at < $1 AND NOT is_open LIMIT $2
) RETURNING 1;

-- deleteShelves
-- answers ?column? int4
DELETE FROM alarm_shelf WHERE id IN (
  SELECT id FROM alarm_shelf a
  WHERE created_at < $1 AND coalesce(ended_at, end_at) < $2 LIMIT $3
) RETURNING 1;
