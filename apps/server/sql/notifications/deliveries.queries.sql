-- Written by `npm run docs:sql`.

-- listDeliveries
-- answers id int8, channelId int4 null, channelName text, kind text, userNames _text, ruleNames _text, state text, title text, alarmCount int4, attempts int4, providerCode text null, providerMessage text null, createTime timestamptz, sentTime timestamptz null, nextTime timestamptz null, passedTo _text, isFallback bool
SELECT y.id, y.channel_id AS "channelId", y.channel_name AS "channelName", y.kind, y.user_names AS "userNames",
    y.rule_names AS "ruleNames",
    y.state, CASE WHEN y.alarm_count = 1 AND coalesce(y.message #>> '{entries,0,deviceCode}', '') <> '' AND NOT EXISTS (
      SELECT FROM device d WHERE d.code = y.message #>> '{entries,0,deviceCode}' AND ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[]))
    ) THEN NULL ELSE y.title END AS title, y.alarm_count AS "alarmCount", y.attempts, y.provider_code AS "providerCode",
    y.provider_message AS "providerMessage", y.created_at AS "createTime", y.sent_at AS "sentTime",
    y.retry_at AS "nextTime", y.passed_to AS "passedTo",
    EXISTS (SELECT FROM notify_item i WHERE i.delivery_id = y.id AND i.is_fallback) AS "isFallback"
  FROM notify_delivery y WHERE (y.decided_by <> '{}' AND y.decided_in <> '{}' AND (
  y.decided_by <@ ARRAY[$4]::int[]
  OR (NOT EXISTS (
SELECT FROM user_authority WHERE user_id = ANY($5::int[])
  AND ($6::text IS NULL OR authority_type = $7))
    AND y.decided_in <@ ARRAY(
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $8::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)))) AND y.channel_id = $9 AND y.state = $10
  ORDER BY y.id DESC LIMIT $11 OFFSET $12;
