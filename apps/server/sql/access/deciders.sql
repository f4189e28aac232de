-- Written by `npm run docs:sql`.

-- standingScopes
-- answers stands bool, isKey bool, operatorIds _int4, equipTypeIds _int4, regionIds _int4
SELECT
    coalesce((u.is_enabled AND (u.maker_id IS NULL OR (NOT EXISTS (
SELECT FROM api_key k WHERE k.user_id = u.id AND k.expires_at <= now()) AND EXISTS (
SELECT FROM app_user m WHERE m.id = u.maker_id AND m.is_enabled AND (CASE
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
END) IS NOT NULL)))) AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR k.codes = '' OR ARRAY(
SELECT DISTINCT m.remark FROM menu m WHERE m.type = 'F' AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "u"."id" UNION ALL
SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
WHERE k.user_id = "u"."id" AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "ku"."maker_id" AND r.code = 'SYSTEM') OR km.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "ku"."maker_id"))))) && string_to_array(k.codes, ' ')),
      false) AS stands,
    u.maker_id IS NOT NULL AS "isKey",
    CASE WHEN NOT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR k.decided_in IS NOT NULL THEN ARRAY(
      SELECT p.id FROM operator p
      WHERE (k.decided_in IS NULL OR p.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "k"."decided_in"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree))
        AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR (p.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "u"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
          AND (NOT EXISTS (
  SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $1) OR p.id::text IN (
  SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $2))))
      ORDER BY p.id
    ) END AS "operatorIds",
    CASE WHEN NOT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') AND EXISTS (
  SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $3) THEN ARRAY(
      SELECT t.id FROM equip_type t WHERE t.id::text IN (
  SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $4) ORDER BY t.id
    ) END AS "equipTypeIds",
    CASE WHEN NOT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') AND EXISTS (
  SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $5) THEN ARRAY(
      SELECT DISTINCT r.id FROM (
  SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $6) AS e JOIN region g ON g.code = e.value
      JOIN region r ON r.path LIKE g.path || '%' ORDER BY r.id
    ) END AS "regionIds"
  FROM unnest(
    $7::int[], $8::int[],
    $9::text[]
  ) WITH ORDINALITY AS k (user_id, decided_in, codes, n)
  LEFT JOIN app_user u ON u.id = k.user_id
  ORDER BY k.n;

-- readInactive
-- answers id int4, isExpired bool
SELECT u.id, EXISTS (
SELECT FROM api_key k WHERE k.user_id = u.id AND k.expires_at <= now()) AS "isExpired"
  FROM app_user u WHERE u.id = ANY($1::int[]) AND NOT (u.is_enabled AND (u.maker_id IS NULL OR (NOT EXISTS (
SELECT FROM api_key k WHERE k.user_id = u.id AND k.expires_at <= now()) AND EXISTS (
SELECT FROM app_user m WHERE m.id = u.maker_id AND m.is_enabled AND (CASE
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
END) IS NOT NULL))));
