-- Written by `npm run docs:sql`.

-- readRollbackPreview
-- answers chosen int4, devices int4, offline int4, parts jsonb, skipped jsonb
WITH
brought AS MATERIALIZED (
  SELECT t.device_id, t.part_type, t.package_id, t.position, t.from_versions, k.pcb_board_id
  FROM upgrade_target t JOIN device d ON d.id = t.device_id JOIN software_package k ON k.id = t.package_id
  WHERE t.task_id = $1 AND t.state = 'succeeded'
    AND ($2::int IS NULL OR t.stage = $3::int) AND ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[]))
),
chosen AS (SELECT DISTINCT device_id AS id FROM brought),
resolved AS MATERIALIZED (
  SELECT p.device_id, p.part_type, coalesce(e.id, p.package_id) AS package_id, e.file_id,
    1000 - p.position AS position,
    (SELECT coalesce(jsonb_object_agg(v.addr_id, v.version), '{}') FROM device_version v
     WHERE v.device_id = p.device_id AND v.part_type = p.part_type AND p.from_versions ? v.addr_id
    ) AS from_versions,
    p.from_versions AS former, e.beyond AS note,
    CASE
      WHEN e.id IS NULL THEN 'noPackage'
      WHEN e.beyond IS NOT NULL THEN 'outOfReach'
      WHEN EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = p.device_id AND y.is_enabled AND z.protocol = 'ocpp16') THEN 'observed'
      WHEN EXISTS (
SELECT FROM upgrade_target t WHERE t.device_id = d.id AND t.part_type = p.part_type
  AND t.state IN ('waiting', 'sent', 'downloading', 'installing')) THEN 'busy'
    END AS skip
  FROM brought p
  JOIN device d ON d.id = p.device_id
  LEFT JOIN LATERAL (
    SELECT k.id, g.file_id, (CASE WHEN (
"k"."id" = ANY($7::int[])
OR "k"."id" = ANY($8::int[])
  AND ("g"."file_id" IS NULL OR "g"."file_id" = ANY($9::uuid[]))) AND NOT ("d"."operator_id" = ANY($10::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($11::int[])) AND "d"."region_id" = ANY($12::int[])) THEN $13::text END) AS beyond
    FROM software_package k
    LEFT JOIN LATERAL (
      SELECT n.file_id FROM upgrade_target o
      JOIN upgrade_task_package n ON n.task_id = o.task_id AND n.package_id = o.package_id
        AND (o.file_id IS NULL OR n.file_id = o.file_id)
      WHERE o.device_id = p.device_id AND o.part_type = p.part_type AND o.package_id = k.id
        AND o.state = 'succeeded'
      ORDER BY o.verified_at DESC NULLS LAST, o.id DESC LIMIT 1
    ) had ON true
    CROSS JOIN LATERAL (
      SELECT coalesce(
        had.file_id,
        (SELECT n.file_id FROM upgrade_task_package n WHERE n.task_id = $14::int AND n.package_id = k.id LIMIT 1),
        k.file_id) AS file_id
    ) g
    WHERE k.pcb_board_id = p.pcb_board_id AND k.part_type = p.part_type AND k.deleted_at IS NULL
      AND k.id <> p.package_id
      AND (k.major || '.' || k.minor) IN (SELECT f.value FROM jsonb_each_text(p.from_versions) f)
      AND (k.hw_version IS NULL OR EXISTS (
        SELECT FROM device_version v
        WHERE v.device_id = p.device_id AND v.part_type = p.part_type AND v.hw_version = k.hw_version))
    ORDER BY 3 NULLS FIRST, k.major DESC, k.minor DESC, had.file_id IS NULL, k.is_release DESC, k.id DESC LIMIT 1
  ) e ON true
),
  restored AS (SELECT DISTINCT device_id FROM resolved WHERE skip IS NULL),
  parts AS (
    SELECT p.name AS "partTypeName", (k.major || '.' || k.minor) AS version, count(*)::int AS devices
    FROM resolved r JOIN software_package k ON k.id = r.package_id JOIN part_type p ON p.code = r.part_type
    WHERE r.skip IS NULL GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
  ),
  skipped AS (
    SELECT p.name AS "partTypeName", r.skip AS reason, r.note, f.version, count(*)::int AS devices
    FROM resolved r JOIN part_type p ON p.code = r.part_type
    CROSS JOIN LATERAL (
      SELECT coalesce(string_agg(DISTINCT v.value, '、' ORDER BY v.value), '') AS version
      FROM jsonb_each_text(r.former) v
    ) f
    WHERE r.skip IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 2, 4
  )
  SELECT (SELECT count(*) FROM chosen)::int AS chosen, (SELECT count(*) FROM restored)::int AS devices,
    (SELECT count(*) FROM restored u LEFT JOIN device_state s ON s.device_id = u.device_id
     WHERE s.is_online IS NOT TRUE)::int AS offline,
    (SELECT coalesce(jsonb_agg(parts), '[]') FROM parts) AS parts,
    (SELECT coalesce(jsonb_agg(skipped), '[]') FROM skipped) AS skipped;
