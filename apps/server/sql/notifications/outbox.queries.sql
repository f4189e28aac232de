-- Written by `npm run docs:sql`.

-- readDueChannel
-- answers id int4, organizationId int4, kind text, name text, address text, secret text null, settings jsonb null, language text, isEnabled bool, rateKey text null, busyUntil timestamptz, pausedUntil timestamptz, now timestamptz
SELECT c.id, c.organization_id AS "organizationId", c.kind, c.name, c.address, c.secret, c.settings, c.language,
  c.is_enabled AS "isEnabled", c.rate_key AS "rateKey",
  CASE WHEN c.busy_until > now() THEN c.busy_until END AS "busyUntil",
  CASE WHEN c.paused_until > now() THEN c.paused_until END AS "pausedUntil", now() AS now
FROM notify_channel c WHERE c.id = $1 FOR UPDATE;

-- readOpenDelivery
-- answers id int8, message jsonb, attempts int4, retryAt timestamptz null, code text null, userIds _int4, hasCritical bool
SELECT d.id, d.message, d.attempts, d.retry_at AS "retryAt", d.provider_code AS code, d.user_ids AS "userIds",
  EXISTS (SELECT FROM notify_item i WHERE i.delivery_id = d.id AND i.event <> 'recovered' AND i.level = 1)
    AS "hasCritical"
FROM notify_delivery d WHERE d.channel_id = $1 AND d.state IN ('sending', 'retrying')
ORDER BY d.retry_at NULLS FIRST, d.id LIMIT 1;

-- listRulesOf
-- answers kind text, ruleId int4, ruleName text, filter jsonb, ruleBy int4, ruleByName text, ruleIn int4 null, channelBy int4, channelByName text, channelIn int4 null, userId int4 null, userName text null, runBy int4 null, runByName text null, runIn int4 null
SELECT DISTINCT i.subject_kind AS kind, r.id AS "ruleId", r.name AS "ruleName", r.filter, r.decided_by AS "ruleBy",
  r.decided_by_name AS "ruleByName", r.decided_in AS "ruleIn", c.decided_by AS "channelBy",
  c.decided_by_name AS "channelByName", c.decided_in AS "channelIn", i.user_id AS "userId",
  i.user_name AS "userName", x.decided_by AS "runBy", x.decided_by_name AS "runByName", x.decided_in AS "runIn"
FROM notify_item i
JOIN notify_rule r ON r.id = i.rule_id
JOIN notify_channel c ON c.id = $1
LEFT JOIN notify_escalation x ON x.rule_id = i.rule_id AND x.episode_id = i.subject_id AND i.event = 'escalated'
WHERE i.channel_id = $2 AND i.delivery_id IS NULL AND i.over_at IS NULL AND i.due_at <= now()
    AND i.user_id IS NOT DISTINCT FROM $3::int
ORDER BY r.id;

-- listEscalated
-- answers id int8
SELECT DISTINCT i.subject_id AS id FROM notify_item i
WHERE i.channel_id = $1 AND i.delivery_id IS NULL AND i.over_at IS NULL AND i.due_at <= now()
    AND i.user_id IS NOT DISTINCT FROM $2::int AND i.event = 'escalated';

-- forgetEnded
DELETE FROM notify_item i WHERE i.channel_id = $1 AND i.delivery_id IS NULL AND i.over_at IS NULL AND i.due_at <= now()
  AND i.user_id IS NOT DISTINCT FROM $2::int AND i.event = 'escalated'
AND NOT EXISTS (SELECT FROM notify_escalation x WHERE x.rule_id = i.rule_id AND x.episode_id = i.subject_id AND i.event = 'escalated' AND x.ended_at IS NULL);

-- forgetRuleless
DELETE FROM notify_item i WHERE i.channel_id = $1 AND i.delivery_id IS NULL AND i.over_at IS NULL AND i.due_at <= now()
AND i.user_id IS NOT DISTINCT FROM $2::int AND i.rule_id IS NULL;

-- forgetBeyond
DELETE FROM notify_item i WHERE i.channel_id = $1 AND i.delivery_id IS NULL AND i.over_at IS NULL AND i.due_at <= now()
      AND i.user_id IS NOT DISTINCT FROM $2::int AND EXISTS (
SELECT FROM unnest(
  $3::text[], $4::int[],
  $5::int[], $6::int[],
  $7::int[]
) AS p (kind, rule_id, user_id, run_by, run_in)
WHERE p.kind = i.subject_kind AND p.rule_id = i.rule_id AND p.user_id = coalesce(i.user_id, 0)
  AND (p.run_by IS NULL OR EXISTS (
    SELECT FROM notify_escalation x
    WHERE x.rule_id = i.rule_id AND x.episode_id = i.subject_id AND i.event = 'escalated' AND x.decided_by = p.run_by AND x.decided_in IS NOT DISTINCT FROM p.run_in))) AND NOT CASE i.subject_kind
WHEN 'upgrade' THEN EXISTS (
  SELECT FROM upgrade_target t JOIN device d ON d.id = t.device_id
  WHERE t.task_id = i.subject_id AND ("d"."operator_id" = ANY($8::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($9::int[])) AND "d"."region_id" = ANY($10::int[])))
WHEN 'batch' THEN EXISTS (
  SELECT FROM parameter_target t JOIN device d ON d.id = t.device_id
  WHERE t.batch_id = i.subject_id AND ("d"."operator_id" = ANY($11::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($12::int[])) AND "d"."region_id" = ANY($13::int[])))
ELSE EXISTS (SELECT FROM device d WHERE d.id = i.device_id AND ("d"."operator_id" = ANY($14::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($15::int[])) AND "d"."region_id" = ANY($16::int[]))) END;

-- recountTasks
DELETE FROM notify_item i WHERE i.channel_id = $1 AND i.delivery_id IS NULL AND i.over_at IS NULL AND i.due_at <= now()
      AND i.user_id IS NOT DISTINCT FROM $2::int AND EXISTS (
SELECT FROM unnest(
  $3::text[], $4::int[],
  $5::int[], $6::int[],
  $7::int[]
) AS p (kind, rule_id, user_id, run_by, run_in)
WHERE p.kind = i.subject_kind AND p.rule_id = i.rule_id AND p.user_id = coalesce(i.user_id, 0)
  AND (p.run_by IS NULL OR EXISTS (
    SELECT FROM notify_escalation x
    WHERE x.rule_id = i.rule_id AND x.episode_id = i.subject_id AND i.event = 'escalated' AND x.decided_by = p.run_by AND x.decided_in IS NOT DISTINCT FROM p.run_in))) AND (
SELECT count(*) FROM device d
WHERE d.id IN (SELECT x.device_id FROM upgrade_target x WHERE x.task_id = i.subject_id) AND ("d"."operator_id" = ANY($8::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($9::int[])) AND "d"."region_id" = ANY($10::int[])) AND d.id IN (
SELECT id FROM device
WHERE ($11::int[] IS NULL OR operator_id = ANY($12::int[]))
  AND ($13::int[] IS NULL OR model_id = ANY($14::int[]))
  AND ($15::int[] IS NULL OR region_id = ANY($16::int[]))
  AND ($17::int[] IS NULL OR id = ANY($18::int[])))) = 0;

-- recountTasks
UPDATE notify_item x SET value = n.count, delivery_id = NULL,
    what = regexp_replace(x.what, '^(.*)（' || x.value || ' 台）', '\1（' || n.count || ' 台）')
  FROM (SELECT i.id, (
SELECT count(*) FROM device d
WHERE d.id IN (SELECT x.device_id FROM upgrade_target x WHERE x.task_id = i.subject_id) AND ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[])) AND d.id IN (
SELECT id FROM device
WHERE ($4::int[] IS NULL OR operator_id = ANY($5::int[]))
  AND ($6::int[] IS NULL OR model_id = ANY($7::int[]))
  AND ($8::int[] IS NULL OR region_id = ANY($9::int[]))
  AND ($10::int[] IS NULL OR id = ANY($11::int[])))) AS count FROM notify_item i WHERE i.channel_id = $12 AND i.delivery_id IS NULL AND i.over_at IS NULL AND i.due_at <= now()
      AND i.user_id IS NOT DISTINCT FROM $13::int AND EXISTS (
SELECT FROM unnest(
  $14::text[], $15::int[],
  $16::int[], $17::int[],
  $18::int[]
) AS p (kind, rule_id, user_id, run_by, run_in)
WHERE p.kind = i.subject_kind AND p.rule_id = i.rule_id AND p.user_id = coalesce(i.user_id, 0)
  AND (p.run_by IS NULL OR EXISTS (
    SELECT FROM notify_escalation x
    WHERE x.rule_id = i.rule_id AND x.episode_id = i.subject_id AND i.event = 'escalated' AND x.decided_by = p.run_by AND x.decided_in IS NOT DISTINCT FROM p.run_in)))) n
  WHERE x.id = n.id AND x.value <> n.count;

-- forgetQuiet
DELETE FROM notify_item i WHERE i.channel_id = $1 AND i.delivery_id IS NULL AND i.over_at IS NULL AND i.due_at <= now()
       AND i.event IN ('raised', 'levelRaised', 'returned', 'escalated')
    AND i.subject_id IN (SELECT episode_id FROM alarm_state WHERE is_active AND ((operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]) AND semaphore_code = ANY($5::text[]) AND semaphore_code <> ALL($6::text[])) OR (device_id = ANY($7::int[])
    AND EXISTS (SELECT FROM
unnest(
  $8::int[], $9::timestamptz[],
  $10::int[], $11::text[],
  $12::bigint[], $13::bigint[],
  $14::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($15::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))));

-- takeApart
-- answers ?column? int4
UPDATE notify_delivery y SET state = 'givenUp', retry_at = NULL, provider_code = 'SCOPE', provider_message = $1
WHERE y.id = $2
  AND y.alarm_count > (
    SELECT count(DISTINCT (i.subject_kind, i.subject_id)) FROM notify_item i
    WHERE i.delivery_id = y.id AND i.event <> 'repeated')
RETURNING 1;

-- takeApart
DELETE FROM notify_item WHERE delivery_id = $1 AND event = 'repeated';

-- takeApart
UPDATE notify_item SET delivery_id = NULL WHERE delivery_id = $1;

-- listWaiting
-- answers id int8, ruleId int4 null, userId int4 null, userName text null, kind text, subjectId int8, repeats int4, event text, level int4 null, what text, deviceCode text, deviceName text null, place text, at timestamptz
SELECT i.id, i.rule_id AS "ruleId", i.user_id AS "userId", i.user_name AS "userName", i.subject_kind AS kind, i.subject_id AS "subjectId", i.repeats, i.event, i.level, i.what,
  i.device_code AS "deviceCode", i.device_name AS "deviceName", i.place, i.at
FROM notify_item i
WHERE i.channel_id = $1 AND i.delivery_id IS NULL AND i.over_at IS NULL AND i.due_at <= now()
     AND (NOT $2 OR (i.event <> 'recovered' AND i.level = 1))
ORDER BY i.event = 'recovered', i.subject_kind <> 'alarm', i.level NULLS LAST, i.at DESC, i.id DESC LIMIT $3;

-- insertDelivery
-- answers id int8
INSERT INTO notify_delivery (channel_id, channel_name, kind, rule_names, decided_by, decided_in, state, title,
  message, alarm_count, attempts, user_ids, user_names)
VALUES ($1, $2, $3, $4::text[],
  $5::int[], $6::int[], 'sending', $7,
  $8::jsonb, $9, 1,
  $10::int[], $11::text[])
RETURNING id;

-- insertDelivery
UPDATE notify_item SET delivery_id = $1 WHERE id = ANY($2::int8[]);

-- beginAttempt
UPDATE notify_delivery SET state = 'sending', retry_at = NULL, attempts = attempts + 1
WHERE id = $1;

-- occupyChannel
UPDATE notify_channel SET busy_until = clock_timestamp() + $1 * interval '1 ms',
  next_at = clock_timestamp() + $2 * interval '1 ms'
WHERE id = $3;

-- rescheduleChannel
UPDATE notify_channel SET next_at = $1 WHERE id = $2;

-- readNextDue
-- answers at timestamptz
SELECT least(
  (SELECT min(coalesce(d.retry_at, now())) FROM notify_delivery d
    WHERE d.channel_id = $1 AND d.state IN ('sending', 'retrying')),
  (SELECT min(i.due_at) FROM notify_item i
    WHERE i.channel_id = $2 AND i.delivery_id IS NULL AND i.over_at IS NULL)
) AS at;

-- writeResult
UPDATE notify_delivery SET state = $1, retry_at = $2, provider_code = $3,
  provider_message = $4, sent_at = CASE WHEN $5 THEN now() END
WHERE id = $6;

-- writeResult
UPDATE notify_channel SET busy_until = NULL,
  last_delivered_at = CASE WHEN $1 THEN now() ELSE last_delivered_at END,
  last_error = $2,
  paused_until = CASE WHEN $3 > 0 THEN now() + $4 * interval '1 ms' END
WHERE id = $5;

-- readFailing
-- answers isCritical bool, hasOther bool
SELECT coalesce(bool_or(i.event <> 'recovered' AND i.level = 1), false) AS "isCritical",
    coalesce(bool_or(EXISTS (
SELECT 1 AS rank, c.id, i.user_id, i.user_name FROM (
  SELECT k.channel_id FROM notify_contact k
  JOIN app_user u ON u.id = k.user_id
  JOIN notify_channel c ON c.id = k.channel_id
  WHERE k.user_id = i.user_id AND u.is_enabled AND c.is_enabled AND NOT EXISTS (
    SELECT FROM notify_item x
    WHERE x.subject_id = i.subject_id AND x.rule_id = i.rule_id AND x.channel_id = k.channel_id
      AND x.event = i.event AND x.turn = i.turn AND x.user_id = i.user_id)
  ORDER BY k.channel_id LIMIT 1
) own JOIN notify_channel c ON c.id = own.channel_id
UNION ALL
SELECT 2, c.id, NULL, NULL FROM notify_rule_target t JOIN notify_channel c ON c.id = t.channel_id
WHERE t.rule_id = i.rule_id AND t.step = -1 AND c.is_enabled AND c.id <> i.channel_id
  AND NOT i.is_fallback)), false) AS "hasOther"
  FROM notify_item i WHERE i.delivery_id = $1;

-- listQuietHours
-- answers ruleId int4, from text null, to text null
SELECT DISTINCT r.id AS "ruleId", r.quiet_from AS from, r.quiet_to AS to
FROM notify_item i JOIN notify_rule r ON r.id = i.rule_id
WHERE i.delivery_id = $1 AND r.is_enabled;

-- passOn
-- answers id int4
WITH failed AS MATERIALIZED (
    SELECT i.* FROM notify_item i
    WHERE i.delivery_id = $1 AND (i.is_open OR i.event NOT IN ('raised', 'deviceOffline'))
      AND i.event <> 'repeated' AND (i.user_id IS NULL OR NOT EXISTS (
      SELECT FROM notify_item x JOIN notify_delivery y ON y.id = x.delivery_id
      WHERE x.subject_id = i.subject_id AND x.rule_id = i.rule_id AND x.event = i.event AND x.turn = i.turn
        AND x.user_id = i.user_id AND y.state = 'delivered'))
  ), passed AS (
    INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, turn, unless, level, what,
      device_id, device_code, device_name, place, at, subject_kind, code, value, repeats, due_at, is_open, is_fallback)
    SELECT i.rule_id, o.id, o.user_id, o.user_name, i.subject_id, i.event, i.turn, i.unless, i.level, i.what,
      i.device_id, i.device_code, i.device_name, i.place, i.at, i.subject_kind, i.code, i.value, i.repeats,
      CASE WHEN i.level = 1 AND i.event <> 'recovered' THEN now() ELSE w.due_at END, i.is_open, true
    FROM failed i
    JOIN unnest($2::int[], $3::timestamptz[]) AS w (rule_id, due_at)
      ON w.rule_id = i.rule_id
    CROSS JOIN LATERAL (
SELECT 1 AS rank, c.id, i.user_id, i.user_name FROM (
  SELECT k.channel_id FROM notify_contact k
  JOIN app_user u ON u.id = k.user_id
  JOIN notify_channel c ON c.id = k.channel_id
  WHERE k.user_id = i.user_id AND u.is_enabled AND c.is_enabled AND NOT EXISTS (
    SELECT FROM notify_item x
    WHERE x.subject_id = i.subject_id AND x.rule_id = i.rule_id AND x.channel_id = k.channel_id
      AND x.event = i.event AND x.turn = i.turn AND x.user_id = i.user_id)
  ORDER BY k.channel_id LIMIT 1
) own JOIN notify_channel c ON c.id = own.channel_id
UNION ALL
SELECT 2, c.id, NULL, NULL FROM notify_rule_target t JOIN notify_channel c ON c.id = t.channel_id
WHERE t.rule_id = i.rule_id AND t.step = -1 AND c.is_enabled AND c.id <> i.channel_id
  AND NOT i.is_fallback ORDER BY rank LIMIT 1) o
    WHERE i.event NOT IN ('recovered', 'deviceOnline') OR EXISTS (
      SELECT FROM notify_item x WHERE x.subject_id = i.subject_id AND x.rule_id = i.rule_id AND x.channel_id = o.id
        AND x.event IN ('raised', 'repeated', 'deviceOffline'))
    ON CONFLICT DO NOTHING
    RETURNING channel_id
  ), named AS (
    SELECT c.id, c.name FROM notify_channel c WHERE c.id IN (SELECT channel_id FROM passed)
  ), kept AS (
    UPDATE notify_delivery SET passed_to = ARRAY(SELECT name FROM named ORDER BY id)
    WHERE id = $4 AND EXISTS (SELECT FROM named)
  )
  SELECT id FROM named ORDER BY id;

-- 
DELETE FROM notify_delivery WHERE id IN (
SELECT id FROM notify_delivery WHERE created_at < $1 AND state IN ('delivered', 'givenUp') LIMIT $2);
