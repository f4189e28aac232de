-- Written by `npm run docs:sql`.

-- lockCauses
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('alarm_cause watch', 0));

-- listHappenings
-- answers deviceId int4, operatorId int4, regionId int4, atMs float8, episodeId text, address text
(SELECT s.device_id AS "deviceId", s.operator_id AS "operatorId", s.region_id AS "regionId",
  (extract(epoch FROM "s"."occurred_at") * 1000)::float8 AS "atMs", s.episode_id::text AS "episodeId", NULL::text AS address
FROM alarm_state s
WHERE s.is_active AND s.occurred_at >= $1
  AND NOT EXISTS (SELECT FROM dictionary_entry e WHERE e.type = 'ALARM' AND e.code = s.semaphore_code AND e.is_fire)
  AND NOT EXISTS (SELECT FROM alarm_cause_member m WHERE m.is_open AND m.episode_id = s.episode_id)
ORDER BY s.occurred_at DESC LIMIT $2)
UNION ALL
(SELECT d.id, d.operator_id, d.region_id, (extract(epoch FROM "o"."online_changed_at") * 1000)::float8, NULL::text, o.connected_from
FROM device_state o JOIN device d ON d.id = o.device_id
WHERE NOT o.is_online AND o.online_changed_at >= $3
  AND NOT EXISTS (
    SELECT FROM alarm_cause_member m WHERE m.is_open AND m.episode_id IS NULL AND m.device_id = d.id)
ORDER BY o.online_changed_at DESC LIMIT $4);

-- listOpenCauses
-- answers id text, key text, beganAtMs float8, lastAtMs float8
SELECT id::text AS id, CASE kind WHEN 'site' THEN 'site ' || operator_id || ' ' || region_id
    WHEN 'network' THEN 'network ' || network ELSE 'cabinet ' || device_id END AS key,
  (extract(epoch FROM "began_at") * 1000)::float8 AS "beganAtMs", (extract(epoch FROM "last_at") * 1000)::float8 AS "lastAtMs"
FROM alarm_cause WHERE ended_at IS NULL AND last_at >= $1 ORDER BY id;

-- countReach
-- answers key text, count int4
SELECT 'site ' || d.operator_id || ' ' || d.region_id AS key, count(*)::int AS count
FROM (
  SELECT DISTINCT operator_id, region_id FROM unnest(
    $1::int[],
    $2::int[]
  ) AS h (operator_id, region_id)
) h
JOIN device d ON d.operator_id = h.operator_id AND d.region_id = h.region_id
GROUP BY d.operator_id, d.region_id
UNION ALL
SELECT 'network ' || n, count(*)::int
FROM unnest($3::text[]) AS n
JOIN device_state o ON starts_with(o.connected_from, n) OR starts_with(o.connected_from, '::ffff:' || n)
GROUP BY n;

-- insertCause
-- answers id text
INSERT INTO alarm_cause (kind, operator_id, region_id, network, device_id, began_at, last_at)
VALUES ($1, $2, $3,
  $4, $5, 'infinity', '-infinity')
RETURNING id::text AS id;

-- insertMembers
WITH added AS (
  INSERT INTO alarm_cause_member (cause_id, device_id, episode_id, at)
  SELECT $1::bigint, d.id, m.episode_id, to_timestamp(m.at / 1000)
  FROM unnest(
    $2::int[], $3::bigint[],
    $4::float8[]
  ) AS m (device_id, episode_id, at)
  JOIN device d ON d.id = m.device_id
  ON CONFLICT DO NOTHING
  RETURNING at
)
UPDATE alarm_cause c SET began_at = least(c.began_at, a.first), last_at = greatest(c.last_at, a.last)
FROM (SELECT min(at) AS first, max(at) AS last FROM added) a
WHERE c.id = $5::bigint AND a.first IS NOT NULL;

-- endCauses
-- answers id int8
WITH ended AS (
    UPDATE alarm_cause c SET ended_at = now()
    WHERE c.ended_at IS NULL AND NOT EXISTS (
      SELECT FROM alarm_cause_member m JOIN alarm_state s ON s.episode_id = m.episode_id AND s.is_active
      WHERE m.cause_id = c.id
    ) AND NOT EXISTS (
      SELECT FROM alarm_cause_member m JOIN device_state o ON o.device_id = m.device_id
      WHERE m.cause_id = c.id AND m.episode_id IS NULL AND
(NOT o.is_online AND o.online_changed_at <= m.at + interval '1 second')
    )
    RETURNING c.id
  ), closed AS (
    UPDATE alarm_cause_member m SET is_open = false FROM ended WHERE m.cause_id = ended.id
  )
  SELECT id FROM ended;

-- deleteCauses
-- answers ?column? int4
DELETE FROM alarm_cause WHERE id IN (
  SELECT id FROM alarm_cause WHERE ended_at < $1 LIMIT $2
) RETURNING 1;

-- hasOpenCauses
SELECT FROM alarm_cause WHERE ended_at IS NULL LIMIT 1;

-- listCauses
-- answers id text, kind text, operatorId int4 null, operatorName text null, regionCode text null, regionName text null, network text null, equipId int4 null, equipCode text null, equipName text null, startTime timestamptz, lastTime timestamptz, alarmCount int4, unacknowledgedCount int4, alarmLevel int2, offlineCount int4, deviceCount int4
WITH passing AS MATERIALIZED (
    SELECT m.cause_id, s.device_id, e.alarm_level AS level, (
CASE
  WHEN p.settled IS NOT NULL THEN p.settled
  WHEN p.acked_at IS NULL
    OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
    OR CASE WHEN e.analysis_type = 'VALUE' THEN s.value <> p.seen_value ELSE s.value & ~p.seen_value <> 0 END
    OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
      AND c.until <= coalesce(NULL::timestamptz, now()))
    OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(NULL::timestamptz, now()) >= p.lasts_until)
  THEN CASE WHEN true THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
  WHEN p.closed_at IS NOT NULL THEN 'closed'
  WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
  WHEN true THEN 'acknowledged'
  ELSE 'closed'
END) AS handling, false AS is_away
    FROM (SELECT * FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
  AND true AND (
CASE
  WHEN p.settled IS NOT NULL THEN p.settled
  WHEN p.acked_at IS NULL
    OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
    OR CASE WHEN e.analysis_type = 'VALUE' THEN s.value <> p.seen_value ELSE s.value & ~p.seen_value <> 0 END
    OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
      AND c.until <= coalesce(NULL::timestamptz, now()))
    OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(NULL::timestamptz, now()) >= p.lasts_until)
  THEN CASE WHEN true THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
  WHEN p.closed_at IS NOT NULL THEN 'closed'
  WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
  WHEN true THEN 'acknowledged'
  ELSE 'closed'
END) = ANY($1::text[]) AND p.assignee_id = $2
) AS alarm_state WHERE operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $7 AND occurred_at < $8 AND NOT (operator_id = ANY($9::int[]) AND model_id = ANY($10::int[]) AND region_id = ANY($11::int[]) AND semaphore_code = ANY($12::text[]) AND semaphore_code <> ALL($13::text[])) AND NOT EXISTS (SELECT FROM
unnest(
  $14::int[], $15::timestamptz[],
  $16::int[], $17::text[],
  $18::bigint[], $19::bigint[],
  $20::bigint[]
) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact) WHERE q_device = device_id AND (q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL($21::text[]))) AND (q_episode IS NULL OR q_episode = episode_id) AND CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END) AND $22 AND $23 AND episode_id IN (SELECT m.episode_id FROM alarm_cause_member m WHERE m.is_open AND m.episode_id IS NOT NULL)) s
    JOIN alarm_cause_member m ON m.is_open AND m.episode_id = s.episode_id
    LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
  )
  SELECT c.id::text AS id, c.kind, c.operator_id AS "operatorId", op.name AS "operatorName",
    r.code AS "regionCode", r.full_name AS "regionName", c.network, d.id AS "equipId", d.code AS "equipCode",
    d.name AS "equipName", c.began_at AS "startTime", c.last_at AS "lastTime", n."alarmCount",
    n."unacknowledgedCount", n."alarmLevel", n."offlineCount", n."deviceCount"
  FROM (
    SELECT cause_id, count(*) FILTER (WHERE NOT is_away)::int AS "alarmCount",
      count(*) FILTER (WHERE handling = 'unacknowledged')::int AS "unacknowledgedCount",
      min(level) AS "alarmLevel", count(*) FILTER (WHERE is_away)::int AS "offlineCount",
      count(DISTINCT device_id)::int AS "deviceCount"
    FROM passing GROUP BY cause_id
  ) n
  JOIN alarm_cause c ON c.id = n.cause_id
  LEFT JOIN operator op ON op.id = c.operator_id
  LEFT JOIN region r ON r.id = c.region_id
  LEFT JOIN device d ON d.id = c.device_id
  ORDER BY c.began_at DESC, c.id DESC LIMIT $24;
