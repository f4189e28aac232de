-- Written by `npm run docs:sql`.

-- listOpenShelves
-- answers id int4, kind text, filter jsonb null, codes _text null, levels _int4 null, compartment int2 null, isOneShot bool, isCritical bool, startAt timestamptz, endAt timestamptz null, endedAt timestamptz null, timeZone text null, startLocal text null, endLocal text null, repeat text null, decidedBy int4, decidedByName text, decidedIn int4 null, approvedBy int4 null, approvedByName text null, approvedIn int4 null
SELECT
a.id, a.kind, a.filter, a.semaphore_codes AS codes, a.alarm_levels AS levels, a.compartment,
a.is_one_shot AS "isOneShot", a.is_critical AS "isCritical", a.start_at AS "startAt", a.end_at AS "endAt",
a.ended_at AS "endedAt", a.time_zone AS "timeZone", a.start_local AS "startLocal", a.end_local AS "endLocal",
a.repeat, a.decided_by AS "decidedBy", a.decided_by_name AS "decidedByName", a.decided_in AS "decidedIn",
a.approved_by AS "approvedBy", a.approved_by_name AS "approvedByName", a.approved_in AS "approvedIn" FROM alarm_shelf a
  WHERE a.ended_at IS NULL AND (a.end_at IS NULL OR a.end_at > $1)
  ORDER BY a.id;

-- reachesOf
-- answers code text
SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND is_fire ORDER BY code;

-- listTargets
-- answers shelfId int4, deviceId int4, code text null, episodeId text, operatorId int4, equipTypeId int4, regionId int4, classify text
SELECT g.shelf_id AS "shelfId", d.id AS "deviceId", g.semaphore_code AS code, g.episode_id::text AS "episodeId",
  d.operator_id AS "operatorId", t.id AS "equipTypeId", d.region_id AS "regionId", t.classify
FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id
JOIN equip_model m ON m.id = d.model_id JOIN equip_type t ON t.id = m.equip_type_id
WHERE g.shelf_id = ANY($1::int[]) ORDER BY g.shelf_id, d.id;

-- readCompartmentBits
-- answers code text, entryName text, classify text, name text, at int8, isByValue bool
SELECT e.code, e.name AS "entryName", f.equip_classify AS classify, f.name, f.bit_position AS at,
  e.analysis_type = 'VALUE' AS "isByValue"
FROM dictionary_entry e JOIN semaphore_definition f ON f.entry_id = e.id
WHERE e.type = 'ALARM' AND (e.analysis_type = 'VALUE' OR f.bit_position < 63)
ORDER BY e.code, f.bit_position;

-- readShelved
-- answers id text, until timestamptz
SELECT episode_id::text AS id, CASE WHEN bool_and(until IS NOT NULL) THEN max(until) END AS until
  FROM (
    SELECT episode_id, device_id, occurred_at, $1::int AS shelf_id, $2::timestamptz AS until
    FROM alarm_state WHERE is_active AND (operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND semaphore_code <> ALL($7::text[])) AND episode_id = ANY($8::bigint[]) UNION ALL
    SELECT episode_id, device_id, occurred_at, q_shelf AS shelf_id, q_until AS until FROM alarm_state,
unnest(
  $9::int[], $10::timestamptz[],
  $11::int[], $12::text[],
  $13::bigint[], $14::bigint[],
  $15::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact)
    WHERE is_active AND q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($16::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END AND episode_id = ANY($17::bigint[])) AS found GROUP BY episode_id;
