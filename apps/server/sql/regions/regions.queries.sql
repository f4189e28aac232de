-- Written by `npm run docs:sql`.

-- countRegions
-- answers code text, devices int4, online int4, alarms int4, shelved int4
WITH alarm_tally AS (
    SELECT s.region_id, count(*) FILTER (WHERE NOT s.is_quiet)::int AS alarms,
      count(*) FILTER (WHERE s.is_quiet)::int AS shelved
    FROM (
      SELECT operator_id, model_id, region_id, ((operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND semaphore_code <> ALL($5::text[])) OR (device_id = ANY($6::int[])
    AND EXISTS (SELECT FROM
unnest(
  $7::int[], $8::timestamptz[],
  $9::int[], $10::text[],
  $11::bigint[], $12::bigint[],
  $13::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($14::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) AS is_quiet FROM alarm_state WHERE is_active
    ) s
    WHERE ("s"."operator_id" = ANY($15::int[]) AND "s"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($16::int[])) AND "s"."region_id" = ANY($17::int[])) GROUP BY s.region_id
  ), device_tally AS (
    SELECT d.region_id, count(*)::int AS devices, count(*) FILTER (WHERE d.connection = 1)::int AS online
    FROM device_listing d WHERE ("d"."operator_id" = ANY($18::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($19::int[])) AND "d"."region_id" = ANY($20::int[])) GROUP BY d.region_id
  )
  SELECT r.code, d.devices, d.online, coalesce(a.alarms, 0) AS alarms, coalesce(a.shelved, 0) AS shelved
  FROM device_tally d
  JOIN region r ON r.id = d.region_id
  LEFT JOIN alarm_tally a ON a.region_id = d.region_id
  ORDER BY r.id;

-- lockTree
LOCK TABLE region IN SHARE ROW EXCLUSIVE MODE;

-- insertRegion
INSERT INTO region (id, code, parent_id, name, path, full_name, order_num)
SELECT drawn.id, $1, $2::int, $3, $4 || drawn.id || '/', $5,
  coalesce($6::int, (
    SELECT coalesce(max(order_num), 0) + 1 FROM region WHERE parent_id IS NOT DISTINCT FROM $7::int
  ))
FROM (SELECT nextval(pg_get_serial_sequence('region', 'id'))::int AS id) AS drawn;

-- placeRegions
UPDATE region r SET path = place.path, full_name = place.full_name
FROM unnest(
  $1::int[],
  $2::text[],
  $3::text[]
) AS place(id, path, full_name)
WHERE r.id = place.id
  AND (r.path, r.full_name) IS DISTINCT FROM (place.path, place.full_name);

-- usesOf
-- answers hasChildren bool, hasDevices bool, isInPermissions bool, choices json, hasHistory bool
SELECT
EXISTS (SELECT FROM region WHERE parent_id = $1) AS "hasChildren",
EXISTS (SELECT FROM device WHERE region_id = $2) AS "hasDevices",
EXISTS (SELECT FROM user_authority WHERE authority_type = 'R' AND value = $3)
  AS "isInPermissions",
json_build_object(
  'rule', EXISTS (SELECT FROM notify_rule WHERE filter ->> 'regionCode' = $4),
  'report', EXISTS (SELECT FROM report_subscription WHERE filter ->> 'regionCode' = $5),
  'shelf', EXISTS (
    SELECT FROM alarm_shelf
    WHERE filter ->> 'regionCode' = $6 AND ended_at IS NULL AND (end_at IS NULL OR end_at > now())),
  'advertisement', EXISTS (
    SELECT FROM advertisement
    WHERE cabinets #>> '{filters,regionCode}' = $7 AND deleted_at IS NULL AND ends_at > now()),
  'upgrade', EXISTS (
    SELECT FROM upgrade_task WHERE devices #>> '{filters,regionCode}' = $8 AND finished_at IS NULL)
) AS choices,
EXISTS (SELECT FROM alarm_history WHERE region_id = $9)
  OR EXISTS (SELECT FROM event_history WHERE region_id = $10) AS "hasHistory";
