-- Written by `npm run docs:sql`.

-- listRules
-- answers id int4, name text, when _text, alarmLevels _int4, filter jsonb, steps jsonb, repeatS int4, groupWaitS int4, offlineMinutes int4, quietFrom text null, quietTo text null, isEnabled bool, decidedBy int4, ownerName text, decidedIn int4 null, organizationId int4, organizationName text, version int4, createTime timestamptz
SELECT
r.id, r.name, r.events AS "when", r.alarm_levels AS "alarmLevels", r.filter,
r.steps, r.repeat_s AS "repeatS",
r.group_wait_s AS "groupWaitS", r.offline_minutes AS "offlineMinutes", r.quiet_from AS "quietFrom", r.quiet_to AS "quietTo", r.is_enabled AS "isEnabled",
r.decided_by AS "decidedBy", r.decided_by_name AS "ownerName", r.decided_in AS "decidedIn",
r.organization_id AS "organizationId", o.name AS "organizationName", r.version, r.created_at AS "createTime" FROM notify_rule r JOIN organization o ON o.id = r.organization_id
  WHERE "r"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND r.name ILIKE $2 AND r.id IN (SELECT rule_id FROM notify_rule_target WHERE channel_id = $3) AND r.id = ANY($4::int[]) ORDER BY r.id DESC LIMIT $5 OFFSET $6;

-- lockRule
-- answers id int4, name text, when _text, alarmLevels _int4, filter jsonb, steps jsonb, repeatS int4, groupWaitS int4, offlineMinutes int4, quietFrom text null, quietTo text null, isEnabled bool, decidedBy int4, ownerName text, decidedIn int4 null, organizationId int4, organizationName text, version int4, createTime timestamptz
SELECT
r.id, r.name, r.events AS "when", r.alarm_levels AS "alarmLevels", r.filter,
r.steps, r.repeat_s AS "repeatS",
r.group_wait_s AS "groupWaitS", r.offline_minutes AS "offlineMinutes", r.quiet_from AS "quietFrom", r.quiet_to AS "quietTo", r.is_enabled AS "isEnabled",
r.decided_by AS "decidedBy", r.decided_by_name AS "ownerName", r.decided_in AS "decidedIn",
r.organization_id AS "organizationId", o.name AS "organizationName", r.version, r.created_at AS "createTime" FROM notify_rule r JOIN organization o ON o.id = r.organization_id
  WHERE r.id = $1 AND "r"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) FOR UPDATE OF r;

-- forgetWaiting
DELETE FROM notify_item WHERE rule_id = $1 AND delivery_id IS NULL;
