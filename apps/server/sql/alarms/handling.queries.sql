-- Written by `npm run docs:sql`.

-- read
-- answers id text, occurredAt text, deviceId int4, isSeen bool
SELECT "h"."episode_id"::text AS id, h.occurred_at::text AS "occurredAt", d.id AS "deviceId",
  ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[])) AS "isSeen"
FROM "alarm_state" h JOIN device d ON d.id = h.device_id
WHERE "h"."episode_id" = ANY($4::bigint[]) AND ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[]))
ORDER BY d.id FOR KEY SHARE OF d;

-- insertUntouched
INSERT INTO alarm_handling (episode_id, occurred_at, device_id, version)
SELECT m.id, m.occurred_at, m.device_id, 0
FROM unnest(
  $1::bigint[], $2::timestamptz[],
  $3::int[]
) AS m (id, occurred_at, device_id)
ORDER BY m.id
ON CONFLICT (episode_id) DO NOTHING;

-- lockHandlings
-- answers id text
SELECT p.episode_id::text AS id FROM alarm_handling p
WHERE p.episode_id = ANY($1::bigint[])
ORDER BY p.episode_id FOR UPDATE;

-- lockHandlings
-- answers id text, deviceId int4, deviceCode text, semaphoreCode text, semaphoreName text, occurrenceTime timestamptz, isActive bool, value text, recoveredAt timestamptz null, level int2 null, isByValue bool, unshelvedAt timestamptz, version int4, ackedAt timestamptz null, ackedByName text null, seenValue text, seenLevel int2 null, lastsUntil timestamptz null, assigneeId int4 null, assigneeName text null, closedAt timestamptz null, cause text null, causeName text null, settled text null
SELECT p.episode_id::text AS id, p.device_id AS "deviceId", d.code AS "deviceCode",
  h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
  h.occurred_at AS "occurrenceTime", h.recovered_at IS NULL AS "isActive", h.value::text AS value,
  h.recovered_at AS "recoveredAt", e.alarm_level AS level,
  coalesce(e.analysis_type = 'VALUE', false) AS "isByValue", (
    SELECT max(c.until) FROM alarm_shelf_cover c
    WHERE c.episode_id = h.id AND c.until <= coalesce(h.recovered_at, clock_timestamp())
  ) AS "unshelvedAt",
  p.version, p.acked_at AS "ackedAt", p.acked_by_name AS "ackedByName", p.seen_value::text AS "seenValue",
  p.seen_level AS "seenLevel", p.lasts_until AS "lastsUntil", p.assignee_id AS "assigneeId",
  w.user_name AS "assigneeName", p.closed_at AS "closedAt", p.cause, p.cause_name AS "causeName",
  p.settled
FROM unnest(
  $1::bigint[], $2::timestamptz[]
) AS m (id, occurred_at)
JOIN alarm_handling p ON p.episode_id = m.id
JOIN alarm_history h ON h.occurred_at = m.occurred_at AND h.id = m.id
JOIN device d ON d.id = h.device_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
LEFT JOIN app_user w ON w.id = p.assignee_id
ORDER BY p.episode_id;

-- readNow
-- answers at timestamptz
SELECT date_trunc('milliseconds', clock_timestamp()) AS at;

-- writeHandlings
UPDATE alarm_handling p SET version = m.version, acked_at = m.acked_at, acked_by_name = m.acked_by_name,
  seen_value = m.seen_value, seen_level = m.seen_level, lasts_until = m.lasts_until,
  assignee_id = m.assignee_id, closed_at = m.closed_at, cause = m.cause, cause_name = m.cause_name
FROM unnest(
  $1::bigint[], $2::int[],
  $3::timestamptz[], $4::text[],
  $5::bigint[], $6::int2[],
  $7::timestamptz[],
  $8::int[],
  $9::timestamptz[],
  $10::text[],
  $11::text[]
) AS m (id, version, acked_at, acked_by_name, seen_value, seen_level, lasts_until, assignee_id, closed_at,
  cause, cause_name)
WHERE p.episode_id = m.id;

-- writeHandlings
INSERT INTO alarm_handling_action (episode_id, device_id, at, user_id, user_name, source, address, kind, note,
  before, after)
SELECT m.id, m.device_id, $1, $2, $3, $4, $5, $6, $7,
  m.before, m.after
FROM unnest(
  $8::bigint[], $9::int[],
  $10::jsonb[], $11::jsonb[]
) AS m (id, device_id, before, after)
ORDER BY m.id;

-- listActions
-- answers time timestamptz, userName text, source text, kind text, note text null, before jsonb, after jsonb
SELECT at AS time, user_name AS "userName", source, kind, note, before, after
FROM alarm_handling_action WHERE episode_id = $1::bigint ORDER BY id DESC LIMIT $2;

-- findLastAction
-- answers time timestamptz, userName text, kind text, after jsonb
SELECT at AS time, user_name AS "userName", kind, after
FROM alarm_handling_action WHERE episode_id = $1::bigint ORDER BY id DESC LIMIT 1;

-- findUserName
-- answers name text
SELECT user_name AS name FROM app_user WHERE id = $1;

-- findCauseName
-- answers name text
SELECT name FROM dictionary_entry WHERE type = $1 AND code = $2;

-- lockCandidate
-- answers id int4, userName text, organizationId int4, isSystem bool
SELECT u.id, u.user_name AS "userName", u.organization_id AS "organizationId",
    EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') AS "isSystem"
  FROM app_user u WHERE u.id = $1 AND
u.is_enabled AND u.maker_id IS NULL AND "u"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM')
  OR ARRAY(
SELECT DISTINCT m.remark FROM menu m WHERE m.type = 'F' AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "u"."id" UNION ALL
SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
WHERE k.user_id = "u"."id" AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "ku"."maker_id" AND r.code = 'SYSTEM') OR km.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "ku"."maker_id"))))) && $3::text[])
  FOR KEY SHARE OF u;

-- listCandidates
-- answers id int4, userName text, organizationId int4, isSystem bool
WITH RECURSIVE place AS MATERIALIZED (
    SELECT s.operator_id, m.equip_type_id, r.path, o.organization_id
    FROM (
SELECT DISTINCT operator_id, model_id, region_id FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
  AND true AND (
CASE
  WHEN p.settled IS NOT NULL THEN p.settled
  WHEN p.acked_at IS NULL
    OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
    OR CASE WHEN e.analysis_type = 'VALUE' THEN s.value <> p.seen_value ELSE s.value & ~p.seen_value <> 0 END
    OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
      AND c.until <= coalesce(NULL::timestamptz, now()))
    OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(NULL::timestamptz, now()) >= p.lasts_until)
  THEN CASE WHEN true THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
  WHEN p.closed_at IS NOT NULL THEN 'closed'
  WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
  WHEN true THEN 'acknowledged'
  ELSE 'closed'
END) = ANY($1::text[]) AND p.assignee_id = $2
) AS alarm_state WHERE operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $7 AND occurred_at < $8 AND NOT (operator_id = ANY($9::int[]) AND model_id = ANY($10::int[]) AND region_id = ANY($11::int[]) AND semaphore_code = ANY($12::text[]) AND semaphore_code <> ALL($13::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $14::int[], $15::timestamptz[],
  $16::int[], $17::text[],
  $18::bigint[], $19::bigint[],
  $20::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($21::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END) AND $22 AND $23) AS s
    JOIN operator o ON o.id = s.operator_id
    JOIN equip_model m ON m.id = s.model_id
    JOIN region r ON r.id = s.region_id
  ), above AS (
    SELECT DISTINCT organization_id AS id, organization_id AS top FROM place
    UNION
    SELECT above.id, o.parent_id FROM above JOIN organization o ON o.id = above.top
    WHERE o.parent_id IS NOT NULL
  )
  SELECT u.id, u.user_name AS "userName", u.organization_id AS "organizationId",
    EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') AS "isSystem"
  FROM app_user u
  WHERE
u.is_enabled AND u.maker_id IS NULL AND "u"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $24::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM')
  OR ARRAY(
SELECT DISTINCT m.remark FROM menu m WHERE m.type = 'F' AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR m.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "u"."id" UNION ALL
SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
WHERE k.user_id = "u"."id" AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "ku"."maker_id" AND r.code = 'SYSTEM') OR km.id IN (
SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = "ku"."maker_id"))))) && $25::text[])
    AND EXISTS (SELECT FROM place)
    AND (EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "u"."id" AND r.code = 'SYSTEM') OR NOT EXISTS (
      SELECT FROM place p WHERE NOT (
        EXISTS (SELECT FROM above WHERE above.id = p.organization_id AND above.top = u.organization_id)
        AND (
  NOT EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $26)
  OR EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $27
    AND a.value = p.operator_id::text))
        AND (
  NOT EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $28)
  OR EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $29
    AND a.value = p.equip_type_id::text))
        AND (
  NOT EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $30)
  OR EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = $31
    AND EXISTS (SELECT FROM region g WHERE g.code = a.value AND p.path LIKE g.path || '%')))
      )))
  ORDER BY u.user_name, u.id LIMIT $32;

-- 
DELETE FROM alarm_handling WHERE episode_id IN (
SELECT episode_id FROM alarm_handling WHERE occurred_at < $1 LIMIT $2);
