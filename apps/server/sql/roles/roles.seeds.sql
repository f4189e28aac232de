-- Written by `npm run docs:sql`.

-- plant
-- answers setval int8
SELECT setval(pg_get_serial_sequence('role', 'id'), (SELECT max(id) FROM role));

-- plant
INSERT INTO role_menu (role_id, menu_id)
SELECT r.id, m.id FROM role r, menu m
WHERE r.code = 'OPERATOR' AND (
  m.remark = 'dashboard'
  OR m.type = 'F' AND m.remark = ANY ($1)
  OR m.id IN (SELECT parent_id FROM menu WHERE type = 'F' AND remark = ANY ($2))
)
ON CONFLICT DO NOTHING;
