-- Written by `npm run docs:sql`.

-- plantPackages
SELECT FROM pcb_board LIMIT 1;

-- plantPackages
INSERT INTO software_package
  (file_id, file_name, pcb_board_id, part_type, major, minor, is_release, remark, created_by, created_by_name,
    created_reach, file_by, file_by_name, file_at, file_reach)
SELECT $1, $2, b.id, b.part_type, $3, $4, $5,
  $6::jsonb, 1, 'admin', $7::jsonb, 1, 'admin', now(), $8::jsonb
FROM pcb_board b WHERE b.pcb_code = $9;

-- insertBoard
WITH board AS (
  INSERT INTO pcb_board (pcb_code, pcb_name, part_type, equip_type_id)
  SELECT $1, $2, $3, t.id FROM equip_type t WHERE t.code = $4
  RETURNING id
)
INSERT INTO pcb_board_model (pcb_board_id, equip_model_id)
SELECT board.id, m.id FROM board, equip_model m WHERE m.code = ANY($5::text[]);

-- insertRevisions
INSERT INTO hw_version (equip_model_id, part_type, name, code, note)
SELECT DISTINCT ON (m.id, b.part_type, r.code) m.id, b.part_type, r.name, r.code, r.note
FROM pcb_board b
JOIN equip_model m ON m.equip_type_id = b.equip_type_id
JOIN equip_model_part p ON p.equip_model_id = m.id AND p.part_type = b.part_type
CROSS JOIN unnest($1::text[], $2::text[], $3::text[]) AS r (code, name, note)
WHERE NOT EXISTS (SELECT FROM pcb_board_model o WHERE o.pcb_board_id = b.id)
  OR EXISTS (SELECT FROM pcb_board_model o WHERE o.pcb_board_id = b.id AND o.equip_model_id = m.id)
ORDER BY m.id, b.part_type, r.code;
