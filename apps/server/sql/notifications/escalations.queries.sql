-- Written by `npm run docs:sql`.

-- lockRunning
-- answers id int8, ruleId int4, organizationId int4, episodeId int8, beganAt timestamptz, chain jsonb, turn int4
SELECT
x.id, x.rule_id AS "ruleId", r.organization_id AS "organizationId", x.episode_id AS "episodeId",
x.began_at AS "beganAt", x.chain, x.turn FROM notify_escalation x JOIN notify_rule r ON r.id = x.rule_id
  WHERE x.id = ANY($1::int8[]) AND x.ended_at IS NULL ORDER BY x.id FOR UPDATE OF x;

-- lockRunningOf
-- answers id int8, ruleId int4, organizationId int4, episodeId int8, beganAt timestamptz, chain jsonb, turn int4
SELECT
x.id, x.rule_id AS "ruleId", r.organization_id AS "organizationId", x.episode_id AS "episodeId",
x.began_at AS "beganAt", x.chain, x.turn FROM notify_escalation x JOIN notify_rule r ON r.id = x.rule_id
  WHERE x.ended_at IS NULL AND x.id > $1::int8
    AND ($2::int8[] IS NULL OR x.episode_id = ANY($3::int8[]))
  ORDER BY x.id LIMIT $4 FOR UPDATE OF x;

-- endRuns
WITH over AS (
  UPDATE notify_escalation x SET ended_at = $1, end_reason = m.reason, next_at = NULL
  FROM unnest($2::int8[], $3::text[]) AS m (id, reason)
  WHERE x.id = m.id
  RETURNING x.rule_id, x.episode_id
)
DELETE FROM notify_item i USING over
WHERE i.subject_id = over.episode_id AND i.rule_id = over.rule_id AND i.event = 'escalated'
  AND i.delivery_id IS NULL;

-- stopRuns
UPDATE notify_escalation SET ended_at = now(), end_reason = 'stopped', next_at = NULL
WHERE rule_id = $1 AND ended_at IS NULL;

-- writeTurns
UPDATE notify_escalation x SET turn = m.turn, next_at = m.next_at
FROM unnest(
  $1::int8[], $2::int[],
  $3::timestamptz[]
) AS m (id, turn, next_at)
WHERE x.id = m.id;

-- insertEscalated
INSERT INTO notify_item (rule_id, channel_id, subject_id, event, turn, unless, user_id, user_name, level, what,
    device_id, device_code, device_name, place, at, due_at, is_open)
  SELECT $1, v.channel_id, s.episode_id, 'escalated',
    floor(extract(epoch FROM x.began_at) * 1000)::bigint + $2, $3, v.user_id, v.user_name,
    e.alarm_level, concat_ws(' · ', coalesce(e.name, s.semaphore_code), (
SELECT string_agg(
  CASE WHEN length(f.name) > length(e.name) AND right(f.name, length(e.name)) = e.name
    THEN left(f.name, -length(e.name))
      || CASE WHEN left(f.name, -length(e.name)) LIKE '%号' THEN coalesce(substring(e.name FROM '^(?:充电)?(仓|模块|风扇|风机)'), '') ELSE '' END
    ELSE f.name END,
  '、' ORDER BY f.bit_position)
FROM semaphore_definition f
WHERE f.entry_id = e.id AND f.equip_classify = t.classify AND CASE e.analysis_type
  WHEN 'BIT' THEN f.bit_position < 63 AND (s.value >> least(f.bit_position, 62)::int) & 1 = 1
  WHEN 'VALUE' THEN f.bit_position = s.value
END)), d.id, d.code,
    d.name, concat_ws(' ', r.full_name, d.address), s.occurred_at,
    CASE WHEN e.alarm_level = 1 THEN $4::timestamptz ELSE $5::timestamptz END, true
  FROM alarm_state s
  JOIN notify_escalation x ON x.episode_id = s.episode_id AND x.rule_id = $6
JOIN device d ON d.id = s.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
  CROSS JOIN
unnest(
  $7::int[], $8::int[],
  $9::text[]
) AS v (channel_id, user_id, user_name)
  WHERE s.episode_id = ANY($10::int8[]) AND s.is_active
  ON CONFLICT DO NOTHING;

-- forgetAcknowledged
DELETE FROM notify_item WHERE subject_id = ANY($1::int8[]) AND event = 'escalated'
AND unless = 'acknowledged' AND delivery_id IS NULL;

-- 
DELETE FROM notify_escalation WHERE id IN (
SELECT id FROM notify_escalation WHERE ended_at < $1 LIMIT $2);
