-- Written by `npm run docs:sql`.

-- listDuties
-- answers id int4, organizationId int4, organizationName text, name text, timeZone text, startsOn text, handoverAt text, lengthHours int4, members _int4, exceptions jsonb, version int4, createTime timestamptz
SELECT
d.id, d.organization_id AS "organizationId", o.name AS "organizationName", d.name, d.time_zone AS "timeZone",
d.starts_on AS "startsOn", d.handover_at AS "handoverAt", d.length_hours AS "lengthHours",
ARRAY(SELECT m.user_id FROM duty_member m WHERE m.duty_id = d.id ORDER BY m.position) AS members,
coalesce((
  SELECT jsonb_agg(jsonb_build_object('fromDay', x.from_day, 'toDay', x.to_day, 'userId', x.user_id)
    ORDER BY x.from_day)
  FROM duty_exception x WHERE x.duty_id = d.id
), '[]') AS exceptions,
d.version, d.created_at AS "createTime" FROM duty d JOIN organization o ON o.id = d.organization_id
  WHERE "d"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND d.name ILIKE $2 AND d.id = ANY($3::int[]) ORDER BY d.id DESC LIMIT $4 OFFSET $5;

-- nameDuties
-- answers id int4, name text
SELECT d.id, d.name FROM duty d WHERE "d"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  ORDER BY d.name, d.id;

-- lockDuty
-- answers id int4, organizationId int4, organizationName text, name text, timeZone text, startsOn text, handoverAt text, lengthHours int4, members _int4, exceptions jsonb, version int4, createTime timestamptz
SELECT
d.id, d.organization_id AS "organizationId", o.name AS "organizationName", d.name, d.time_zone AS "timeZone",
d.starts_on AS "startsOn", d.handover_at AS "handoverAt", d.length_hours AS "lengthHours",
ARRAY(SELECT m.user_id FROM duty_member m WHERE m.duty_id = d.id ORDER BY m.position) AS members,
coalesce((
  SELECT jsonb_agg(jsonb_build_object('fromDay', x.from_day, 'toDay', x.to_day, 'userId', x.user_id)
    ORDER BY x.from_day)
  FROM duty_exception x WHERE x.duty_id = d.id
), '[]') AS exceptions,
d.version, d.created_at AS "createTime" FROM duty d JOIN organization o ON o.id = d.organization_id
  WHERE d.id = $1 AND "d"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) FOR UPDATE OF d;

-- listRulesBy
-- answers decidedBy int4, decidedByName text, decidedIn int4 null, filter jsonb
SELECT r.decided_by AS "decidedBy", r.decided_by_name AS "decidedByName", r.decided_in AS "decidedIn", r.filter
FROM notify_rule r WHERE r.id IN (SELECT rule_id FROM notify_rule_target WHERE duty_id = $1)
ORDER BY r.id FOR SHARE;

-- onDutyAt
-- answers id int4, organizationId int4, organizationName text, name text, timeZone text, startsOn text, handoverAt text, lengthHours int4, members _int4, exceptions jsonb, version int4, createTime timestamptz
SELECT
d.id, d.organization_id AS "organizationId", o.name AS "organizationName", d.name, d.time_zone AS "timeZone",
d.starts_on AS "startsOn", d.handover_at AS "handoverAt", d.length_hours AS "lengthHours",
ARRAY(SELECT m.user_id FROM duty_member m WHERE m.duty_id = d.id ORDER BY m.position) AS members,
coalesce((
  SELECT jsonb_agg(jsonb_build_object('fromDay', x.from_day, 'toDay', x.to_day, 'userId', x.user_id)
    ORDER BY x.from_day)
  FROM duty_exception x WHERE x.duty_id = d.id
), '[]') AS exceptions,
d.version, d.created_at AS "createTime" FROM duty d JOIN organization o ON o.id = d.organization_id
  WHERE d.id = ANY($1::int[]);

-- listPersons
-- answers id int4, name text, isEnabled bool, hasContact bool
SELECT u.id, u.user_name AS name, u.is_enabled AS "isEnabled",
  EXISTS (
    SELECT FROM notify_contact k JOIN notify_channel c ON c.id = k.channel_id
    WHERE k.user_id = u.id AND c.is_enabled
  ) AS "hasContact"
FROM app_user u WHERE u.id = ANY($1::int[]);

-- listReachable
-- answers id int4, name text, isEnabled bool, hasContact bool
SELECT u.id, u.user_name AS name, u.is_enabled AS "isEnabled",
    EXISTS (
      SELECT FROM notify_contact k JOIN notify_channel c ON c.id = k.channel_id
      WHERE k.user_id = u.id AND c.is_enabled
    ) AS "hasContact"
  FROM app_user u
  WHERE u.is_enabled AND u.maker_id IS NULL AND "u"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  ORDER BY u.user_name, u.id LIMIT $2;

-- writeTurns
DELETE FROM duty_member WHERE duty_id = $1;

-- writeTurns
DELETE FROM duty_exception WHERE duty_id = $1;

-- writeTurns
INSERT INTO duty_member (duty_id, position, user_id)
SELECT $1, m.position - 1, m.user_id
FROM unnest($2::int[]) WITH ORDINALITY AS m (user_id, position);
