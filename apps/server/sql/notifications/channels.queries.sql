-- Written by `npm run docs:sql`.

-- listChannels
-- answers id int4, kind text, name text, addressHint text, hasSecret bool, settings jsonb null, language text, isEnabled bool, organizationId int4, organizationName text, createBy text, lastDeliveredTime timestamptz null, lastError text null, pausedUntil timestamptz, waitingCount int4, version int4, createTime timestamptz
SELECT c.id, c.kind, c.name, c.address_hint AS "addressHint", c.secret IS NOT NULL AS "hasSecret", c.settings, c.language,
    c.is_enabled AS "isEnabled", c.organization_id AS "organizationId", o.name AS "organizationName",
    c.decided_by_name AS "createBy", c.last_delivered_at AS "lastDeliveredTime", c.last_error AS "lastError",
    CASE WHEN c.paused_until > now() THEN c.paused_until END AS "pausedUntil",
    (SELECT count(*)::int FROM notify_item i WHERE i.channel_id = c.id AND i.delivery_id IS NULL
      AND i.over_at IS NULL) AS "waitingCount",
    c.version, c.created_at AS "createTime"
  FROM notify_channel c JOIN organization o ON o.id = c.organization_id
  WHERE "c"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND c.name ILIKE $2 AND c.kind = $3 AND c.id = ANY($4::int[])
  ORDER BY c.id DESC LIMIT $5 OFFSET $6;

-- nameChannels
-- answers id int4, name text, kind text
SELECT c.id, c.name, c.kind FROM notify_channel c
  WHERE "c"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) ORDER BY c.name, c.id;

-- lockChannel
-- answers id int4, kind text, name text, address text, addressHint text, secret text null, settings jsonb null, rateKey text null, language text, isEnabled bool, decidedBy int4, decidedByName text, decidedIn int4 null, version int4
SELECT c.id, c.kind, c.name, c.address, c.address_hint AS "addressHint", c.secret, c.settings,
    c.rate_key AS "rateKey", c.language, c.is_enabled AS "isEnabled", c.decided_by AS "decidedBy",
    c.decided_by_name AS "decidedByName",
    c.decided_in AS "decidedIn", c.version
  FROM notify_channel c WHERE c.id = $1 AND "c"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  FOR UPDATE;

-- lockChannelsShared
-- answers id int4, name text
SELECT c.id, c.name FROM notify_channel c
  WHERE c.id = ANY($1::int[]) AND "c"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  ORDER BY c.id FOR KEY SHARE;

-- giveUpDeliveries
DELETE FROM notify_item WHERE channel_id = $1 AND delivery_id IS NULL;

-- giveUpDeliveries
UPDATE notify_delivery SET state = 'givenUp', retry_at = NULL, provider_message = '通知渠道已删除',
  provider_code = coalesce(provider_code, 'DELETED')
WHERE channel_id = $1 AND state IN ('sending', 'retrying');

-- listTelling
-- answers decidedBy int4, decidedByName text, decidedIn int4, filter jsonb, personId int4
SELECT r.decided_by AS "decidedBy", r.decided_by_name AS "decidedByName", r.decided_in AS "decidedIn", r.filter,
    NULL::int AS "personId"
  FROM notify_rule r WHERE r.id IN (SELECT rule_id FROM notify_rule_target WHERE channel_id = $1)
  UNION ALL
  SELECT r.decided_by, r.decided_by_name, r.decided_in, r.filter, u.id
  FROM notify_contact k JOIN app_user u ON u.id = k.user_id
  JOIN notify_rule r ON u.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "r"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  WHERE k.channel_id = $2 AND u.is_enabled AND EXISTS (
    SELECT FROM notify_rule_target t WHERE t.rule_id = r.id AND (t.user_id = u.id
      OR t.role_id IN (SELECT role_id FROM user_role WHERE user_id = u.id)
      OR t.duty_id IN (
        SELECT duty_id FROM duty_member WHERE user_id = u.id
        UNION ALL SELECT duty_id FROM duty_exception WHERE user_id = u.id)))
  UNION ALL
  SELECT s.decided_by, s.decided_by_name, s.decided_in, s.filter, NULL
  FROM report_subscription s WHERE s.channel_id = $3;
