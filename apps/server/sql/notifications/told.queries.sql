-- Written by `npm run docs:sql`.

-- listTold
-- answers event text, kind text, channelName text, userName text, state text, attempts int4, providerCode text null, providerMessage text null, createTime timestamptz, sentTime timestamptz null, nextTime timestamptz, isPassedOn bool, isFallback bool
SELECT i.event, coalesce(y.kind, i.kind) AS kind,
    CASE WHEN "i"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN coalesce(y.channel_name, i.name) END AS "channelName",
    CASE WHEN "i"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN i.user_name END AS "userName",
    coalesce(y.state, 'queued') AS state, coalesce(y.attempts, 0) AS attempts,
    y.provider_code AS "providerCode", y.provider_message AS "providerMessage", i.created_at AS "createTime",
    y.sent_at AS "sentTime", coalesce(y.retry_at, CASE WHEN y.id IS NULL THEN i.due_at END) AS "nextTime",
    coalesce(y.passed_to <> '{}', false) AS "isPassedOn", i.is_fallback AS "isFallback"
  FROM (
    SELECT i.*, c.kind, c.name, c.organization_id FROM notify_item i
    LEFT JOIN notify_channel c ON c.id = i.channel_id
    WHERE i.subject_id = $3::int8 AND i.subject_kind = 'alarm'
  ) i
  LEFT JOIN notify_delivery y ON y.id = i.delivery_id
  ORDER BY i.id LIMIT $4;
