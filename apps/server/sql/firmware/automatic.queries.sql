-- Written by `npm run docs:sql`.

-- isOutdatedWithin
SELECT
FROM software_package k
JOIN device_version v ON v.part_type = k.part_type
JOIN device d ON d.id = v.device_id
WHERE k.id = $1 AND ((
v.part_type = k.part_type
AND (v.pcb_code IS NULL OR v.pcb_code = (SELECT b.pcb_code FROM pcb_board b WHERE b.id = k.pcb_board_id))
AND (k.hw_version IS NULL OR v.hw_version IS NOT DISTINCT FROM k.hw_version)) AND EXISTS (
SELECT FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
WHERE b.id = k.pcb_board_id AND m.id = d.model_id AND (
  NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
  OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id)))) AND ((
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) < ARRAY[k.major, k.minor]) AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
  AND NOT EXISTS (
SELECT FROM ocpp_relay y JOIN device z ON z.id = y.id
WHERE y.id = d.id AND y.is_enabled AND z.protocol = 'ocpp16') AND NOT ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[])) LIMIT 1;

-- writeConsent
UPDATE software_package SET
    auto_at = CASE WHEN auto_by IS DISTINCT FROM $1 THEN now() ELSE auto_at END,
    auto_in = CASE WHEN auto_by IS DISTINCT FROM $2 THEN (
SELECT coalesce(CASE WHEN m.id IS NOT NULL THEN (CASE
WHEN u.organization_id = m.organization_id OR EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "m"."id" AND r.code = 'SYSTEM') THEN u.organization_id
WHEN u.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "m"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN u.organization_id
WHEN m.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "u"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN m.organization_id
END) END, u.organization_id)
FROM app_user u LEFT JOIN app_user m ON m.id = u.maker_id
WHERE u.id = $3 AND NOT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $4 AND r.code = 'SYSTEM')) ELSE auto_in END,
    auto_by = $5, auto_by_name = $6,
    auto_approved_by = $7, auto_approved_by_name = $8,
    auto_approved_in = (
SELECT coalesce(CASE WHEN m.id IS NOT NULL THEN (CASE
WHEN u.organization_id = m.organization_id OR EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "m"."id" AND r.code = 'SYSTEM') THEN u.organization_id
WHEN u.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "m"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN u.organization_id
WHEN m.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "u"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN m.organization_id
END) END, u.organization_id)
FROM app_user u LEFT JOIN app_user m ON m.id = u.maker_id
WHERE u.id = $9 AND NOT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $10 AND r.code = 'SYSTEM')), auto_approved_count = $11,
    auto_is_held = false, auto_is_narrowed = false
  WHERE id = $12;

-- writeReviewed
UPDATE software_package SET auto_is_held = $1, auto_is_narrowed = $2
WHERE id = $3 AND (auto_is_held, auto_is_narrowed) IS DISTINCT FROM ($4, $5);
