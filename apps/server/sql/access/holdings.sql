-- Written by `npm run docs:sql`.

-- readUsers
-- answers userId int4, organizationId int4, isSystem bool, makerId int4 null, operators _text, equipTypes _text, regions _text, regionPaths _text, functionCodes _text
SELECT u.id AS "userId", u.organization_id AS "organizationId",
    EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') AS "isSystem", u.maker_id AS "makerId",
    ARRAY(
  SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $1
  ORDER BY length(a.value), a.value) AS operators, ARRAY(
  SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $2
  ORDER BY length(a.value), a.value) AS "equipTypes", ARRAY(
  SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $3
  ORDER BY length(a.value), a.value) AS regions,
    ARRAY(
      SELECT g.path FROM user_authority a JOIN region g ON g.code = a.value
      WHERE a.user_id = u.id AND a.authority_type = 'R'
    ) AS "regionPaths", ARRAY(
SELECT DISTINCT m.remark FROM menu m WHERE m.type = 'F' AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "u"."id" UNION ALL
SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
WHERE k.user_id = "u"."id" AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "ku"."maker_id" AND r.code = 'SYSTEM') OR km.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "ku"."maker_id"))))) AS "functionCodes"
  FROM app_user u WHERE u.id = ANY($4::int[]);

-- lowerOf
-- answers id int4
SELECT $1::int AS id WHERE $2::int IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $3::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  UNION ALL
  SELECT $4::int WHERE $5::int IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $6::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree);

-- commonRegions
-- answers code text, path text
SELECT code, path FROM region WHERE code = ANY($1::text[]);

-- reachesEverything
SELECT FROM organization o WHERE o.id NOT IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) LIMIT 1;
