-- Written by `npm run docs:sql`.

-- listReceivers
-- answers channelId int4, userId int4, userName text, channelBy int4, channelByName text, channelIn int4
SELECT c.id AS "channelId", NULL::int AS "userId", NULL::text AS "userName", c.decided_by AS "channelBy",
    c.decided_by_name AS "channelByName", c.decided_in AS "channelIn"
  FROM notify_channel c WHERE c.id = ANY($1::int[]) AND c.is_enabled
  UNION ALL
  SELECT k.channel_id, u.id, u.user_name, c.decided_by, c.decided_by_name, c.decided_in FROM notify_contact k
  JOIN notify_channel c ON c.id = k.channel_id
  JOIN app_user u ON u.id = k.user_id
  WHERE c.is_enabled AND u.is_enabled AND u.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
    AND (u.id = ANY($3::int[])
      OR u.id IN (SELECT ur.user_id FROM user_role ur WHERE ur.role_id = ANY($4::int[])))
  ORDER BY 2 NULLS FIRST, 1 LIMIT $5;

-- listTargets
-- answers ruleId int4, step int2, kind text, id int4, name text
SELECT t.rule_id AS "ruleId", t.step,
  CASE WHEN t.channel_id IS NOT NULL THEN 'channelIds' WHEN t.user_id IS NOT NULL THEN 'userIds'
    WHEN t.role_id IS NOT NULL THEN 'roleIds' ELSE 'dutyIds' END AS kind,
  coalesce(t.channel_id, t.user_id, t.role_id, t.duty_id)::int AS id,
  coalesce(c.name, u.user_name, o.name, d.name, '') AS name
FROM notify_rule_target t
LEFT JOIN notify_channel c ON c.id = t.channel_id
LEFT JOIN app_user u ON u.id = t.user_id
LEFT JOIN role o ON o.id = t.role_id
LEFT JOIN duty d ON d.id = t.duty_id
WHERE t.rule_id = ANY($1::int[]) ORDER BY t.rule_id, t.step, t.id;

-- writeTargets
DELETE FROM notify_rule_target WHERE rule_id = $1;

-- lockPeople
-- answers id int4, name text
SELECT u.id, u.user_name AS name FROM app_user u
  WHERE u.id = ANY($1::int[]) AND u.maker_id IS NULL AND u.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  ORDER BY u.id FOR KEY SHARE;

-- lockRoles
-- answers id int4, name text
SELECT id, name FROM role WHERE id = ANY($1::int[]) ORDER BY id FOR KEY SHARE;

-- lockDuties
-- answers id int4, name text
SELECT id, name FROM duty
  WHERE id = ANY($1::int[]) AND organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  ORDER BY id FOR KEY SHARE;

-- forgetOthers
DELETE FROM notify_item i WHERE i.rule_id = $1 AND i.delivery_id IS NULL AND i.event <> 'escalated'
AND NOT EXISTS (
  SELECT FROM unnest(
    $2::int[], $3::int[]
  ) AS k (channel_id, user_id)
  WHERE k.channel_id = i.channel_id AND k.user_id IS NOT DISTINCT FROM i.user_id);
