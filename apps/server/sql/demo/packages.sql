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
