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
-- not shown: see the fault

-- summarize
-- not shown: see the fault
