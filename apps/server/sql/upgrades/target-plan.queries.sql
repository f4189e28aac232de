-- Written by `npm run docs:sql`.

-- listEarlierPackages
-- answers id int4
WITH
package AS MATERIALIZED (
  SELECT k.*, n.position FROM unnest($1::int[]) WITH ORDINALITY AS n(id, position)
  JOIN software_package k ON k.id = n.id
),
part AS (
  SELECT DISTINCT ON (part_type) part_type, id AS package_id, position FROM package ORDER BY part_type, position
),
fit AS MATERIALIZED (
  SELECT k.id AS package_id, d.model_id
  FROM package k
  CROSS JOIN (SELECT id AS model_id FROM equip_model WHERE equip_type_id = $2) d
  WHERE EXISTS (
SELECT FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
WHERE b.id = k.pcb_board_id AND m.id = d.model_id AND (
  NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
  OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id)))
),
chosen AS MATERIALIZED (
  SELECT d.id, d.model_id, d.operator_id, d.region_id FROM device d
  WHERE d.model_id IN (SELECT id FROM equip_model WHERE equip_type_id = $3) AND true
),
matched AS (
  SELECT d.id AS device_id, k.part_type, k.id AS package_id, k.position,
    jsonb_object_agg(v.addr_id, v.version) AS from_versions,
    bool_and(((
v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}$' AND (
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) = ARRAY[k.major, k.minor])) IS TRUE) AS is_on_version, (CASE WHEN (
"k"."id" = ANY($4::int[])
OR "k"."id" = ANY($5::int[])
  AND (NULL::uuid IS NULL OR NULL::uuid = ANY($6::uuid[]))) AND NOT ("d"."operator_id" = ANY($7::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($8::int[])) AND "d"."region_id" = ANY($9::int[])) THEN $10::text END) AS beyond
  FROM chosen d
  JOIN fit ON fit.model_id = d.model_id
  JOIN package k ON k.id = fit.package_id
  JOIN device_version v ON v.device_id = d.id AND (
v.part_type = k.part_type
AND (v.pcb_code IS NULL OR v.pcb_code = (SELECT b.pcb_code FROM pcb_board b WHERE b.id = k.pcb_board_id))
AND (k.hw_version IS NULL OR v.hw_version IS NOT DISTINCT FROM k.hw_version))
  GROUP BY d.id, d.model_id, d.operator_id, d.region_id, k.part_type, k.id, k.position
),
best AS MATERIALIZED (
  SELECT DISTINCT ON (device_id, part_type) * FROM matched
  ORDER BY device_id, part_type, beyond IS NOT NULL, position
),
resolved AS MATERIALIZED (
  SELECT d.id AS device_id, p.part_type, coalesce(b.package_id, p.package_id) AS package_id, NULL::uuid AS file_id,
    p.position, coalesce(b.from_versions, '{}') AS from_versions, coalesce(b.beyond, r.beyond) AS note,
    CASE
      WHEN coalesce(b.beyond, r.beyond) IS NOT NULL THEN 'outOfReach'
      WHEN b.device_id IS NULL THEN (
CASE
  WHEN NOT EXISTS (SELECT FROM device_version v WHERE v.device_id = d.id AND v.part_type = p.part_type)
    THEN 'noPart'
  WHEN NOT EXISTS (
    SELECT FROM fit JOIN package k ON k.id = fit.package_id
    WHERE fit.model_id = d.model_id AND k.part_type = p.part_type
  ) THEN 'wrongModel'
  WHEN EXISTS (
    SELECT FROM device_version v JOIN package k ON k.part_type = v.part_type
    JOIN pcb_board b ON b.id = k.pcb_board_id
    WHERE v.device_id = d.id AND v.part_type = p.part_type
      AND (v.pcb_code IS NULL OR v.pcb_code = b.pcb_code)
  ) THEN 'wrongHardware'
  ELSE 'wrongBoard'
END)
      WHEN b.is_on_version THEN 'sameVersion'
      WHEN EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = d.id AND y.is_enabled AND z.protocol = 'ocpp16') THEN 'observed'
      WHEN EXISTS (
SELECT FROM upgrade_target t WHERE t.device_id = d.id AND t.part_type = p.part_type
  AND t.state IN ('waiting', 'sent', 'downloading', 'installing')) THEN 'busy'
    END AS skip
  FROM chosen d CROSS JOIN part p
  LEFT JOIN best b ON b.device_id = d.id AND b.part_type = p.part_type
  CROSS JOIN LATERAL (SELECT k.beyond FROM (
      SELECT k.position, (CASE WHEN (
"k"."id" = ANY($11::int[])
OR "k"."id" = ANY($12::int[])
  AND (NULL::uuid IS NULL OR NULL::uuid = ANY($13::uuid[]))) AND NOT ("d"."operator_id" = ANY($14::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($15::int[])) AND "d"."region_id" = ANY($16::int[])) THEN $17::text END) AS beyond FROM package k WHERE k.part_type = p.part_type
    ) k ORDER BY k.beyond IS NOT NULL, k.position LIMIT 1) r
)
  SELECT package_id AS id FROM resolved WHERE skip IS DISTINCT FROM 'noPackage'
  GROUP BY 1 ORDER BY min(position), 1;

-- listEarlierFiles
-- answers fileId uuid, fileName text
WITH
package AS MATERIALIZED (
  SELECT k.*, n.position FROM unnest($1::int[]) WITH ORDINALITY AS n(id, position)
  JOIN software_package k ON k.id = n.id
),
part AS (
  SELECT DISTINCT ON (part_type) part_type, id AS package_id, position FROM package ORDER BY part_type, position
),
fit AS MATERIALIZED (
  SELECT k.id AS package_id, d.model_id
  FROM package k
  CROSS JOIN (SELECT id AS model_id FROM equip_model WHERE equip_type_id = $2) d
  WHERE EXISTS (
SELECT FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
WHERE b.id = k.pcb_board_id AND m.id = d.model_id AND (
  NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
  OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id)))
),
chosen AS MATERIALIZED (
  SELECT d.id, d.model_id, d.operator_id, d.region_id FROM device d
  WHERE d.model_id IN (SELECT id FROM equip_model WHERE equip_type_id = $3) AND true
),
matched AS (
  SELECT d.id AS device_id, k.part_type, k.id AS package_id, k.position,
    jsonb_object_agg(v.addr_id, v.version) AS from_versions,
    bool_and(((
v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}$' AND (
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) = ARRAY[k.major, k.minor])) IS TRUE) AS is_on_version, (CASE WHEN (
"k"."id" = ANY($4::int[])
OR "k"."id" = ANY($5::int[])
  AND (NULL::uuid IS NULL OR NULL::uuid = ANY($6::uuid[]))) AND NOT ("d"."operator_id" = ANY($7::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($8::int[])) AND "d"."region_id" = ANY($9::int[])) THEN $10::text END) AS beyond
  FROM chosen d
  JOIN fit ON fit.model_id = d.model_id
  JOIN package k ON k.id = fit.package_id
  JOIN device_version v ON v.device_id = d.id AND (
v.part_type = k.part_type
AND (v.pcb_code IS NULL OR v.pcb_code = (SELECT b.pcb_code FROM pcb_board b WHERE b.id = k.pcb_board_id))
AND (k.hw_version IS NULL OR v.hw_version IS NOT DISTINCT FROM k.hw_version))
  GROUP BY d.id, d.model_id, d.operator_id, d.region_id, k.part_type, k.id, k.position
),
best AS MATERIALIZED (
  SELECT DISTINCT ON (device_id, part_type) * FROM matched
  ORDER BY device_id, part_type, beyond IS NOT NULL, position
),
resolved AS MATERIALIZED (
  SELECT d.id AS device_id, p.part_type, coalesce(b.package_id, p.package_id) AS package_id, NULL::uuid AS file_id,
    p.position, coalesce(b.from_versions, '{}') AS from_versions, coalesce(b.beyond, r.beyond) AS note,
    CASE
      WHEN coalesce(b.beyond, r.beyond) IS NOT NULL THEN 'outOfReach'
      WHEN b.device_id IS NULL THEN (
CASE
  WHEN NOT EXISTS (SELECT FROM device_version v WHERE v.device_id = d.id AND v.part_type = p.part_type)
    THEN 'noPart'
  WHEN NOT EXISTS (
    SELECT FROM fit JOIN package k ON k.id = fit.package_id
    WHERE fit.model_id = d.model_id AND k.part_type = p.part_type
  ) THEN 'wrongModel'
  WHEN EXISTS (
    SELECT FROM device_version v JOIN package k ON k.part_type = v.part_type
    JOIN pcb_board b ON b.id = k.pcb_board_id
    WHERE v.device_id = d.id AND v.part_type = p.part_type
      AND (v.pcb_code IS NULL OR v.pcb_code = b.pcb_code)
  ) THEN 'wrongHardware'
  ELSE 'wrongBoard'
END)
      WHEN b.is_on_version THEN 'sameVersion'
      WHEN EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = d.id AND y.is_enabled AND z.protocol = 'ocpp16') THEN 'observed'
      WHEN EXISTS (
SELECT FROM upgrade_target t WHERE t.device_id = d.id AND t.part_type = p.part_type
  AND t.state IN ('waiting', 'sent', 'downloading', 'installing')) THEN 'busy'
    END AS skip
  FROM chosen d CROSS JOIN part p
  LEFT JOIN best b ON b.device_id = d.id AND b.part_type = p.part_type
  CROSS JOIN LATERAL (SELECT k.beyond FROM (
      SELECT k.position, (CASE WHEN (
"k"."id" = ANY($11::int[])
OR "k"."id" = ANY($12::int[])
  AND (NULL::uuid IS NULL OR NULL::uuid = ANY($13::uuid[]))) AND NOT ("d"."operator_id" = ANY($14::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($15::int[])) AND "d"."region_id" = ANY($16::int[])) THEN $17::text END) AS beyond FROM package k WHERE k.part_type = p.part_type
    ) k ORDER BY k.beyond IS NOT NULL, k.position LIMIT 1) r
)
  SELECT file_id AS "fileId", (
    SELECT file_name FROM (
      SELECT file_id, file_name FROM software_package
      UNION ALL
      SELECT file_id, file_name FROM upgrade_task_package
    ) s WHERE s.file_id = r.file_id LIMIT 1) AS "fileName"
  FROM resolved r WHERE skip IS NULL OR skip = 'busy'
  GROUP BY 1 ORDER BY min(position), 1;

-- countPlanned
-- answers chosen int4, devices int4, possible int4, beyond text
WITH
package AS MATERIALIZED (
  SELECT k.*, n.position FROM unnest($1::int[]) WITH ORDINALITY AS n(id, position)
  JOIN software_package k ON k.id = n.id
),
part AS (
  SELECT DISTINCT ON (part_type) part_type, id AS package_id, position FROM package ORDER BY part_type, position
),
fit AS MATERIALIZED (
  SELECT k.id AS package_id, d.model_id
  FROM package k
  CROSS JOIN (SELECT id AS model_id FROM equip_model WHERE equip_type_id = $2) d
  WHERE EXISTS (
SELECT FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
WHERE b.id = k.pcb_board_id AND m.id = d.model_id AND (
  NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
  OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id)))
),
chosen AS MATERIALIZED (
  SELECT d.id, d.model_id, d.operator_id, d.region_id FROM device d
  WHERE d.model_id IN (SELECT id FROM equip_model WHERE equip_type_id = $3) AND ((true AND d.operator_id = ANY($4::int[]) AND d.model_id = ANY($5::int[]) AND d.region_id = ANY($6::int[]) AND d.id = ANY($7::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $8) AND d.business_status = ANY($9::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $10)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($11::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($12::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($13::int[])) AND "d"."region_id" = ANY($14::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $15 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($16::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($17::int[])) AND "d"."region_id" = ANY($18::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($19::int[]) AND model_id = ANY($20::int[]) AND region_id = ANY($21::int[]) AND semaphore_code = ANY($22::text[]) AND semaphore_code <> ALL($23::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $24::int[], $25::timestamptz[],
  $26::int[], $27::text[],
  $28::bigint[], $29::bigint[],
  $30::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($31::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $32::int)) IS TRUE) AND true)
),
matched AS (
  SELECT d.id AS device_id, k.part_type, k.id AS package_id, k.position,
    jsonb_object_agg(v.addr_id, v.version) AS from_versions,
    bool_and(((
v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}$' AND (
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) = ARRAY[k.major, k.minor])) IS TRUE) AS is_on_version, (CASE WHEN (
"k"."id" = ANY($33::int[])
OR "k"."id" = ANY($34::int[])
  AND (NULL::uuid IS NULL OR NULL::uuid = ANY($35::uuid[]))) AND NOT ("d"."operator_id" = ANY($36::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($37::int[])) AND "d"."region_id" = ANY($38::int[])) THEN $39::text END) AS beyond
  FROM chosen d
  JOIN fit ON fit.model_id = d.model_id
  JOIN package k ON k.id = fit.package_id
  JOIN device_version v ON v.device_id = d.id AND (
v.part_type = k.part_type
AND (v.pcb_code IS NULL OR v.pcb_code = (SELECT b.pcb_code FROM pcb_board b WHERE b.id = k.pcb_board_id))
AND (k.hw_version IS NULL OR v.hw_version IS NOT DISTINCT FROM k.hw_version))
  GROUP BY d.id, d.model_id, d.operator_id, d.region_id, k.part_type, k.id, k.position
),
best AS MATERIALIZED (
  SELECT DISTINCT ON (device_id, part_type) * FROM matched
  ORDER BY device_id, part_type, beyond IS NOT NULL, position
),
resolved AS MATERIALIZED (
  SELECT d.id AS device_id, p.part_type, coalesce(b.package_id, p.package_id) AS package_id, NULL::uuid AS file_id,
    p.position, coalesce(b.from_versions, '{}') AS from_versions, coalesce(b.beyond, r.beyond) AS note,
    CASE
      WHEN coalesce(b.beyond, r.beyond) IS NOT NULL THEN 'outOfReach'
      WHEN b.device_id IS NULL THEN (
CASE
  WHEN NOT EXISTS (SELECT FROM device_version v WHERE v.device_id = d.id AND v.part_type = p.part_type)
    THEN 'noPart'
  WHEN NOT EXISTS (
    SELECT FROM fit JOIN package k ON k.id = fit.package_id
    WHERE fit.model_id = d.model_id AND k.part_type = p.part_type
  ) THEN 'wrongModel'
  WHEN EXISTS (
    SELECT FROM device_version v JOIN package k ON k.part_type = v.part_type
    JOIN pcb_board b ON b.id = k.pcb_board_id
    WHERE v.device_id = d.id AND v.part_type = p.part_type
      AND (v.pcb_code IS NULL OR v.pcb_code = b.pcb_code)
  ) THEN 'wrongHardware'
  ELSE 'wrongBoard'
END)
      WHEN b.is_on_version THEN 'sameVersion'
      WHEN EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = d.id AND y.is_enabled AND z.protocol = 'ocpp16') THEN 'observed'
      WHEN EXISTS (
SELECT FROM upgrade_target t WHERE t.device_id = d.id AND t.part_type = p.part_type
  AND t.state IN ('waiting', 'sent', 'downloading', 'installing')) THEN 'busy'
    END AS skip
  FROM chosen d CROSS JOIN part p
  LEFT JOIN best b ON b.device_id = d.id AND b.part_type = p.part_type
  CROSS JOIN LATERAL (SELECT k.beyond FROM (
      SELECT k.position, (CASE WHEN (
"k"."id" = ANY($40::int[])
OR "k"."id" = ANY($41::int[])
  AND (NULL::uuid IS NULL OR NULL::uuid = ANY($42::uuid[]))) AND NOT ("d"."operator_id" = ANY($43::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($44::int[])) AND "d"."region_id" = ANY($45::int[])) THEN $46::text END) AS beyond FROM package k WHERE k.part_type = p.part_type
    ) k ORDER BY k.beyond IS NOT NULL, k.position LIMIT 1) r
)
  SELECT (SELECT count(*) FROM chosen)::int AS chosen,
    (SELECT count(DISTINCT device_id) FROM resolved WHERE skip IS NULL)::int AS devices,
    (SELECT count(DISTINCT device_id) FROM resolved WHERE skip IS NULL OR skip = 'busy')::int AS possible,
    (SELECT CASE WHEN bool_and(skip IS NOT DISTINCT FROM 'outOfReach') THEN min(note) END FROM resolved) AS beyond;

-- readPreview
-- answers chosen int4, devices int4, offline int4, otherType int4, oneWay int4, parts jsonb, from jsonb
WITH
package AS MATERIALIZED (
  SELECT k.*, n.position FROM unnest($1::int[]) WITH ORDINALITY AS n(id, position)
  JOIN software_package k ON k.id = n.id
),
part AS (
  SELECT DISTINCT ON (part_type) part_type, id AS package_id, position FROM package ORDER BY part_type, position
),
fit AS MATERIALIZED (
  SELECT k.id AS package_id, d.model_id
  FROM package k
  CROSS JOIN (SELECT id AS model_id FROM equip_model WHERE equip_type_id = $2) d
  WHERE EXISTS (
SELECT FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
WHERE b.id = k.pcb_board_id AND m.id = d.model_id AND (
  NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
  OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id)))
),
chosen AS MATERIALIZED (
  SELECT d.id, d.model_id, d.operator_id, d.region_id FROM device d
  WHERE d.model_id IN (SELECT id FROM equip_model WHERE equip_type_id = $3) AND ((true AND d.operator_id = ANY($4::int[]) AND d.model_id = ANY($5::int[]) AND d.region_id = ANY($6::int[]) AND d.id = ANY($7::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $8) AND d.business_status = ANY($9::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $10)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($11::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($12::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($13::int[])) AND "d"."region_id" = ANY($14::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $15 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($16::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($17::int[])) AND "d"."region_id" = ANY($18::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($19::int[]) AND model_id = ANY($20::int[]) AND region_id = ANY($21::int[]) AND semaphore_code = ANY($22::text[]) AND semaphore_code <> ALL($23::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $24::int[], $25::timestamptz[],
  $26::int[], $27::text[],
  $28::bigint[], $29::bigint[],
  $30::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($31::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $32::int)) IS TRUE) AND true)
),
matched AS (
  SELECT d.id AS device_id, k.part_type, k.id AS package_id, k.position,
    jsonb_object_agg(v.addr_id, v.version) AS from_versions,
    bool_and(((
v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}$' AND (
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) = ARRAY[k.major, k.minor])) IS TRUE) AS is_on_version, (CASE WHEN (
"k"."id" = ANY($33::int[])
OR "k"."id" = ANY($34::int[])
  AND (NULL::uuid IS NULL OR NULL::uuid = ANY($35::uuid[]))) AND NOT ("d"."operator_id" = ANY($36::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($37::int[])) AND "d"."region_id" = ANY($38::int[])) THEN $39::text END) AS beyond
  FROM chosen d
  JOIN fit ON fit.model_id = d.model_id
  JOIN package k ON k.id = fit.package_id
  JOIN device_version v ON v.device_id = d.id AND (
v.part_type = k.part_type
AND (v.pcb_code IS NULL OR v.pcb_code = (SELECT b.pcb_code FROM pcb_board b WHERE b.id = k.pcb_board_id))
AND (k.hw_version IS NULL OR v.hw_version IS NOT DISTINCT FROM k.hw_version))
  GROUP BY d.id, d.model_id, d.operator_id, d.region_id, k.part_type, k.id, k.position
),
best AS MATERIALIZED (
  SELECT DISTINCT ON (device_id, part_type) * FROM matched
  ORDER BY device_id, part_type, beyond IS NOT NULL, position
),
resolved AS MATERIALIZED (
  SELECT d.id AS device_id, p.part_type, coalesce(b.package_id, p.package_id) AS package_id, NULL::uuid AS file_id,
    p.position, coalesce(b.from_versions, '{}') AS from_versions, coalesce(b.beyond, r.beyond) AS note,
    CASE
      WHEN coalesce(b.beyond, r.beyond) IS NOT NULL THEN 'outOfReach'
      WHEN b.device_id IS NULL THEN (
CASE
  WHEN NOT EXISTS (SELECT FROM device_version v WHERE v.device_id = d.id AND v.part_type = p.part_type)
    THEN 'noPart'
  WHEN NOT EXISTS (
    SELECT FROM fit JOIN package k ON k.id = fit.package_id
    WHERE fit.model_id = d.model_id AND k.part_type = p.part_type
  ) THEN 'wrongModel'
  WHEN EXISTS (
    SELECT FROM device_version v JOIN package k ON k.part_type = v.part_type
    JOIN pcb_board b ON b.id = k.pcb_board_id
    WHERE v.device_id = d.id AND v.part_type = p.part_type
      AND (v.pcb_code IS NULL OR v.pcb_code = b.pcb_code)
  ) THEN 'wrongHardware'
  ELSE 'wrongBoard'
END)
      WHEN b.is_on_version THEN 'sameVersion'
      WHEN EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = d.id AND y.is_enabled AND z.protocol = 'ocpp16') THEN 'observed'
      WHEN EXISTS (
SELECT FROM upgrade_target t WHERE t.device_id = d.id AND t.part_type = p.part_type
  AND t.state IN ('waiting', 'sent', 'downloading', 'installing')) THEN 'busy'
    END AS skip
  FROM chosen d CROSS JOIN part p
  LEFT JOIN best b ON b.device_id = d.id AND b.part_type = p.part_type
  CROSS JOIN LATERAL (SELECT k.beyond FROM (
      SELECT k.position, (CASE WHEN (
"k"."id" = ANY($40::int[])
OR "k"."id" = ANY($41::int[])
  AND (NULL::uuid IS NULL OR NULL::uuid = ANY($42::uuid[]))) AND NOT ("d"."operator_id" = ANY($43::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($44::int[])) AND "d"."region_id" = ANY($45::int[])) THEN $46::text END) AS beyond FROM package k WHERE k.part_type = p.part_type
    ) k ORDER BY k.beyond IS NOT NULL, k.position LIMIT 1) r
),
  upgraded AS (SELECT DISTINCT device_id FROM resolved WHERE skip IS NULL),
  parts AS (
    SELECT package_id AS "packageId", skip, note, count(*)::int AS devices FROM resolved
    GROUP BY 1, 2, 3 ORDER BY 4 DESC
  ),
  versions AS (
    SELECT DISTINCT r.device_id, r.package_id, f.value AS version
    FROM resolved r CROSS JOIN jsonb_each_text(r.from_versions) f WHERE r.skip IS NULL
  ),
  sources AS (
    SELECT package_id AS "packageId", version, count(*)::int AS devices FROM versions
    GROUP BY 1, 2 ORDER BY 3 DESC, 2 LIMIT 100
  ),
  returning_to AS MATERIALIZED (
    SELECT v.package_id, v.version FROM (SELECT DISTINCT package_id, version FROM versions) v
    JOIN software_package n ON n.id = v.package_id
    WHERE EXISTS (
      SELECT FROM software_package k
      WHERE k.pcb_board_id = n.pcb_board_id AND k.part_type = n.part_type AND k.deleted_at IS NULL
        AND k.id <> n.id AND (k.major || '.' || k.minor) = v.version)
  )
  SELECT (SELECT count(*) FROM chosen)::int AS chosen,
    (SELECT count(*) FROM upgraded)::int AS devices,
    (SELECT count(*) FROM upgraded u LEFT JOIN device_state s ON s.device_id = u.device_id
     WHERE s.is_online IS NOT TRUE)::int AS offline,
    (SELECT count(*)
FROM device d WHERE ((true AND d.operator_id = ANY($47::int[]) AND d.model_id = ANY($48::int[]) AND d.region_id = ANY($49::int[]) AND d.id = ANY($50::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $51) AND d.business_status = ANY($52::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $53)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($54::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($55::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($56::int[])) AND "d"."region_id" = ANY($57::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $58 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($59::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($60::int[])) AND "d"."region_id" = ANY($61::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($62::int[]) AND model_id = ANY($63::int[]) AND region_id = ANY($64::int[]) AND semaphore_code = ANY($65::text[]) AND semaphore_code <> ALL($66::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $67::int[], $68::timestamptz[],
  $69::int[], $70::text[],
  $71::bigint[], $72::bigint[],
  $73::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($74::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $75::int)) IS TRUE) AND true) AND d.model_id NOT IN (SELECT id FROM equip_model WHERE equip_type_id = $76))::int AS "otherType",
    (SELECT count(DISTINCT r.device_id) FROM resolved r WHERE r.skip IS NULL AND NOT EXISTS (
      SELECT FROM versions v JOIN returning_to b ON b.package_id = v.package_id AND b.version = v.version
      WHERE v.device_id = r.device_id AND v.package_id = r.package_id))::int AS "oneWay",
    (SELECT coalesce(jsonb_agg(parts), '[]') FROM parts) AS parts,
    (SELECT coalesce(jsonb_agg(sources), '[]') FROM sources) AS "from";

-- lockActivation
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtext('upgrade_target_active'));

-- resolvePlan
CREATE TEMPORARY TABLE upgrade_planned (
  device_id integer, part_type text, package_id integer, file_id uuid, position smallint, from_versions jsonb,
  skip text, note text, rank integer, is_first boolean
) ON COMMIT DROP;

-- resolvePlan
WITH
package AS MATERIALIZED (
  SELECT k.*, n.position FROM unnest($1::int[]) WITH ORDINALITY AS n(id, position)
  JOIN software_package k ON k.id = n.id
),
part AS (
  SELECT DISTINCT ON (part_type) part_type, id AS package_id, position FROM package ORDER BY part_type, position
),
fit AS MATERIALIZED (
  SELECT k.id AS package_id, d.model_id
  FROM package k
  CROSS JOIN (SELECT id AS model_id FROM equip_model WHERE equip_type_id = $2) d
  WHERE EXISTS (
SELECT FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
WHERE b.id = k.pcb_board_id AND m.id = d.model_id AND (
  NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
  OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id)))
),
chosen AS MATERIALIZED (
  SELECT d.id, d.model_id, d.operator_id, d.region_id FROM device d
  WHERE d.model_id IN (SELECT id FROM equip_model WHERE equip_type_id = $3) AND ((true AND d.operator_id = ANY($4::int[]) AND d.model_id = ANY($5::int[]) AND d.region_id = ANY($6::int[]) AND d.id = ANY($7::bigint[]) AND d.model_id IN (
    SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
    WHERE t.classify = $8) AND d.business_status = ANY($9::int[]) AND (d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = $10)) IS TRUE AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($11::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($12::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($13::int[])) AND "d"."region_id" = ANY($14::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $15 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($16::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($17::int[])) AND "d"."region_id" = ANY($18::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND (d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND NOT (operator_id = ANY($19::int[]) AND model_id = ANY($20::int[]) AND region_id = ANY($21::int[]) AND semaphore_code = ANY($22::text[]) AND semaphore_code <> ALL($23::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $24::int[], $25::timestamptz[],
  $26::int[], $27::text[],
  $28::bigint[], $29::bigint[],
  $30::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($31::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) IS NOT TRUE AND (d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < $32::int)) IS TRUE) AND true)
),
matched AS (
  SELECT d.id AS device_id, k.part_type, k.id AS package_id, k.position,
    jsonb_object_agg(v.addr_id, v.version) AS from_versions,
    bool_and(((
v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}$' AND (
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) = ARRAY[k.major, k.minor])) IS TRUE) AS is_on_version, (CASE WHEN (
"k"."id" = ANY($33::int[])
OR "k"."id" = ANY($34::int[])
  AND (NULL::uuid IS NULL OR NULL::uuid = ANY($35::uuid[]))) AND NOT ("d"."operator_id" = ANY($36::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($37::int[])) AND "d"."region_id" = ANY($38::int[])) THEN $39::text END) AS beyond
  FROM chosen d
  JOIN fit ON fit.model_id = d.model_id
  JOIN package k ON k.id = fit.package_id
  JOIN device_version v ON v.device_id = d.id AND (
v.part_type = k.part_type
AND (v.pcb_code IS NULL OR v.pcb_code = (SELECT b.pcb_code FROM pcb_board b WHERE b.id = k.pcb_board_id))
AND (k.hw_version IS NULL OR v.hw_version IS NOT DISTINCT FROM k.hw_version))
  GROUP BY d.id, d.model_id, d.operator_id, d.region_id, k.part_type, k.id, k.position
),
best AS MATERIALIZED (
  SELECT DISTINCT ON (device_id, part_type) * FROM matched
  ORDER BY device_id, part_type, beyond IS NOT NULL, position
),
resolved AS MATERIALIZED (
  SELECT d.id AS device_id, p.part_type, coalesce(b.package_id, p.package_id) AS package_id, NULL::uuid AS file_id,
    p.position, coalesce(b.from_versions, '{}') AS from_versions, coalesce(b.beyond, r.beyond) AS note,
    CASE
      WHEN coalesce(b.beyond, r.beyond) IS NOT NULL THEN 'outOfReach'
      WHEN b.device_id IS NULL THEN (
CASE
  WHEN NOT EXISTS (SELECT FROM device_version v WHERE v.device_id = d.id AND v.part_type = p.part_type)
    THEN 'noPart'
  WHEN NOT EXISTS (
    SELECT FROM fit JOIN package k ON k.id = fit.package_id
    WHERE fit.model_id = d.model_id AND k.part_type = p.part_type
  ) THEN 'wrongModel'
  WHEN EXISTS (
    SELECT FROM device_version v JOIN package k ON k.part_type = v.part_type
    JOIN pcb_board b ON b.id = k.pcb_board_id
    WHERE v.device_id = d.id AND v.part_type = p.part_type
      AND (v.pcb_code IS NULL OR v.pcb_code = b.pcb_code)
  ) THEN 'wrongHardware'
  ELSE 'wrongBoard'
END)
      WHEN b.is_on_version THEN 'sameVersion'
      WHEN EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = d.id AND y.is_enabled AND z.protocol = 'ocpp16') THEN 'observed'
      WHEN EXISTS (
SELECT FROM upgrade_target t WHERE t.device_id = d.id AND t.part_type = p.part_type
  AND t.state IN ('waiting', 'sent', 'downloading', 'installing')) THEN 'busy'
    END AS skip
  FROM chosen d CROSS JOIN part p
  LEFT JOIN best b ON b.device_id = d.id AND b.part_type = p.part_type
  CROSS JOIN LATERAL (SELECT k.beyond FROM (
      SELECT k.position, (CASE WHEN (
"k"."id" = ANY($40::int[])
OR "k"."id" = ANY($41::int[])
  AND (NULL::uuid IS NULL OR NULL::uuid = ANY($42::uuid[]))) AND NOT ("d"."operator_id" = ANY($43::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($44::int[])) AND "d"."region_id" = ANY($45::int[])) THEN $46::text END) AS beyond FROM package k WHERE k.part_type = p.part_type
    ) k ORDER BY k.beyond IS NOT NULL, k.position LIMIT 1) r
),
  ranked AS (
    SELECT device_id, min(position) AS first,
      (row_number() OVER (ORDER BY md5($47::text || ' ' || device_id), device_id))::int AS rank
    FROM resolved WHERE skip IS NULL GROUP BY device_id
  )
  INSERT INTO upgrade_planned
  SELECT r.device_id, r.part_type, r.package_id, r.file_id, r.position, r.from_versions, r.skip, r.note, n.rank,
    r.skip IS NULL AND r.position = n.first
  FROM resolved r LEFT JOIN ranked n ON n.device_id = r.device_id
  ORDER BY n.rank NULLS LAST, r.device_id, r.position;

-- resolvePlan
-- answers devices int4
SELECT coalesce(max(rank), 0) AS devices FROM upgrade_planned;

-- insertTargets
INSERT INTO upgrade_target
  (task_id, device_id, part_type, package_id, file_id, position, stage, rank, state, reason, from_versions, next_at)
SELECT $1, p.device_id, p.part_type, p.package_id, p.file_id, p.position, CASE WHEN p.skip IS NULL THEN width_bucket(p.rank - 1, $2::int[]) ELSE 0 END,
  CASE WHEN p.skip IS NULL THEN p.rank ELSE 0 END,
  CASE WHEN p.skip IS NULL THEN 'waiting' ELSE 'skipped' END, coalesce(p.note, $3::jsonb ->> p.skip), p.from_versions,
  CASE WHEN p.is_first AND CASE WHEN p.skip IS NULL THEN width_bucket(p.rank - 1, $4::int[]) ELSE 0 END = 1
    THEN statement_timestamp() + (p.rank - 1) * interval '1 minute' / $5 END
FROM upgrade_planned p
ORDER BY p.rank NULLS LAST, p.device_id, p.position;

-- countBeyond
-- answers note text null, count int4
SELECT note, count(*)::int AS count FROM upgrade_planned WHERE skip = 'outOfReach'
GROUP BY 1 ORDER BY 2 DESC, 1;

-- insertTally
INSERT INTO upgrade_tally (task_id, stage, state, operator_id, model_id, region_id, count)
SELECT $1, p.stage, p.state, d.operator_id, d.model_id, d.region_id, count(*)
FROM (SELECT p.device_id, CASE WHEN p.skip IS NULL THEN width_bucket(p.rank - 1, $2::int[]) ELSE 0 END AS stage, CASE WHEN p.skip IS NULL THEN 'waiting' ELSE 'skipped' END AS state FROM upgrade_planned p) p
JOIN device d ON d.id = p.device_id
GROUP BY 2, 3, 4, 5, 6;
