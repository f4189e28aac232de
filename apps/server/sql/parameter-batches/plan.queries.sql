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
    WHERE t.classify = $13) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $14)) IS TRUE AND d.business_status = ANY($15::int[]) AND d.id = ANY(ARRAY(
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
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $24::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $25 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($26::text) || '%' AND (d.search_text LIKE '%' || lower($27::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($28::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($29::text) || '%')))) IS TRUE AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($30::int[]) AND model_id = ANY($31::int[]) AND region_id = ANY($32::int[]) AND semaphore_code = ANY($33::text[]) AND semaphore_code <> ALL($34::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $35::int[], $36::timestamptz[],
  $37::int[], $38::text[],
  $39::bigint[], $40::bigint[],
  $41::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($42::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $43::int)) IS TRUE) AND true)) chosen
  LEFT JOIN (
    SELECT p.device_id, jsonb_object_agg(p.parameter_id, p.value) AS former,
      count(*) FILTER (WHERE CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) AS same
    FROM device_parameter p JOIN jsonb_each_text($44::jsonb) w ON w.key = p.parameter_id
    JOIN device d ON d.id = p.device_id
    WHERE ((true AND d.operator_id = ANY($45::int[]) AND d.model_id = ANY($46::int[]) AND d.region_id = ANY($47::int[]) AND d.id = ANY($48::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $49) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $50)) IS TRUE AND d.business_status = ANY($51::int[]) AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($52::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($53::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($54::int[])) AND "d"."region_id" = ANY($55::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $56 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($57::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($58::int[])) AND "d"."region_id" = ANY($59::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $60::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $61 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($62::text) || '%' AND (d.search_text LIKE '%' || lower($63::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($64::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($65::text) || '%')))) IS TRUE AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($66::int[]) AND model_id = ANY($67::int[]) AND region_id = ANY($68::int[]) AND semaphore_code = ANY($69::text[]) AND semaphore_code <> ALL($70::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $71::int[], $72::timestamptz[],
  $73::int[], $74::text[],
  $75::bigint[], $76::bigint[],
  $77::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($78::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $79::int)) IS TRUE) AND true)
    GROUP BY p.device_id
  ) known ON known.device_id = chosen.id),
    first AS MATERIALIZED (SELECT NULL::int AS device_id WHERE false),
    added AS (
      INSERT INTO parameter_target (batch_id, device_id, state, reason, next_at, wanted, former, is_trial)
      SELECT $80, plan.device_id,
        CASE WHEN skip IS NOT NULL THEN 'skipped' WHEN $81 OR first.device_id IS NOT NULL THEN 'waiting'
          ELSE 'held' END,
        jsonb_build_object($82::text, $83::text, $84::text, $85::text, $86::text, $87::text, $88::text, $89::text, $90::text, $91::text, $92::text, $93::text, $94::text, $95::text) ->> skip,
        CASE WHEN skip IS NULL AND ($96 OR first.device_id IS NOT NULL) THEN now() END,
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
    WHERE t.classify = $13) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $14)) IS TRUE AND d.business_status = ANY($15::int[]) AND d.id = ANY(ARRAY(
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
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $24::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $25 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($26::text) || '%' AND (d.search_text LIKE '%' || lower($27::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($28::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($29::text) || '%')))) IS TRUE AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($30::int[]) AND model_id = ANY($31::int[]) AND region_id = ANY($32::int[]) AND semaphore_code = ANY($33::text[]) AND semaphore_code <> ALL($34::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $35::int[], $36::timestamptz[],
  $37::int[], $38::text[],
  $39::bigint[], $40::bigint[],
  $41::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($42::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $43::int)) IS TRUE) AND true)) chosen
  LEFT JOIN (
    SELECT p.device_id, jsonb_object_agg(p.parameter_id, p.value) AS former,
      count(*) FILTER (WHERE CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END) AS same
    FROM device_parameter p JOIN jsonb_each_text($44::jsonb) w ON w.key = p.parameter_id
    JOIN device d ON d.id = p.device_id
    WHERE ((true AND d.operator_id = ANY($45::int[]) AND d.model_id = ANY($46::int[]) AND d.region_id = ANY($47::int[]) AND d.id = ANY($48::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $49) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $50)) IS TRUE AND d.business_status = ANY($51::int[]) AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($52::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($53::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($54::int[])) AND "d"."region_id" = ANY($55::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $56 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($57::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($58::int[])) AND "d"."region_id" = ANY($59::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = $60::int)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.connection = 2)) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE d.offline_since < now() - $61 * interval '1 hour')) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE (d.search_text LIKE '%' || lower($62::text) || '%' AND (d.search_text LIKE '%' || lower($63::text) || '%')))) IS TRUE AND (d.id IN (SELECT d.id FROM device_listing d WHERE ((d.search_text LIKE '%' || lower($64::text) || '%' AND split_part(d.search_text, E'\n', 3) LIKE '%' || lower($65::text) || '%')))) IS TRUE AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($66::int[]) AND model_id = ANY($67::int[]) AND region_id = ANY($68::int[]) AND semaphore_code = ANY($69::text[]) AND semaphore_code <> ALL($70::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $71::int[], $72::timestamptz[],
  $73::int[], $74::text[],
  $75::bigint[], $76::bigint[],
  $77::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($78::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $79::int)) IS TRUE) AND true)
    GROUP BY p.device_id
  ) known ON known.device_id = chosen.id)
  SELECT count(*)::int AS chosen, (count(*) FILTER (WHERE skip IS NULL))::int AS devices,
    (count(*) FILTER (WHERE skip IS NULL AND s.is_online IS NOT TRUE))::int AS offline,
    coalesce((SELECT jsonb_agg(jsonb_build_object('reason', r.skip, 'devices', r.devices) ORDER BY r.devices DESC)
      FROM (SELECT skip, count(*) AS devices FROM plan WHERE skip IS NOT NULL GROUP BY skip) r), '[]') AS skipped,
    coalesce((SELECT jsonb_agg(to_jsonb(c) ORDER BY c.devices DESC, c.former)
      FROM (
        SELECT w.key AS id, w.value, plan.former ->> w.key AS former, count(*) AS devices
        FROM plan CROSS JOIN LATERAL jsonb_each_text(coalesce(plan.wanted, $80::jsonb)) w
        WHERE plan.skip IS NULL GROUP BY 1, 2, 3
      ) c), '[]') AS changes
  FROM plan LEFT JOIN device_state s ON s.device_id = plan.device_id;
