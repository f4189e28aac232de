-- Written by `npm run docs:sql`.

-- listPlans
-- answers id int4, kind text, filter jsonb null, codes _text null, levels _int4 null, compartment int2 null, isOneShot bool, isCritical bool, startAt timestamptz, endAt timestamptz null, endedAt timestamptz null, timeZone text null, startLocal text null, endLocal text null, repeat text null, decidedBy int4, decidedByName text, decidedIn int4 null, approvedBy int4 null, approvedByName text null, approvedIn int4 null
SELECT
a.id, a.kind, a.filter, a.semaphore_codes AS codes, a.alarm_levels AS levels, a.compartment,
a.is_one_shot AS "isOneShot", a.is_critical AS "isCritical", a.start_at AS "startAt", a.end_at AS "endAt",
a.ended_at AS "endedAt", a.time_zone AS "timeZone", a.start_local AS "startLocal", a.end_local AS "endLocal",
a.repeat, a.decided_by AS "decidedBy", a.decided_by_name AS "decidedByName", a.decided_in AS "decidedIn",
a.approved_by AS "approvedBy", a.approved_by_name AS "approvedByName", a.approved_in AS "approvedIn" FROM alarm_shelf a
  WHERE a.kind <> 'shelve' AND a.start_at <= $1
    AND coalesce(least(a.ended_at, a.end_at), 'infinity') > $2
    AND a.semaphore_codes IS NULL AND a.alarm_levels IS NULL AND a.compartment IS NULL
  ORDER BY a.id;

-- listReached
-- answers id int4
SELECT id FROM (
  SELECT id, id AS device_id, operator_id, model_id, region_id, '' AS semaphore_code FROM device
) AS placed WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) ORDER BY id;
