-- Written by `npm run docs:sql`.

-- countWaiting
-- answers ofPerson int4, ofOrganization int4
SELECT count(*) FILTER (WHERE coalesce(o.maker_id, a.created_by) = coalesce(u.maker_id, u.id))::int AS "ofPerson",
  count(*) FILTER (WHERE a.organization_id = $1 AND a.device_id IS NULL)::int AS "ofOrganization"
FROM approval a JOIN app_user u ON u.id = $2 JOIN app_user o ON o.id = a.created_by
WHERE a.next_at IS NOT NULL;

-- listApprovals
-- answers id int8, kind text, state text, functionCode text, payload jsonb, subject text, details jsonb, causes _text, equipId int4, equipCode text null, deviceCount int4, organizationId int4, askedIn int4 null, createdBy int4, madeBy int4, createBy text, address text, createTime timestamptz, expireTime timestamptz, decideBy text null, decideTime timestamptz null, note text null, resultId text null
SELECT
a.id, a.kind, a.state, a.function_code AS "functionCode", a.payload, a.subject, a.details, a.causes,
a.device_id AS "equipId", d.code AS "equipCode", a.device_count AS "deviceCount", a.organization_id AS "organizationId",
a.asked_in AS "askedIn", a.created_by AS "createdBy",
(SELECT u.maker_id FROM app_user u WHERE u.id = a.created_by) AS "madeBy", a.created_by_name AS "createBy", a.address, a.created_at AS "createTime", a.expires_at AS "expireTime",
a.decided_by_name AS "decideBy", a.decided_at AS "decideTime", a.note, a.result_id AS "resultId" FROM approval a LEFT JOIN device d ON d.id = a.device_id WHERE
(a.created_by = $1
  OR ((a.device_id IS NULL OR ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))) AND a.function_code = ANY($5::text[])
      AND (a.device_id IS NOT NULL OR a.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $6::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree))))
AND ($7::text[] IS NULL OR a.state = ANY($8::text[]))
AND ($9::int8[] IS NULL OR a.id = ANY($10::int8[]))
AND (NOT $11 OR (NOT a.created_by IN (
SELECT u.id FROM app_user u WHERE u.id = $12 OR u.maker_id = $13) AND EXISTS (SELECT FROM app_user o WHERE o.id = a.created_by)))
  ORDER BY (a.state = 'waiting') DESC, a.id DESC LIMIT $14 OFFSET $15;

-- listAskedBy
-- answers id int8, kind text, state text, functionCode text, payload jsonb, subject text, details jsonb, causes _text, equipId int4 null, equipCode text null, deviceCount int4, organizationId int4, askedIn int4 null, createdBy int4, madeBy int4, createBy text, address text, createTime timestamptz, expireTime timestamptz, decideBy text null, decideTime timestamptz null, note text null, resultId text null
SELECT
a.id, a.kind, a.state, a.function_code AS "functionCode", a.payload, a.subject, a.details, a.causes,
a.device_id AS "equipId", d.code AS "equipCode", a.device_count AS "deviceCount", a.organization_id AS "organizationId",
a.asked_in AS "askedIn", a.created_by AS "createdBy",
(SELECT u.maker_id FROM app_user u WHERE u.id = a.created_by) AS "madeBy", a.created_by_name AS "createBy", a.address, a.created_at AS "createTime", a.expires_at AS "expireTime",
a.decided_by_name AS "decideBy", a.decided_at AS "decideTime", a.note, a.result_id AS "resultId" FROM approval a LEFT JOIN device d ON d.id = a.device_id
  WHERE a.created_by = $1 AND (a.next_at IS NOT NULL OR a.decided_at > $2)
  ORDER BY a.id DESC LIMIT $3;

-- lockApproval
SELECT FROM approval WHERE id = $1 FOR UPDATE;

-- lockApproval
-- answers id int8, kind text, state text, functionCode text, payload jsonb, subject text, details jsonb, causes _text, equipId int4, equipCode text null, deviceCount int4, organizationId int4, askedIn int4 null, createdBy int4, madeBy int4, createBy text, address text, createTime timestamptz, expireTime timestamptz, decideBy text null, decideTime timestamptz null, note text null, resultId text null
SELECT
a.id, a.kind, a.state, a.function_code AS "functionCode", a.payload, a.subject, a.details, a.causes,
a.device_id AS "equipId", d.code AS "equipCode", a.device_count AS "deviceCount", a.organization_id AS "organizationId",
a.asked_in AS "askedIn", a.created_by AS "createdBy",
(SELECT u.maker_id FROM app_user u WHERE u.id = a.created_by) AS "madeBy", a.created_by_name AS "createBy", a.address, a.created_at AS "createTime", a.expires_at AS "expireTime",
a.decided_by_name AS "decideBy", a.decided_at AS "decideTime", a.note, a.result_id AS "resultId" FROM approval a LEFT JOIN device d ON d.id = a.device_id WHERE a.id = $1 AND (a.created_by = $2
  OR ((a.device_id IS NULL OR ("d"."operator_id" = ANY($3::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($4::int[])) AND "d"."region_id" = ANY($5::int[]))) AND a.function_code = ANY($6::text[])
      AND (a.device_id IS NOT NULL OR a.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $7::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree))));

-- findSame
-- answers id int8, createdBy int4
SELECT id, created_by AS "createdBy" FROM approval WHERE same_as = $1 AND state = 'waiting';

-- listLast
-- answers key text null, state text, askedBy text, decidedBy text null
SELECT DISTINCT ON (same_as) same_as AS "key", state, created_by_name AS "askedBy", decided_by_name AS "decidedBy"
FROM approval WHERE same_as = ANY($1::text[]) ORDER BY same_as, id DESC;

-- lockWaiting
-- answers id int8
SELECT id FROM approval WHERE same_as = $1 AND state = 'waiting' FOR UPDATE;

-- insertApproval
-- answers id int8
INSERT INTO approval (kind, function_code, payload, same_as, subject, details, causes, device_id, device_count,
    organization_id, asked_in, created_by, created_by_name, address, expires_at, next_at)
  SELECT $1, $2, $3::jsonb, $4,
    $5, $6::jsonb, $7::text[], $8,
    $9, $10, (
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
WHERE u.id = $11 AND NOT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $12 AND r.code = 'SYSTEM')), $13, $14,
    $15, at, at
  FROM (SELECT now() + $16 * interval '1 minute') AS e (at)
  RETURNING id;

-- writeDecision
UPDATE approval SET state = $1, decided_by = $2, decided_by_name = $3,
  decided_at = now(), note = $4, result_id = $5, next_at = NULL
WHERE id = $6;

-- 
DELETE FROM approval WHERE id IN (
SELECT id FROM approval WHERE next_at IS NULL AND created_at < $1 LIMIT $2);
