-- Written by `npm run docs:sql`.

-- listEnabledRules
-- answers ruleId int4, organizationId int4, events _text, alarmLevels _int4, filter jsonb, steps jsonb, repeatS int4, groupWaitS int4, offlineMinutes int4, quietFrom text null, quietTo text null, enabledAt timestamptz, ruleBy int4, ruleByName text, ruleIn int4 null
SELECT r.id AS "ruleId", r.organization_id AS "organizationId", r.events, r.alarm_levels AS "alarmLevels", r.filter,
  r.steps, r.repeat_s AS "repeatS", r.group_wait_s AS "groupWaitS",
  r.offline_minutes AS "offlineMinutes", r.quiet_from AS "quietFrom",
  r.quiet_to AS "quietTo", r.enabled_at AS "enabledAt", r.decided_by AS "ruleBy",
  r.decided_by_name AS "ruleByName", r.decided_in AS "ruleIn"
FROM notify_rule r WHERE r.is_enabled ORDER BY r.id;

-- readAbout
-- answers organizationIds _int4, operatorIds _int4, equipTypeIds _int4, modelIds _int4, regionCodes _text, codes _text, levels _int4
WITH RECURSIVE looked AS MATERIALIZED (
  SELECT DISTINCT operator_id, model_id, region_id, semaphore_code FROM alarm_state
  WHERE is_active AND episode_id = ANY($1::int8[])
), tree AS (
  SELECT o.id, o.parent_id FROM operator p JOIN organization o ON o.id = p.organization_id
  WHERE p.id IN (SELECT operator_id FROM looked)
  UNION
  SELECT o.id, o.parent_id FROM tree t JOIN organization o ON o.id = t.parent_id
), place AS (
  SELECT r.code, r.parent_id FROM region r WHERE r.id IN (SELECT region_id FROM looked)
  UNION
  SELECT r.code, r.parent_id FROM place p JOIN region r ON r.id = p.parent_id
)
SELECT ARRAY(SELECT id FROM tree) AS "organizationIds",
  ARRAY(SELECT DISTINCT operator_id FROM looked) AS "operatorIds",
  ARRAY(SELECT DISTINCT m.equip_type_id FROM equip_model m WHERE m.id IN (SELECT model_id FROM looked))
    AS "equipTypeIds",
  ARRAY(SELECT DISTINCT model_id FROM looked) AS "modelIds",
  ARRAY(SELECT code FROM place) AS "regionCodes",
  ARRAY(SELECT DISTINCT semaphore_code FROM looked) AS codes,
  ARRAY(
    SELECT DISTINCT e.alarm_level::int FROM dictionary_entry e
    WHERE e.type = 'ALARM' AND e.code IN (SELECT semaphore_code FROM looked) AND e.alarm_level IS NOT NULL
  ) AS levels;

-- listUntold
-- answers id int8 null, operatorId int4, regionId int4, equipTypeId int4
SELECT s.episode_id AS id, s.operator_id AS "operatorId", s.region_id AS "regionId",
    (SELECT m.equip_type_id FROM equip_model m WHERE m.id = s.model_id) AS "equipTypeId"
  FROM alarm_state s
  WHERE s.is_active AND operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND NOT (operator_id = ANY($5::int[]) AND model_id = ANY($6::int[]) AND region_id = ANY($7::int[]) AND semaphore_code = ANY($8::text[]) AND semaphore_code <> ALL($9::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $10::int[], $11::timestamptz[],
  $12::int[], $13::text[],
  $14::bigint[], $15::bigint[],
  $16::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($17::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END) AND (s.occurred_at > $18 OR s.episode_id IN (
      SELECT c.episode_id FROM alarm_shelf_cover c WHERE c.until > $19 AND c.until <= now()))
    AND NOT EXISTS (
SELECT FROM notify_escalation x
WHERE x.episode_id = s.episode_id AND x.rule_id = $20 AND x.end_reason IS DISTINCT FROM 'shelved')
    AND (NOT EXISTS (
SELECT FROM notify_item i
WHERE i.subject_id = s.episode_id AND i.rule_id = $21 AND i.event IN ('raised', 'repeated')
  AND i.subject_kind = 'alarm') OR $22 AND EXISTS (
SELECT FROM notify_escalation x
WHERE x.episode_id = s.episode_id AND x.rule_id = $23 AND x.end_reason = 'shelved'))
  ORDER BY s.episode_id LIMIT $24;

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
        WHERE i.subject_id = s.episode_id AND i.rule_id = $19 AND i.event IN ('raised', 'repeated')
          AND i.subject_kind = 'alarm' AND i.created_at < $20)
      AND NOT EXISTS (
        SELECT FROM notify_escalation x
        WHERE x.episode_id = s.episode_id AND x.rule_id = $21 AND x.began_at < $22
          AND x.end_reason IS DISTINCT FROM 'shelved')
  ), before AS MATERIALIZED (
    SELECT DISTINCT ON (s.episode_id, i.channel_id, coalesce(i.user_id, 0)) s.episode_id, i.channel_id, i.user_id, i.id,
      i.subject_id, i.delivery_id, i.repeats, i.due_at
    FROM found s LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
    JOIN notify_item i ON i.device_id = s.device_id AND i.code = s.semaphore_code AND i.rule_id = $23
    LEFT JOIN notify_delivery y ON y.id = i.delivery_id
    WHERE i.event IN ('raised', 'repeated') AND i.subject_id <> s.episode_id
      AND (i.is_open OR i.over_at > s.occurred_at - $24 * interval '1 ms')
      AND CASE WHEN e.analysis_type = 'VALUE' THEN s.value = i.value ELSE s.value & ~i.value = 0 END
      AND y.state IS DISTINCT FROM 'givenUp'
      AND NOT EXISTS (
        SELECT FROM notify_item x
        WHERE x.subject_id = i.subject_id AND x.rule_id = i.rule_id AND "x"."channel_id" = "i"."channel_id"
  AND coalesce("x"."user_id", 0) = coalesce("i"."user_id", 0)
          AND x.event = 'recovered' AND x.delivery_id IS NOT NULL)
    ORDER BY s.episode_id, i.channel_id, coalesce(i.user_id, 0), i.id DESC
  ), matched AS MATERIALIZED (
    SELECT s.*, v.*, b.id AS before_id, b.subject_id AS before_subject, b.delivery_id AS told_by,
      coalesce(b.repeats, 0) + 1 AS repeats, b.due_at AS before_due
    FROM found s CROSS JOIN
unnest(
  $25::int[], $26::int[],
  $27::text[]
) AS v (channel_id, user_id, user_name)
    LEFT JOIN before b ON b.episode_id = s.episode_id AND "b"."channel_id" = "v"."channel_id"
  AND coalesce("b"."user_id", 0) = coalesce("v"."user_id", 0)
    WHERE NOT EXISTS (
      SELECT FROM notify_item i
      WHERE i.subject_id = s.episode_id AND i.rule_id = $28 AND "i"."channel_id" = "v"."channel_id"
  AND coalesce("i"."user_id", 0) = coalesce("v"."user_id", 0)
        AND i.event IN ('raised', 'repeated') AND i.subject_kind = 'alarm')
  ), ended AS (
    UPDATE notify_item i SET is_open = false, over_at = coalesce(i.over_at, $29)
    FROM matched m WHERE i.id = m.before_id AND m.told_by IS NOT NULL
  ), untold AS (
    DELETE FROM notify_item i USING matched m
    WHERE (i.id = m.before_id AND m.told_by IS NULL)
      OR (i.subject_id = m.before_subject AND i.rule_id = $30 AND "i"."channel_id" = "m"."channel_id"
  AND coalesce("i"."user_id", 0) = coalesce("m"."user_id", 0) AND i.event = 'recovered'
        AND i.delivery_id IS NULL)
  ), written AS (
    INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, level, what, device_id,
      device_code, device_name, place, at, code, value, repeats, delivery_id, created_at, due_at, is_open)
    SELECT $31, s.channel_id, s.user_id, s.user_name, s.episode_id,
      CASE WHEN s.told_by IS NULL THEN 'raised' ELSE 'repeated' END, e.alarm_level,
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
      concat_ws(' ', r.full_name, d.address), s.occurred_at, s.semaphore_code, s.value, s.repeats, s.told_by, $32,
      least(s.before_due,
        CASE WHEN e.alarm_level = 1 THEN $33::timestamptz ELSE $34::timestamptz END),
      true
    FROM matched s
JOIN device d ON d.id = s.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
    ORDER BY s.channel_id, s.user_id NULLS FIRST, s.episode_id
    ON CONFLICT DO NOTHING
  )
  SELECT count(*)::int AS found FROM matched;

-- insertNews
-- answers channelId int4
WITH news AS MATERIALIZED (
    SELECT i.id, i.delivery_id, e.alarm_level AS level, w.due_at,
      CASE WHEN e.analysis_type = 'VALUE' THEN s.value ELSE s.value | i.value END AS known,
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
END)) AS what
    FROM notify_item i
    JOIN
unnest($1::int[], $2::timestamptz[]) AS w (rule_id, due_at) ON w.rule_id = i.rule_id
    JOIN alarm_state s ON s.episode_id = i.subject_id
JOIN device d ON d.id = s.device_id
JOIN operator o ON o.id = d.operator_id
JOIN equip_model m ON m.id = d.model_id
JOIN equip_type t ON t.id = m.equip_type_id
JOIN region r ON r.id = d.region_id
LEFT JOIN device_state ds ON ds.device_id = d.id
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
    WHERE i.is_open AND i.event IN ('raised', 'repeated') AND i.value IS NOT NULL
      AND i.subject_id IN (
SELECT episode_id FROM alarm_state
WHERE is_active AND ($3::int8[] IS NULL OR episode_id = ANY($4::int8[])) AND NOT (operator_id = ANY($5::int[]) AND model_id = ANY($6::int[]) AND region_id = ANY($7::int[]) AND semaphore_code = ANY($8::text[]) AND semaphore_code <> ALL($9::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $10::int[], $11::timestamptz[],
  $12::int[], $13::text[],
  $14::bigint[], $15::bigint[],
  $16::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($17::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))
      AND (coalesce(e.alarm_level, 9) < coalesce(i.level, 9)
        OR CASE WHEN e.analysis_type = 'VALUE' THEN s.value <> i.value ELSE s.value & ~i.value <> 0 END)
    ORDER BY i.id LIMIT $18 FOR UPDATE OF i
  ), known AS (
    UPDATE notify_item i SET value = n.known, level = n.level, what = n.what,
      due_at = CASE WHEN n.level = 1 AND n.delivery_id IS NULL THEN least(i.due_at, $19) ELSE i.due_at END
    FROM news n WHERE i.id = n.id
    RETURNING i.*, n.due_at AS news_due
  ), written AS (
    INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, turn, level, what, device_id,
      device_code, device_name, place, at, due_at, is_open)
    SELECT k.rule_id, k.channel_id, k.user_id, k.user_name, k.subject_id, 'levelRaised', $20::int8,
      k.level, k.what, k.device_id, k.device_code, k.device_name, k.place, $21,
      CASE WHEN k.level = 1 THEN $22::timestamptz ELSE k.news_due END, false
    FROM known k WHERE k.delivery_id IS NOT NULL
    ON CONFLICT DO NOTHING
  )
  SELECT DISTINCT channel_id AS "channelId" FROM known WHERE channel_id IS NOT NULL ORDER BY 1;

-- insertReturned
-- answers channelId int4 null
INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, turn, level, what, device_id,
    device_code, device_name, place, at, due_at, is_open)
  SELECT i.rule_id, i.channel_id, i.user_id, i.user_name, i.subject_id, 'returned',
    floor(extract(epoch FROM c.until) * 1000)::bigint, i.level, i.what, i.device_id, i.device_code, i.device_name,
    i.place, i.at, CASE WHEN i.level = 1 THEN $1::timestamptz ELSE w.due_at END, false
  FROM notify_item i
  JOIN
unnest($2::int[], $3::timestamptz[]) AS w (rule_id, due_at) ON w.rule_id = i.rule_id
  CROSS JOIN LATERAL (
    SELECT max(c.until) AS until FROM alarm_shelf_cover c
    WHERE c.episode_id = i.subject_id AND c.until > i.created_at AND c.until > $4 AND c.until <= now()
  ) c
  WHERE i.is_open AND i.event IN ('raised', 'repeated') AND i.delivery_id IS NOT NULL AND c.until IS NOT NULL
    AND i.subject_id IN (
SELECT episode_id FROM alarm_state
WHERE is_active AND ($5::int8[] IS NULL OR episode_id = ANY($6::int8[])) AND NOT (operator_id = ANY($7::int[]) AND model_id = ANY($8::int[]) AND region_id = ANY($9::int[]) AND semaphore_code = ANY($10::text[]) AND semaphore_code <> ALL($11::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $12::int[], $13::timestamptz[],
  $14::int[], $15::text[],
  $16::bigint[], $17::bigint[],
  $18::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($19::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END))
    AND NOT EXISTS (
      SELECT FROM alarm_handling p WHERE p.episode_id = i.subject_id AND p.acked_at >= c.until)
  ORDER BY i.id
  ON CONFLICT DO NOTHING
  RETURNING channel_id AS "channelId";

-- insertRuns
-- answers ?column? int4
INSERT INTO notify_escalation AS x (rule_id, episode_id, began_at, chain, decided_by, decided_by_name, decided_in, next_at)
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
SELECT FROM notify_escalation x
WHERE x.episode_id = s.episode_id AND x.rule_id = $26 AND x.end_reason IS DISTINCT FROM 'shelved') AND (NOT EXISTS (
SELECT FROM notify_item i
WHERE i.subject_id = s.episode_id AND i.rule_id = $27 AND i.event IN ('raised', 'repeated')
  AND i.subject_kind = 'alarm') OR EXISTS (
SELECT FROM notify_escalation x
WHERE x.episode_id = s.episode_id AND x.rule_id = $28 AND x.end_reason = 'shelved'))
  ORDER BY s.episode_id
  ON CONFLICT (episode_id, rule_id) DO UPDATE
  SET began_at = excluded.began_at, chain = excluded.chain, decided_by = excluded.decided_by,
    decided_by_name = excluded.decided_by_name, decided_in = excluded.decided_in, turn = 0,
    next_at = excluded.next_at, ended_at = NULL, end_reason = NULL
  WHERE x.end_reason = 'shelved'
  RETURNING 1;

-- settleRecovered
-- answers count int4, channelIds _int4
WITH over AS MATERIALIZED (
    SELECT i.id, i.delivery_id, s.recovered_at FROM notify_item i
    LEFT JOIN alarm_state s ON s.episode_id = i.subject_id
    WHERE i.is_open AND i.event IN ('raised', 'repeated', 'escalated')
      AND ($1::int8[] IS NULL OR i.subject_id = ANY($2::int8[])) AND s.is_active IS NOT TRUE
    ORDER BY i.id LIMIT $3 FOR UPDATE OF i
  ), closed AS (
    UPDATE notify_item i SET is_open = false, over_at = coalesce(over.recovered_at, $4) FROM over
    WHERE i.id = over.id
    RETURNING i.*
  ), written AS (
    INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, level, what, device_id,
      device_code, device_name, place, at, repeats, due_at, is_open)
    SELECT c.rule_id, c.channel_id, c.user_id, c.user_name, c.subject_id, 'recovered', c.level, c.what, c.device_id, c.device_code,
      c.device_name, c.place, c.over_at, c.repeats, w.due_at, false
    FROM closed c JOIN
unnest($5::int[], $6::timestamptz[]) AS w (rule_id, due_at) ON w.rule_id = c.rule_id
    WHERE c.delivery_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM notify_delivery y WHERE y.id = c.delivery_id AND y.state = 'givenUp')
    ON CONFLICT DO NOTHING
    RETURNING channel_id
  )
  SELECT (SELECT count(*)::int FROM over) AS count,
    ARRAY(SELECT DISTINCT channel_id FROM written ORDER BY channel_id) AS "channelIds";

-- forgetOver
DELETE FROM notify_item WHERE delivery_id IS NULL AND over_at < $1;

-- scheduleChannels
UPDATE notify_channel c SET next_at = least(c.next_at, w.due_at)
FROM (
  SELECT i.channel_id, min(i.due_at) AS due_at FROM notify_item i
  WHERE ($1::int[] IS NULL OR i.channel_id = ANY($2::int[])) AND i.delivery_id IS NULL
    AND i.over_at IS NULL
  GROUP BY i.channel_id
) w
WHERE c.id = w.channel_id AND c.is_enabled AND (c.next_at IS NULL OR w.due_at < c.next_at);
