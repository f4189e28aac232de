-- Written by `npm run docs:sql`.

-- listOffline
-- answers id text, operatorId int4, regionId int4, equipTypeId int4
SELECT d.id::text AS id, d.operator_id AS "operatorId", d.region_id AS "regionId",
    (SELECT m.equip_type_id FROM equip_model m WHERE m.id = d.model_id) AS "equipTypeId"
  FROM device_state ds JOIN device d ON d.id = ds.device_id JOIN region r ON r.id = d.region_id
  WHERE NOT ds.is_online AND ds.online_changed_at > $1 AND ds.online_changed_at <= $2
    AND d.id IN (
SELECT id FROM device
WHERE ($3::int[] IS NULL OR operator_id = ANY($4::int[]))
  AND ($5::int[] IS NULL OR model_id = ANY($6::int[]))
  AND ($7::int[] IS NULL OR region_id = ANY($8::int[]))
  AND ($9::int[] IS NULL OR id = ANY($10::int[]))) AND NOT (d.id = ANY($11::int[]) OR d.id IN (
SELECT id FROM device
WHERE ($12::int[] IS NULL OR operator_id = ANY($13::int[]))
  AND ($14::int[] IS NULL OR model_id = ANY($15::int[]))
  AND ($16::int[] IS NULL OR region_id = ANY($17::int[]))
  AND ($18::int[] IS NULL OR id = ANY($19::int[]))))
    AND NOT EXISTS (
      SELECT FROM notify_item i
      WHERE i.subject_id = d.id AND i.rule_id = $20 AND i.event = 'deviceOffline' AND i.turn = floor(extract(epoch FROM ds.online_changed_at) * 1000)::bigint
        AND i.created_at < $21) ORDER BY d.id;

-- insertOffline
-- answers ?column? int4
INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_kind, subject_id, event, turn, level, what,
    device_id, device_code, device_name, place, at, created_at, due_at, is_open)
  SELECT $1, v.channel_id, v.user_id, v.user_name, 'device', t.*, $2, $3, true
  FROM (
    SELECT d.id, 'deviceOffline', floor(extract(epoch FROM ds.online_changed_at) * 1000)::bigint, NULL::int, '设备离线', d.id AS device_id, d.code, d.name,
      concat_ws(' ', r.full_name, d.address), ds.online_changed_at
    FROM device_state ds JOIN device d ON d.id = ds.device_id JOIN region r ON r.id = d.region_id
  WHERE NOT ds.is_online AND ds.online_changed_at > $4 AND ds.online_changed_at <= $5
    AND d.id IN (
SELECT id FROM device
WHERE ($6::int[] IS NULL OR operator_id = ANY($7::int[]))
  AND ($8::int[] IS NULL OR model_id = ANY($9::int[]))
  AND ($10::int[] IS NULL OR region_id = ANY($11::int[]))
  AND ($12::int[] IS NULL OR id = ANY($13::int[]))) AND NOT (d.id = ANY($14::int[]) OR d.id IN (
SELECT id FROM device
WHERE ($15::int[] IS NULL OR operator_id = ANY($16::int[]))
  AND ($17::int[] IS NULL OR model_id = ANY($18::int[]))
  AND ($19::int[] IS NULL OR region_id = ANY($20::int[]))
  AND ($21::int[] IS NULL OR id = ANY($22::int[]))))
    AND NOT EXISTS (
      SELECT FROM notify_item i
      WHERE i.subject_id = d.id AND i.rule_id = $23 AND i.event = 'deviceOffline' AND i.turn = floor(extract(epoch FROM ds.online_changed_at) * 1000)::bigint
        AND i.created_at < $24) AND d.id = ANY($25::int[])
  ) t CROSS JOIN
unnest(
  $26::int[], $27::int[],
  $28::text[]
) AS v (channel_id, user_id, user_name)
  ORDER BY v.channel_id, v.user_id NULLS FIRST, t.id
  ON CONFLICT DO NOTHING
  RETURNING 1;

-- forgetBack
DELETE FROM notify_item i
  WHERE i.channel_id = $1 AND i.delivery_id IS NULL AND i.due_at <= now() AND i.event = 'deviceOffline'
    AND NOT EXISTS (
SELECT FROM device_state ds
WHERE ds.device_id = i.subject_id AND NOT ds.is_online AND floor(extract(epoch FROM ds.online_changed_at) * 1000)::bigint = i.turn);

-- settleBack
-- answers count int4, channelIds _int4
WITH over AS MATERIALIZED (
    SELECT i.id, i.delivery_id FROM notify_item i
    WHERE i.is_open AND i.event = 'deviceOffline' AND NOT EXISTS (
SELECT FROM device_state ds
WHERE ds.device_id = i.subject_id AND NOT ds.is_online AND floor(extract(epoch FROM ds.online_changed_at) * 1000)::bigint = i.turn)
    ORDER BY i.id LIMIT $1 FOR UPDATE OF i
  ), forgotten AS (
    DELETE FROM notify_item i USING over WHERE i.id = over.id AND over.delivery_id IS NULL
  ), closed AS (
    UPDATE notify_item i SET is_open = false FROM over
    WHERE i.id = over.id AND over.delivery_id IS NOT NULL
    RETURNING i.*
  ), written AS (
    INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_kind, subject_id, event, turn, level,
      what, device_id, device_code, device_name, place, at, due_at, is_open)
    SELECT c.rule_id, c.channel_id, c.user_id, c.user_name, 'device', c.subject_id, 'deviceOnline', c.turn, NULL,
      '设备恢复在线', c.device_id, c.device_code, c.device_name, c.place, ds.online_changed_at, w.due_at, false
    FROM closed c
    JOIN unnest(
      $2::int[], $3::timestamptz[]
    ) AS w (rule_id, due_at) ON w.rule_id = c.rule_id
    JOIN device_state ds ON ds.device_id = c.subject_id AND ds.is_online
    WHERE NOT EXISTS (SELECT FROM notify_delivery y WHERE y.id = c.delivery_id AND y.state = 'givenUp')
    ON CONFLICT DO NOTHING
    RETURNING channel_id
  )
  SELECT (SELECT count(*)::int FROM over) AS count,
    ARRAY(SELECT DISTINCT channel_id FROM written ORDER BY channel_id) AS "channelIds";

-- readRunBegan
-- answers at timestamptz
SELECT max(from_at) AS at FROM report_beat;

-- hasTasks
SELECT FROM (
    SELECT t.id, t.organization_id, '升级任务 ' || y.name AS name,
      CASE WHEN t.state = 'paused' THEN coalesce(': ' || nullif(t.pause->>'note', ''), '')
        WHEN t.state = 'cancelled' THEN '，已取消' ELSE '' END AS note,
      t.state = 'paused' AS is_paused,
      CASE WHEN t.state = 'paused' THEN (
        SELECT max(x.at) FROM upgrade_transition x
        WHERE x.task_id = t.id AND x.target_id IS NULL AND x.to_state = 'paused')
      ELSE t.finished_at END AS at
    FROM upgrade_task t JOIN equip_type y ON y.id = t.equip_type_id
    WHERE t.state = 'paused' OR t.finished_at > now() - interval '1 day') t
  CROSS JOIN LATERAL (SELECT CASE WHEN t.is_paused THEN 'taskPaused' ELSE 'taskEnded' END AS event) v
  CROSS JOIN LATERAL (SELECT (
SELECT count(*) FROM device d
WHERE d.id IN (SELECT x.device_id FROM upgrade_target x WHERE x.task_id = t.id) AND ("d"."operator_id" = ANY($1::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($2::int[])) AND "d"."region_id" = ANY($3::int[])) AND d.id IN (
SELECT id FROM device
WHERE ($4::int[] IS NULL OR operator_id = ANY($5::int[]))
  AND ($6::int[] IS NULL OR model_id = ANY($7::int[]))
  AND ($8::int[] IS NULL OR region_id = ANY($9::int[]))
  AND ($10::int[] IS NULL OR id = ANY($11::int[])))) AS count) n
  WHERE t.at > $12 AND v.event = ANY($13::text[]) AND n.count > 0
    AND t.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $14::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
    AND NOT EXISTS (
      SELECT FROM notify_item i
      WHERE i.subject_id = t.id AND i.rule_id = $15 AND i.event = v.event AND i.turn = floor(extract(epoch FROM t.at) * 1000)::bigint
        AND i.subject_kind = $16 AND i.created_at < $17) LIMIT 1;

-- insertTasks
-- answers ?column? int4
INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_kind, subject_id, event, turn, level,
    what, device_id, device_code, device_name, place, at, value, created_at, due_at, is_open)
  SELECT $1, v.channel_id, v.user_id, v.user_name, $2, x.id, x.event, x.turn, NULL, x.what, NULL, '',
    NULL, '', x.at, x.count, $3, $4, false
  FROM (
    SELECT t.id, v.event, floor(extract(epoch FROM t.at) * 1000)::bigint AS turn,
      t.name || '（' || n.count || ' 台）' || replace(t.note, ': ', '：') AS what, t.at, n.count
    FROM (
    SELECT t.id, t.organization_id, '升级任务 ' || y.name AS name,
      CASE WHEN t.state = 'paused' THEN coalesce(': ' || nullif(t.pause->>'note', ''), '')
        WHEN t.state = 'cancelled' THEN '，已取消' ELSE '' END AS note,
      t.state = 'paused' AS is_paused,
      CASE WHEN t.state = 'paused' THEN (
        SELECT max(x.at) FROM upgrade_transition x
        WHERE x.task_id = t.id AND x.target_id IS NULL AND x.to_state = 'paused')
      ELSE t.finished_at END AS at
    FROM upgrade_task t JOIN equip_type y ON y.id = t.equip_type_id
    WHERE t.state = 'paused' OR t.finished_at > now() - interval '1 day') t
  CROSS JOIN LATERAL (SELECT CASE WHEN t.is_paused THEN 'taskPaused' ELSE 'taskEnded' END AS event) v
  CROSS JOIN LATERAL (SELECT (
SELECT count(*) FROM device d
WHERE d.id IN (SELECT x.device_id FROM upgrade_target x WHERE x.task_id = t.id) AND ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[])) AND d.id IN (
SELECT id FROM device
WHERE ($8::int[] IS NULL OR operator_id = ANY($9::int[]))
  AND ($10::int[] IS NULL OR model_id = ANY($11::int[]))
  AND ($12::int[] IS NULL OR region_id = ANY($13::int[]))
  AND ($14::int[] IS NULL OR id = ANY($15::int[])))) AS count) n
  WHERE t.at > $16 AND v.event = ANY($17::text[]) AND n.count > 0
    AND t.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $18::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
    AND NOT EXISTS (
      SELECT FROM notify_item i
      WHERE i.subject_id = t.id AND i.rule_id = $19 AND i.event = v.event AND i.turn = floor(extract(epoch FROM t.at) * 1000)::bigint
        AND i.subject_kind = $20 AND i.created_at < $21)
  ) x CROSS JOIN
unnest(
  $22::int[], $23::int[],
  $24::text[]
) AS v (channel_id, user_id, user_name)
  ORDER BY v.channel_id, v.user_id NULLS FIRST, x.id
  ON CONFLICT DO NOTHING
  RETURNING 1;
