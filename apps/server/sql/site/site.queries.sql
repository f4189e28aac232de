-- Written by `npm run docs:sql`.

-- listReleases
-- answers version text, partType text, partTypeName text, equipClassify text, equipTypeName text, models _text, releaseTime timestamptz, note text
SELECT version, "partType", "partTypeName", "equipClassify", "equipTypeName", models, "releaseTime", note
  FROM (
SELECT k.major, k.minor, k.major || '.' || k.minor AS version, k.part_type AS "partType", p.name AS "partTypeName",
  t.classify AS "equipClassify", t.name AS "equipTypeName", m.names AS models,
  min(k.created_at) AS "releaseTime", n.note
FROM software_package k
JOIN pcb_board b ON b.id = k.pcb_board_id
JOIN equip_type t ON t.id = b.equip_type_id
JOIN part_type p ON p.code = k.part_type
CROSS JOIN LATERAL (
  SELECT coalesce(array_agg(m.name ORDER BY m.code), '{}') AS names
  FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id AND m.equip_type_id = b.equip_type_id
  WHERE bm.pcb_board_id = b.id
) m
CROSS JOIN LATERAL (SELECT k.remark ->> $1::text AS note) n
WHERE (k.is_release AND k.gate_failed_at IS NULL) AND k.deleted_at IS NULL AND n.note <> ''
GROUP BY k.major, k.minor, k.part_type, p.name, t.classify, t.name, m.names, n.note) r
  ORDER BY "releaseTime" DESC, "partType", major DESC, minor DESC, "equipTypeName", models, note
  LIMIT $2 OFFSET $3;
