-- Written by `npm run docs:sql`.

-- listRulePairs
-- answers ruleId int4, channelId int4, events _text, alarmLevels _int4, filter jsonb, groupWaitS int4, quietFrom text null, quietTo text null, enabledAt timestamptz, ruleBy int4, ruleByName text, ruleIn int4 null, channelBy int4, channelByName text, channelIn int4 null
SELECT r.id AS "ruleId", c.id AS "channelId", r.events, r.alarm_levels AS "alarmLevels", r.filter,
  r.group_wait_s AS "groupWaitS", r.quiet_from AS "quietFrom", r.quiet_to AS "quietTo",
  r.enabled_at AS "enabledAt",
  r.decided_by AS "ruleBy", r.decided_by_name AS "ruleByName", r.decided_in AS "ruleIn",
  c.decided_by AS "channelBy", c.decided_by_name AS "channelByName", c.decided_in AS "channelIn"
FROM notify_rule r JOIN notify_rule_channel rc ON rc.rule_id = r.id JOIN notify_channel c ON c.id = rc.channel_id
WHERE r.is_enabled AND c.is_enabled
ORDER BY r.id, c.id;

-- insertRaised
-- answers found int4
WITH found AS MATERIALIZED (
    SELECT s.episode_id, s.device_id, s.semaphore_code, s.value, s.occurred_at FROM alarm_state s
    WHERE s.is_active AND (s.occurred_at > $1 OR s.episode_id IN (
      SELECT c.episode_id FROM alarm_shelf_cover c WHERE c.until > $2 AND c.until <= now())) AND s.is_active AND operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND NOT (operator_id = ANY($7::int[]) AND model_id = ANY($8::int[]) AND region_id = ANY($9::int[]) AND semaphore_code = ANY($10::text[]) AND semaphore_code <> ALL($11::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $12::int[], $13::timestamptz[],
  $14::int[], $15::text[],
  $16::bigint[], $17::bigint[],
  $18::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($19::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END)
      AND NOT EXISTS (
        SELECT FROM notify_item i
        WHERE i.episode_id = s.episode_id AND i.rule_id = $20 AND i.channel_id = $21
          AND i.event = 'raised')
    LIMIT $22
  ), written AS (
    INSERT INTO notify_item (rule_id, channel_id, episode_id, event, level, what, device_id, device_code, device_name,
      place, at, due_at, is_open)
    SELECT $23, $24, s.episode_id, 'raised', e.alarm_level,
      concat_ws(' · ', coalesce(e.name, s.semaphore_code), (
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
END)), d.id, d.code, d.name,
      concat_ws(' ', r.full_name, d.address), s.occurred_at,
      CASE WHEN e.alarm_level = 1 THEN $25::timestamptz ELSE $26::timestamptz END, true
    FROM found s
JOIN device d ON d.id = s.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
    ON CONFLICT DO NOTHING
  )
  SELECT count(*)::int AS found FROM found;

-- settleRecovered
-- answers count int4, channelIds _int4
WITH over AS MATERIALIZED (
  SELECT i.id, i.delivery_id, s.recovered_at FROM notify_item i
  LEFT JOIN alarm_state s ON s.episode_id = i.episode_id
  WHERE i.is_open AND ($1::int8[] IS NULL OR i.episode_id = ANY($2::int8[]))
    AND s.is_active IS NOT TRUE
  ORDER BY i.id LIMIT $3 FOR UPDATE OF i
), forgotten AS (
  DELETE FROM notify_item i USING over WHERE i.id = over.id AND over.delivery_id IS NULL
), closed AS (
  UPDATE notify_item i SET is_open = false FROM over
  WHERE i.id = over.id AND over.delivery_id IS NOT NULL
  RETURNING i.*, over.recovered_at
), written AS (
  INSERT INTO notify_item (rule_id, channel_id, episode_id, event, level, what, device_id, device_code, device_name,
    place, at, due_at, is_open)
  SELECT c.rule_id, c.channel_id, c.episode_id, 'recovered', c.level, c.what, c.device_id, c.device_code,
    c.device_name, c.place, coalesce(c.recovered_at, now()), now() + r.group_wait_s * interval '1 s', false
  FROM closed c JOIN notify_rule r ON r.id = c.rule_id
  WHERE r.is_enabled AND 'recovered' = ANY(r.events)
  ON CONFLICT DO NOTHING
  RETURNING channel_id
)
SELECT (SELECT count(*)::int FROM over) AS count,
  ARRAY(SELECT DISTINCT channel_id FROM written ORDER BY channel_id) AS "channelIds";

-- scheduleChannels
UPDATE notify_channel c SET next_at = least(c.next_at, w.due_at)
FROM (
  SELECT i.channel_id, min(i.due_at) AS due_at FROM notify_item i
  WHERE i.channel_id = ANY($1::int[]) AND i.delivery_id IS NULL
  GROUP BY i.channel_id
) w
WHERE c.id = w.channel_id AND c.is_enabled AND (c.next_at IS NULL OR w.due_at < c.next_at);
