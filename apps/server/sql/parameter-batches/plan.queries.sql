-- Written by `npm run docs:sql`.

-- lockPlanning
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtext('parameter_target_plan'));

-- previewTrial
-- answers devices int4, offline int4, unknownCodes _text
WITH plan AS MATERIALIZED (
  SELECT chosen.id AS device_id, NULL::jsonb AS wanted, coalesce(known.former, '{}') AS former,
    CASE
      WHEN chosen.protocol = ANY($1::text[]) THEN 'noAbility'
      WHEN EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = chosen.id AND y.is_enabled AND z.protocol = 'ocpp16') THEN 'observed'
      WHEN chosen.protocol = 'ocpp16' AND $2::boolean
        OR chosen.protocol <> 'ocpp16' AND $3::boolean THEN 'noParameter'
      WHEN chosen.protocol <> 'ocpp16' AND chosen.model_id IN (
SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
WHERE t.classify <> $4 AND (
  SELECT count(DISTINCT p.parameter_id) FROM device o JOIN device_parameter p ON p.device_id = o.id
  WHERE o.model_id = m.id AND p.parameter_id = ANY($5::text[])
) < $6) THEN 'noParameter'
      WHEN known.same = $7 THEN 'sameValue'
      WHEN EXISTS (
SELECT FROM parameter_target o JOIN parameter_batch ob ON ob.id = o.batch_id
WHERE o.device_id = chosen.id AND o.state IN ('held', 'waiting', 'sent', 'confirming')
  AND jsonb_exists_any(coalesce(o.wanted, ob.wanted), $8::text[])) THEN 'busy'
    END AS skip
  FROM (SELECT d.id, d.model_id, d.protocol FROM device d WHERE true) chosen
  LEFT JOIN (
    SELECT p.device_id, jsonb_object_agg(p.parameter_id, p.value) AS former,
      count(*) FILTER (WHERE CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) AS same
    FROM device_parameter p JOIN jsonb_each_text($9::jsonb) w ON w.key = p.parameter_id
    JOIN device d ON d.id = p.device_id
    WHERE true
    GROUP BY p.device_id
  ) known ON known.device_id = chosen.id),
    chosen AS MATERIALIZED (
SELECT v.device_id, v.is_online FROM (
  SELECT p.device_id, coalesce(s.is_online, false) AS is_online,
    row_number() OVER (
      PARTITION BY coalesce(s.is_online, false), d.model_id, d.operator_id ORDER BY random()
    ) AS nth
  FROM (SELECT * FROM plan) p JOIN device d ON d.id = p.device_id LEFT JOIN device_state s ON s.device_id = d.id
  WHERE p.skip IS NULL AND d.code = ANY($10::text[])
) v
ORDER BY v.is_online DESC, v.nth, random() LIMIT $11)
  SELECT (SELECT count(*)::int FROM chosen) AS devices,
    (SELECT count(*)::int FROM chosen WHERE NOT is_online) AS offline,
    ARRAY(
      SELECT asked.code FROM unnest($12::text[]) WITH ORDINALITY AS asked (code, n)
      WHERE NOT EXISTS (
        SELECT FROM chosen JOIN device d ON d.id = chosen.device_id WHERE d.code = asked.code
      )
      ORDER BY asked.n
    ) AS "unknownCodes";

-- insertTargets
-- answers total int4, waiting int4, trial int4
WITH plan AS MATERIALIZED (
  SELECT chosen.id AS device_id, NULL::jsonb AS wanted, coalesce(known.former, '{}') AS former,
    CASE
      WHEN chosen.protocol = ANY($1::text[]) THEN 'noAbility'
      WHEN EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = chosen.id AND y.is_enabled AND z.protocol = 'ocpp16') THEN 'observed'
      WHEN chosen.protocol = 'ocpp16' AND $2::boolean
        OR chosen.protocol <> 'ocpp16' AND $3::boolean THEN 'noParameter'
      WHEN chosen.protocol <> 'ocpp16' AND chosen.model_id IN (
SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
WHERE t.classify <> $4 AND (
  SELECT count(DISTINCT p.parameter_id) FROM device o JOIN device_parameter p ON p.device_id = o.id
  WHERE o.model_id = m.id AND p.parameter_id = ANY($5::text[])
) < $6) THEN 'noParameter'
      WHEN known.same = $7 THEN 'sameValue'
      WHEN EXISTS (
SELECT FROM parameter_target o JOIN parameter_batch ob ON ob.id = o.batch_id
WHERE o.device_id = chosen.id AND o.state IN ('held', 'waiting', 'sent', 'confirming')
  AND jsonb_exists_any(coalesce(o.wanted, ob.wanted), $8::text[])) THEN 'busy'
    END AS skip
  FROM (SELECT d.id, d.model_id, d.protocol FROM device d WHERE ((true AND d.operator_id = ANY($9::int[]) AND d.model_id = ANY($10::int[]) AND d.region_id = ANY($11::int[]) AND d.id = ANY($12::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $13) AND d.business_status = ANY($14::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $15)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($16::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($17::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($18::int[])) AND "d"."region_id" = ANY($19::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $20 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($21::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($22::int[])) AND "d"."region_id" = ANY($23::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($24::int[]) AND model_id = ANY($25::int[]) AND region_id = ANY($26::int[]) AND semaphore_code = ANY($27::text[]) AND semaphore_code <> ALL($28::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $29::int[], $30::timestamptz[],
  $31::int[], $32::text[],
  $33::bigint[], $34::bigint[],
  $35::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($36::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $37::int)) IS TRUE) AND true)) chosen
  LEFT JOIN (
    SELECT p.device_id, jsonb_object_agg(p.parameter_id, p.value) AS former,
      count(*) FILTER (WHERE CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) AS same
    FROM device_parameter p JOIN jsonb_each_text($38::jsonb) w ON w.key = p.parameter_id
    JOIN device d ON d.id = p.device_id
    WHERE ((true AND d.operator_id = ANY($39::int[]) AND d.model_id = ANY($40::int[]) AND d.region_id = ANY($41::int[]) AND d.id = ANY($42::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $43) AND d.business_status = ANY($44::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $45)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($46::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($47::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($48::int[])) AND "d"."region_id" = ANY($49::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $50 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($51::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($52::int[])) AND "d"."region_id" = ANY($53::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($54::int[]) AND model_id = ANY($55::int[]) AND region_id = ANY($56::int[]) AND semaphore_code = ANY($57::text[]) AND semaphore_code <> ALL($58::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $59::int[], $60::timestamptz[],
  $61::int[], $62::text[],
  $63::bigint[], $64::bigint[],
  $65::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($66::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $67::int)) IS TRUE) AND true)
    GROUP BY p.device_id
  ) known ON known.device_id = chosen.id),
    first AS MATERIALIZED (SELECT NULL::int AS device_id WHERE false),
    added AS (
      INSERT INTO parameter_target (batch_id, device_id, state, reason, next_at, wanted, former, is_trial)
      SELECT $68, plan.device_id,
        CASE WHEN skip IS NOT NULL THEN 'skipped' WHEN $69 OR first.device_id IS NOT NULL THEN 'waiting'
          ELSE 'held' END,
        jsonb_build_object($70::text, $71::text, $72::text, $73::text, $74::text, $75::text, $76::text, $77::text, $78::text, $79::text, $80::text, $81::text, $82::text, $83::text) ->> skip,
        CASE WHEN skip IS NULL AND ($84 OR first.device_id IS NOT NULL) THEN now() END,
        wanted, former, first.device_id IS NOT NULL
      FROM plan LEFT JOIN first ON first.device_id = plan.device_id
      RETURNING state, is_trial
    )
  SELECT count(*)::int AS total, (count(*) FILTER (WHERE state <> 'skipped'))::int AS waiting,
    (count(*) FILTER (WHERE is_trial))::int AS trial
  FROM added;

-- summarize
-- answers chosen int4, devices int4, offline int4, skipped jsonb, changes jsonb
WITH plan AS MATERIALIZED (
  SELECT chosen.id AS device_id, NULL::jsonb AS wanted, coalesce(known.former, '{}') AS former,
    CASE
      WHEN chosen.protocol = ANY($1::text[]) THEN 'noAbility'
      WHEN EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = chosen.id AND y.is_enabled AND z.protocol = 'ocpp16') THEN 'observed'
      WHEN chosen.protocol = 'ocpp16' AND $2::boolean
        OR chosen.protocol <> 'ocpp16' AND $3::boolean THEN 'noParameter'
      WHEN chosen.protocol <> 'ocpp16' AND chosen.model_id IN (
SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
WHERE t.classify <> $4 AND (
  SELECT count(DISTINCT p.parameter_id) FROM device o JOIN device_parameter p ON p.device_id = o.id
  WHERE o.model_id = m.id AND p.parameter_id = ANY($5::text[])
) < $6) THEN 'noParameter'
      WHEN known.same = $7 THEN 'sameValue'
      WHEN EXISTS (
SELECT FROM parameter_target o JOIN parameter_batch ob ON ob.id = o.batch_id
WHERE o.device_id = chosen.id AND o.state IN ('held', 'waiting', 'sent', 'confirming')
  AND jsonb_exists_any(coalesce(o.wanted, ob.wanted), $8::text[])) THEN 'busy'
    END AS skip
  FROM (SELECT d.id, d.model_id, d.protocol FROM device d WHERE ((true AND d.operator_id = ANY($9::int[]) AND d.model_id = ANY($10::int[]) AND d.region_id = ANY($11::int[]) AND d.id = ANY($12::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $13) AND d.business_status = ANY($14::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $15)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($16::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($17::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($18::int[])) AND "d"."region_id" = ANY($19::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $20 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($21::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($22::int[])) AND "d"."region_id" = ANY($23::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($24::int[]) AND model_id = ANY($25::int[]) AND region_id = ANY($26::int[]) AND semaphore_code = ANY($27::text[]) AND semaphore_code <> ALL($28::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $29::int[], $30::timestamptz[],
  $31::int[], $32::text[],
  $33::bigint[], $34::bigint[],
  $35::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($36::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $37::int)) IS TRUE) AND true)) chosen
  LEFT JOIN (
    SELECT p.device_id, jsonb_object_agg(p.parameter_id, p.value) AS former,
      count(*) FILTER (WHERE CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) AS same
    FROM device_parameter p JOIN jsonb_each_text($38::jsonb) w ON w.key = p.parameter_id
    JOIN device d ON d.id = p.device_id
    WHERE ((true AND d.operator_id = ANY($39::int[]) AND d.model_id = ANY($40::int[]) AND d.region_id = ANY($41::int[]) AND d.id = ANY($42::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $43) AND d.business_status = ANY($44::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $45)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($46::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($47::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($48::int[])) AND "d"."region_id" = ANY($49::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $50 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($51::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($52::int[])) AND "d"."region_id" = ANY($53::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($54::int[]) AND model_id = ANY($55::int[]) AND region_id = ANY($56::int[]) AND semaphore_code = ANY($57::text[]) AND semaphore_code <> ALL($58::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $59::int[], $60::timestamptz[],
  $61::int[], $62::text[],
  $63::bigint[], $64::bigint[],
  $65::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($66::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $67::int)) IS TRUE) AND true)
    GROUP BY p.device_id
  ) known ON known.device_id = chosen.id)
  SELECT count(*)::int AS chosen, (count(*) FILTER (WHERE skip IS NULL))::int AS devices,
    (count(*) FILTER (WHERE skip IS NULL AND s.is_online IS NOT TRUE))::int AS offline,
    coalesce((SELECT jsonb_agg(jsonb_build_object('reason', r.skip, 'devices', r.devices) ORDER BY r.devices DESC)
      FROM (SELECT skip, count(*) AS devices FROM plan WHERE skip IS NOT NULL GROUP BY skip) r), '[]') AS skipped,
    coalesce((SELECT jsonb_agg(to_jsonb(c) ORDER BY c.devices DESC, c.former)
      FROM (
        SELECT w.key AS id, w.value, plan.former ->> w.key AS former, count(*) AS devices
        FROM plan CROSS JOIN LATERAL jsonb_each_text(coalesce(plan.wanted, $68::jsonb)) w
        WHERE plan.skip IS NULL GROUP BY 1, 2, 3
      ) c), '[]') AS changes
  FROM plan LEFT JOIN device_state s ON s.device_id = plan.device_id;
