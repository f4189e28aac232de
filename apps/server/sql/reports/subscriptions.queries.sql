-- Written by `npm run docs:sql`.

-- listSubscriptions
-- answers id int4, name text, kind text, groupBy text, filter jsonb, every text, hour int2, timeZone text, channelId int4, isEnabled bool, decidedBy int4, decidedByName text, decidedIn int4 null, problem text null, version int4, channelName text, organizationName text, nextTime timestamptz null, createTime timestamptz, lastState text, lastTitle text, lastTime timestamptz, lastMessage text null
SELECT
s.id, s.name, s.kind, s.group_by AS "groupBy", s.filter, s.every, s.hour, s.time_zone AS "timeZone",
s.channel_id AS "channelId", s.is_enabled AS "isEnabled", s.decided_by AS "decidedBy",
s.decided_by_name AS "decidedByName", s.decided_in AS "decidedIn", s.problem, s.version, c.name AS "channelName", o.name AS "organizationName", s.next_at AS "nextTime",
    s.created_at AS "createTime", y.state AS "lastState", y.title AS "lastTitle",
    coalesce(y.sent_at, y.created_at) AS "lastTime", y.provider_message AS "lastMessage"
  FROM report_subscription s
  JOIN organization o ON o.id = s.organization_id
  JOIN notify_channel c ON c.id = s.channel_id
  LEFT JOIN LATERAL (
    SELECT y.state, y.title, y.sent_at, y.created_at, y.provider_message
    FROM notify_letter l JOIN notify_delivery y ON y.id = l.delivery_id
    WHERE l.series = 'report.' || s.id ORDER BY y.id DESC LIMIT 1
  ) y ON true
  WHERE "s"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND s.name ILIKE $2 AND s.kind = $3 AND s.id = ANY($4::int[])
  ORDER BY s.id DESC LIMIT $5 OFFSET $6;

-- lockSubscription
-- answers id int4, name text, kind text, groupBy text, filter jsonb, every text, hour int2, timeZone text, channelId int4, isEnabled bool, decidedBy int4, decidedByName text, decidedIn int4 null, problem text null, version int4
SELECT
s.id, s.name, s.kind, s.group_by AS "groupBy", s.filter, s.every, s.hour, s.time_zone AS "timeZone",
s.channel_id AS "channelId", s.is_enabled AS "isEnabled", s.decided_by AS "decidedBy",
s.decided_by_name AS "decidedByName", s.decided_in AS "decidedIn", s.problem, s.version FROM report_subscription s
  WHERE s.id = $1 AND "s"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) FOR UPDATE;

-- listDue
-- answers id int4, name text, kind text, groupBy text, filter jsonb, every text, hour int2, timeZone text, channelId int4, isEnabled bool, decidedBy int4, decidedByName text, decidedIn int4 null, problem text null, version int4
SELECT
s.id, s.name, s.kind, s.group_by AS "groupBy", s.filter, s.every, s.hour, s.time_zone AS "timeZone",
s.channel_id AS "channelId", s.is_enabled AS "isEnabled", s.decided_by AS "decidedBy",
s.decided_by_name AS "decidedByName", s.decided_in AS "decidedIn", s.problem, s.version FROM report_subscription s
  WHERE s.next_at <= $1 ORDER BY s.next_at, s.id LIMIT $2;

-- lockUnchanged
SELECT FROM report_subscription s WHERE s.id = $1 AND s.version = $2 AND s.is_enabled
FOR UPDATE;

-- writeOutcome
UPDATE report_subscription SET next_at = $1, problem = $2
WHERE id = $3 AND version = $4 AND is_enabled;
