-- Written by `npm run docs:sql`.

-- listOrganizations
-- answers id int4, parentId int4, name text, code text, orderNum int4, version int4
WITH RECURSIVE own AS (
  SELECT * FROM organization
  WHERE CASE WHEN $1::int IS NULL THEN parent_id IS NULL ELSE id = $2 END
  UNION
  SELECT o.* FROM organization o JOIN own ON o.parent_id = own.id
)
SELECT id, parent_id AS "parentId", name, code, order_num AS "orderNum", version
FROM own ORDER BY order_num, id;

-- countOrganizations
-- answers id int4, operators int4, users int4, devices int4, online int4, alarms int4, shelved int4
WITH RECURSIVE own AS (
    SELECT id FROM organization
    WHERE CASE WHEN $1::int IS NULL THEN parent_id IS NULL ELSE id = $2 END
    UNION
    SELECT o.id FROM organization o JOIN own ON o.parent_id = own.id
  ), owner AS (
    SELECT p.id, p.organization_id FROM operator p JOIN own ON own.id = p.organization_id
  ), device_tally AS (
    SELECT d.operator_id, count(*)::int AS devices, count(*) FILTER (WHERE d.connection = 1)::int AS online
    FROM device_listing d WHERE ("d"."operator_id" = ANY($3::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($4::int[])) AND "d"."region_id" = ANY($5::int[])) GROUP BY d.operator_id
  ), alarm_tally AS (
    SELECT s.operator_id, count(*) FILTER (WHERE NOT s.is_quiet)::int AS alarms,
      count(*) FILTER (WHERE s.is_quiet)::int AS shelved
    FROM (
      SELECT operator_id, model_id, region_id, ((operator_id = ANY($6::int[]) AND model_id = ANY($7::int[]) AND region_id = ANY($8::int[]) AND semaphore_code = ANY($9::text[]) AND semaphore_code <> ALL($10::text[])) OR (device_id = ANY($11::int[])
    AND EXISTS (SELECT FROM
unnest(
  $12::int[], $13::timestamptz[],
  $14::int[], $15::text[],
  $16::bigint[], $17::bigint[],
  $18::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($19::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))) AS is_quiet FROM alarm_state WHERE is_active
    ) s
    WHERE ("s"."operator_id" = ANY($20::int[]) AND "s"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($21::int[])) AND "s"."region_id" = ANY($22::int[])) GROUP BY s.operator_id
  ), owned AS (
    SELECT p.organization_id, count(*)::int AS operators, sum(d.devices)::int AS devices,
      sum(d.online)::int AS online, sum(a.alarms)::int AS alarms, sum(a.shelved)::int AS shelved
    FROM owner p
    LEFT JOIN device_tally d ON d.operator_id = p.id
    LEFT JOIN alarm_tally a ON a.operator_id = p.id
    GROUP BY p.organization_id
  ), user_tally AS (
    SELECT u.organization_id, count(*)::int AS users FROM app_user u WHERE u.maker_id IS NULL GROUP BY u.organization_id
  )
  SELECT own.id, coalesce(w.operators, 0) AS operators, coalesce(t.users, 0) AS users,
    coalesce(w.devices, 0) AS devices, coalesce(w.online, 0) AS online, coalesce(w.alarms, 0) AS alarms,
    coalesce(w.shelved, 0) AS shelved
  FROM own
  LEFT JOIN owned w ON w.organization_id = own.id
  LEFT JOIN user_tally t ON t.organization_id = own.id
  ORDER BY own.id;

-- isWithin
WITH RECURSIVE above AS (
  SELECT id, parent_id FROM organization WHERE id = $1
  UNION
  SELECT o.id, o.parent_id FROM organization o JOIN above ON o.id = above.parent_id
)
SELECT FROM above WHERE id = $2;

-- countLevelsAbove
-- answers count int4
WITH RECURSIVE above AS (
  SELECT id, parent_id FROM organization WHERE id = $1
  UNION
  SELECT o.id, o.parent_id FROM organization o JOIN above ON o.id = above.parent_id
)
SELECT count(*)::int AS count FROM above;

-- countLevelsUnder
-- answers count int4
WITH RECURSIVE below AS (
  SELECT id, 1 AS level FROM organization WHERE id = $1
  UNION
  SELECT o.id, below.level + 1 FROM organization o JOIN below ON o.parent_id = below.id
)
SELECT max(level) AS count FROM below;

-- lockTree
LOCK TABLE organization IN SHARE ROW EXCLUSIVE MODE;

-- usesOf
-- answers hasChildren bool, hasOperators bool, hasUsers bool, owned json
SELECT
EXISTS (SELECT FROM organization WHERE parent_id = $1) AS "hasChildren",
EXISTS (SELECT FROM operator WHERE organization_id = $2) AS "hasOperators",
EXISTS (SELECT FROM app_user WHERE organization_id = $3) AS "hasUsers",
json_build_object('notify_channel'::text, EXISTS (SELECT FROM "notify_channel" WHERE organization_id = $4), 'notify_rule'::text, EXISTS (SELECT FROM "notify_rule" WHERE organization_id = $5), 'duty'::text, EXISTS (SELECT FROM "duty" WHERE organization_id = $6), 'report_subscription'::text, EXISTS (SELECT FROM "report_subscription" WHERE organization_id = $7), 'advertisement'::text, EXISTS (SELECT FROM "advertisement" WHERE organization_id = $8), 'upgrade_task'::text, EXISTS (SELECT FROM "upgrade_task" WHERE organization_id = $9), 'parameter_batch'::text, EXISTS (SELECT FROM "parameter_batch" WHERE organization_id = $10), 'handover'::text, EXISTS (SELECT FROM "handover" WHERE organization_id = $11)) AS owned;

-- operatorIdsUnder
-- answers id int4
WITH RECURSIVE below AS (
  SELECT id FROM organization WHERE id = $1
  UNION
  SELECT o.id FROM organization o JOIN below ON o.parent_id = below.id
)
SELECT id FROM operator WHERE organization_id IN (SELECT id FROM below);
