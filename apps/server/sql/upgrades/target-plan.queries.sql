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
-- not shown: see the fault

-- readPreview
-- not shown: see the fault

-- lockActivation
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtext('upgrade_target_active'));

-- resolvePlan
CREATE TEMPORARY TABLE upgrade_planned (
  device_id integer, part_type text, package_id integer, file_id uuid, position smallint, from_versions jsonb,
  skip text, note text, rank integer, is_first boolean
) ON COMMIT DROP;

-- resolvePlan
-- not shown: see the fault

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
