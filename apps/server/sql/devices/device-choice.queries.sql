-- Written by `npm run docs:sql`.

-- isSeenWhole
SELECT FROM device d WHERE d.id IN (SELECT p.device_id FROM (
  SELECT device_id, wanted, coalesce(former, '{}') AS former,
    CASE
      WHEN wanted IS NULL THEN CASE WHEN has_changed THEN 'changedSince' WHEN is_unknown THEN 'unknownFormer'
        ELSE 'sameValue' END
      WHEN EXISTS (
SELECT FROM parameter_target o JOIN parameter_batch ob ON ob.id = o.batch_id
WHERE o.device_id = v.device_id AND o.state IN ('held', 'waiting', 'sent', 'confirming')
  AND jsonb_exists_any(coalesce(o.wanted, ob.wanted), ARRAY(SELECT jsonb_object_keys(v.wanted)))) THEN 'busy'
    END AS skip
  FROM (
    SELECT t.device_id,
      jsonb_object_agg(w.key, t.former ->> w.key) FILTER (WHERE f.fate = 'restored') AS wanted,
      jsonb_object_agg(w.key, p.value) FILTER (WHERE f.fate = 'restored') AS former,
      bool_or(f.fate = 'changedSince') AS has_changed, bool_or(f.fate = 'unknownFormer') AS is_unknown
    FROM parameter_target t
    JOIN device d ON d.id = t.device_id
    JOIN parameter_batch b ON b.id = t.batch_id
    CROSS JOIN LATERAL jsonb_each_text(coalesce(t.wanted, b.wanted)) w
    LEFT JOIN device_parameter p ON p.device_id = t.device_id AND p.parameter_id = w.key
    CROSS JOIN LATERAL (SELECT CASE
      WHEN t.former ->> w.key IS NULL THEN 'unknownFormer'
      WHEN CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(t.former ->> w.key, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(t.former ->> w.key, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(t.former ->> w.key, E' \t\n\r'))::numeric)::text ELSE lower(btrim(t.former ->> w.key, E' \t\n\r')) END END THEN 'sameValue'
      WHEN CASE lower(btrim(p.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(p.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(p.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(p.value, E' \t\n\r')) END END = CASE lower(btrim(w.value, E' \t\n\r')) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
  ELSE CASE WHEN lower(btrim(w.value, E' \t\n\r')) ~ '^-?[0-9]+(\.[0-9]*)?$' THEN trim_scale(lower(btrim(w.value, E' \t\n\r'))::numeric)::text ELSE lower(btrim(w.value, E' \t\n\r')) END END THEN 'restored'
      ELSE 'changedSince'
    END AS fate) f
    WHERE t.batch_id = $1 AND t.state <> 'skipped' AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
    GROUP BY t.device_id
  ) v) p) AND NOT ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[])) LIMIT 1;

-- listUnknownCodes
-- answers code text
SELECT asked.code FROM unnest($1::text[]) WITH ORDINALITY AS asked (code, n)
WHERE NOT EXISTS (SELECT FROM device d WHERE d.code = asked.code AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])))
GROUP BY asked.code ORDER BY min(asked.n);
