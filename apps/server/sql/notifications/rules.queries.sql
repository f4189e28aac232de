-- Written by `npm run docs:sql`.

-- listRules
-- answers id int4, name text, when _text, alarmLevels _int4, filter jsonb, channelIds _int4, channelNames _text, groupWaitS int4, quietFrom text null, quietTo text null, isEnabled bool, decidedBy int4, ownerName text, decidedIn int4 null, organizationName text, version int4, createTime timestamptz
SELECT
r.id, r.name, r.events AS "when", r.alarm_levels AS "alarmLevels", r.filter,
ARRAY(SELECT c.channel_id FROM notify_rule_channel c WHERE c.rule_id = r.id ORDER BY c.channel_id) AS "channelIds",
ARRAY(
  SELECT c.name FROM notify_rule_channel rc JOIN notify_channel c ON c.id = rc.channel_id
  WHERE rc.rule_id = r.id ORDER BY c.id
) AS "channelNames",
r.group_wait_s AS "groupWaitS", r.quiet_from AS "quietFrom", r.quiet_to AS "quietTo", r.is_enabled AS "isEnabled",
r.decided_by AS "decidedBy", r.decided_by_name AS "ownerName", r.decided_in AS "decidedIn",
o.name AS "organizationName", r.version, r.created_at AS "createTime" FROM notify_rule r JOIN organization o ON o.id = r.organization_id
  WHERE "r"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND r.name ILIKE $2 AND r.id IN (SELECT rule_id FROM notify_rule_channel WHERE channel_id = $3) AND r.id = ANY($4::int[]) ORDER BY r.id DESC LIMIT $5 OFFSET $6;

-- lockRule
-- answers id int4, name text, when _text, alarmLevels _int4, filter jsonb, channelIds _int4, channelNames _text, groupWaitS int4, quietFrom text null, quietTo text null, isEnabled bool, decidedBy int4, ownerName text, decidedIn int4 null, organizationName text, version int4, createTime timestamptz
SELECT
r.id, r.name, r.events AS "when", r.alarm_levels AS "alarmLevels", r.filter,
ARRAY(SELECT c.channel_id FROM notify_rule_channel c WHERE c.rule_id = r.id ORDER BY c.channel_id) AS "channelIds",
ARRAY(
  SELECT c.name FROM notify_rule_channel rc JOIN notify_channel c ON c.id = rc.channel_id
  WHERE rc.rule_id = r.id ORDER BY c.id
) AS "channelNames",
r.group_wait_s AS "groupWaitS", r.quiet_from AS "quietFrom", r.quiet_to AS "quietTo", r.is_enabled AS "isEnabled",
r.decided_by AS "decidedBy", r.decided_by_name AS "ownerName", r.decided_in AS "decidedIn",
o.name AS "organizationName", r.version, r.created_at AS "createTime" FROM notify_rule r JOIN organization o ON o.id = r.organization_id
  WHERE r.id = $1 AND "r"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) FOR UPDATE OF r;

-- writeChannels
DELETE FROM notify_rule_channel WHERE rule_id = $1 AND channel_id <> ALL($2::int[]);

-- writeChannels
DELETE FROM notify_item WHERE rule_id = $1 AND channel_id <> ALL($2::int[])
AND delivery_id IS NULL;

-- writeChannels
INSERT INTO notify_rule_channel (rule_id, channel_id)
SELECT $1, id FROM unnest($2::int[]) AS id
ON CONFLICT DO NOTHING;

-- forgetWaiting
DELETE FROM notify_item WHERE rule_id = $1 AND delivery_id IS NULL;
