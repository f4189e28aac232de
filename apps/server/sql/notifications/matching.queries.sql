-- Written by `npm run docs:sql`.

-- listEnabledRules
-- answers ruleId int4, organizationId int4, events _text, alarmLevels _int4, filter jsonb, steps jsonb, repeatS int4, groupWaitS int4, quietFrom text null, quietTo text null, enabledAt timestamptz, ruleBy int4, ruleByName text, ruleIn int4 null
SELECT r.id AS "ruleId", r.organization_id AS "organizationId", r.events, r.alarm_levels AS "alarmLevels", r.filter,
  r.steps, r.repeat_s AS "repeatS", r.group_wait_s AS "groupWaitS", r.quiet_from AS "quietFrom",
  r.quiet_to AS "quietTo", r.enabled_at AS "enabledAt", r.decided_by AS "ruleBy",
  r.decided_by_name AS "ruleByName", r.decided_in AS "ruleIn"
FROM notify_rule r WHERE r.is_enabled ORDER BY r.id;

-- listUntold
-- answers id int8 null
SELECT s.episode_id AS id FROM alarm_state s
  WHERE s.is_active AND operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND NOT (operator_id = ANY($5::int[]) AND model_id = ANY($6::int[]) AND region_id = ANY($7::int[]) AND semaphore_code = ANY($8::text[]) AND semaphore_code <> ALL($9::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $10::int[], $11::timestamptz[],
  $12::int[], $13::text[],
  $14::bigint[], $15::bigint[],
  $16::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($17::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END)
    AND (s.occurred_at > $18 OR s.episode_id IN (
      SELECT c.episode_id FROM alarm_shelf_cover c WHERE c.until > $19 AND c.until <= now()))
    AND NOT EXISTS (
      SELECT FROM notify_item i WHERE i.subject_id = s.episode_id AND i.rule_id = $20 AND i.event = 'raised')
    AND NOT EXISTS (
      SELECT FROM notify_escalation x WHERE x.episode_id = s.episode_id AND x.rule_id = $21)
  ORDER BY s.episode_id LIMIT $22;

-- insertRaised
-- answers found int4
WITH found AS MATERIALIZED (
    SELECT s.episode_id, s.device_id, s.semaphore_code, s.value, s.occurred_at FROM alarm_state s
    WHERE s.episode_id = ANY($1::int8[]) AND s.is_active AND operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]) AND semaphore_code = ANY($5::text[]) AND NOT (operator_id = ANY($6::int[]) AND model_id = ANY($7::int[]) AND region_id = ANY($8::int[]) AND semaphore_code = ANY($9::text[]) AND semaphore_code <> ALL($10::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $11::int[], $12::timestamptz[],
  $13::int[], $14::text[],
  $15::bigint[], $16::bigint[],
  $17::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($18::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END)
      AND NOT EXISTS (
        SELECT FROM notify_item i
        WHERE i.subject_id = s.episode_id AND i.rule_id = $19 AND i.event = 'raised'
          AND (i.created_at < $20
            OR (i.channel_id = $21 AND coalesce(i.user_id, 0) = coalesce($22::int, 0))))
      AND NOT EXISTS (
        SELECT FROM notify_escalation x
        WHERE x.episode_id = s.episode_id AND x.rule_id = $23 AND x.began_at < $24)
  ), written AS (
    INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, level, what, device_id,
      device_code, device_name, place, at, created_at, due_at, is_open)
    SELECT $25, $26, $27, $28, s.episode_id, 'raised', e.alarm_level,
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
      concat_ws(' ', r.full_name, d.address), s.occurred_at, $29,
      CASE WHEN e.alarm_level = 1 THEN $30::timestamptz ELSE $31::timestamptz END, true
    FROM found s
JOIN device d ON d.id = s.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
    ORDER BY s.episode_id
    ON CONFLICT DO NOTHING
  )
  SELECT count(*)::int AS found FROM found;

-- insertRuns
-- answers ?column? int4
INSERT INTO notify_escalation (rule_id, episode_id, began_at, chain, decided_by, decided_by_name, decided_in, next_at)
  SELECT $1, s.episode_id, $2, $3::jsonb, $4, $5, $6, $7
  FROM alarm_state s
  WHERE s.episode_id = ANY($8::int8[]) AND s.is_active AND operator_id = ANY($9::int[]) AND model_id = ANY($10::int[]) AND region_id = ANY($11::int[]) AND semaphore_code = ANY($12::text[]) AND NOT (operator_id = ANY($13::int[]) AND model_id = ANY($14::int[]) AND region_id = ANY($15::int[]) AND semaphore_code = ANY($16::text[]) AND semaphore_code <> ALL($17::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $18::int[], $19::timestamptz[],
  $20::int[], $21::text[],
  $22::bigint[], $23::bigint[],
  $24::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($25::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END)
    AND NOT EXISTS (
      SELECT FROM notify_escalation x WHERE x.episode_id = s.episode_id AND x.rule_id = $26)
    AND NOT EXISTS (
      SELECT FROM notify_item i
      WHERE i.subject_id = s.episode_id AND i.rule_id = $27 AND i.event = 'raised')
  ORDER BY s.episode_id
  ON CONFLICT DO NOTHING
  RETURNING 1;

-- settleRecovered
-- answers count int4, channelIds _int4
WITH over AS MATERIALIZED (
  SELECT i.id, i.delivery_id, s.recovered_at FROM notify_item i
  LEFT JOIN alarm_state s ON s.episode_id = i.subject_id
  WHERE i.is_open AND ($1::int8[] IS NULL OR i.subject_id = ANY($2::int8[]))
    AND s.is_active IS NOT TRUE
  ORDER BY i.id LIMIT $3 FOR UPDATE OF i
), forgotten AS (
  DELETE FROM notify_item i USING over WHERE i.id = over.id AND over.delivery_id IS NULL
), closed AS (
  UPDATE notify_item i SET is_open = false FROM over
  WHERE i.id = over.id AND over.delivery_id IS NOT NULL
  RETURNING i.*, over.recovered_at
), written AS (
  INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, level, what, device_id,
    device_code, device_name, place, at, due_at, is_open)
  SELECT c.rule_id, c.channel_id, c.user_id, c.user_name, c.subject_id, 'recovered', c.level, c.what, c.device_id, c.device_code,
    c.device_name, c.place, coalesce(c.recovered_at, now()), now() + r.group_wait_s * interval '1 s', false
  FROM closed c JOIN notify_rule r ON r.id = c.rule_id
  WHERE r.is_enabled AND 'recovered' = ANY(r.events) AND NOT EXISTS (
    SELECT FROM notify_delivery y WHERE y.id = c.delivery_id AND y.state = 'givenUp')
  ON CONFLICT DO NOTHING
  RETURNING channel_id
)
SELECT (SELECT count(*)::int FROM over) AS count,
  ARRAY(SELECT DISTINCT channel_id FROM written ORDER BY channel_id) AS "channelIds";

-- scheduleChannels
UPDATE notify_channel c SET next_at = least(c.next_at, w.due_at)
FROM (
  SELECT i.channel_id, min(i.due_at) AS due_at FROM notify_item i
  WHERE ($1::int[] IS NULL OR i.channel_id = ANY($2::int[])) AND i.delivery_id IS NULL
  GROUP BY i.channel_id
) w
WHERE c.id = w.channel_id AND c.is_enabled AND (c.next_at IS NULL OR w.due_at < c.next_at);
