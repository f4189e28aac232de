-- Written by `npm run docs:sql`.

-- readGateAlarms
-- answers stage int4, windowHours float8, verified int4, beforeWindows int4, controlDevices int4, alarmed int4, before int4, control int4, codes json, devices json
WITH upgraded AS MATERIALIZED (
SELECT s.number AS stage, t.device_id, min(t.began_at) AS began_at, min(t.verified_at) + s.settle AS settled_at
FROM (
  SELECT number, minutes * interval '1 minute' AS settle
  FROM unnest(
    $1::int[],
    $2::float8[]
  ) AS s (number, minutes)
) s
CROSS JOIN LATERAL (
  SELECT device_id, verified_at,
    greatest(started_at, verified_at - $3::interval) AS began_at
  FROM upgrade_target
  WHERE task_id = $4 AND state = 'succeeded' AND stage = s.number
    AND verified_at <= $5::timestamptz - s.settle
  ORDER BY rank LIMIT $6
) t
GROUP BY s.number, s.settle, t.device_id),
    ignored AS MATERIALIZED (
SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level <> ALL($7::smallint[])
  AND code = ANY($8::text[])),
    gone AS MATERIALIZED (
SELECT g.stage, g.device_id, g.began_at, a.code, a.occurred_at
FROM upgrade_gone g CROSS JOIN LATERAL unnest(g.codes, g.alarmed_at) AS a (code, occurred_at)
WHERE g.task_id = $9 AND g.is_verified AND g.stage = ANY($10::int[])
  AND a.code NOT IN (SELECT code FROM ignored)),
    spans AS MATERIALIZED (
SELECT stage, span, floor($11::float8 * 3600 / extract(epoch FROM span))::int AS windows
FROM (
  SELECT stage, least(
    $12::float8 * interval '1 hour', greatest($13::float8 * interval '1 hour', $14::timestamptz - min(began_at))
  ) AS span
  FROM (SELECT stage, began_at FROM upgraded UNION ALL SELECT stage, began_at FROM gone) u GROUP BY stage
) s),
    begun AS MATERIALIZED (
SELECT u.stage, u.device_id, u.began_at, u.settled_at, h.occurred_at, h.recovered_at, h.recovery_method,
  h.semaphore_code AS code
FROM upgraded u
CROSS JOIN LATERAL (
  SELECT occurred_at, recovered_at, recovery_method, semaphore_code FROM alarm_history
  WHERE device_id = u.device_id
    AND occurred_at > u.began_at - $15::float8 * interval '1 hour'
    AND occurred_at <= $16
    AND occurred_at > (SELECT min(began_at) FROM upgraded) - $17::float8 * interval '1 hour'
  OFFSET 0
) h
WHERE h.semaphore_code NOT IN (SELECT code FROM ignored)),
    raised AS MATERIALIZED (
SELECT DISTINCT b.stage, b.device_id, b.code
FROM begun b JOIN spans s USING (stage)
WHERE b.occurred_at > greatest(b.began_at, $18::timestamptz - s.span)
  AND (b.recovered_at IS NULL OR b.recovery_method = 2 OR b.recovered_at > b.settled_at)
  -- The newest earlier episode of the semaphore: it stood when the upgrade began.
  AND NOT coalesce((
    SELECT p.recovered_at IS NULL OR p.recovered_at > b.began_at
    FROM alarm_history p
    WHERE p.device_id = b.device_id AND p.semaphore_code = b.code AND p.occurred_at <= b.began_at
    ORDER BY p.occurred_at DESC LIMIT 1
  ), false)
UNION
SELECT g.stage, g.device_id, g.code FROM gone g JOIN spans s USING (stage)
WHERE g.occurred_at > $19::timestamptz - s.span),
    before AS MATERIALIZED (
SELECT DISTINCT b.stage, b.device_id, b.code,
  floor(extract(epoch FROM b.began_at - b.occurred_at) / extract(epoch FROM s.span)) AS n
FROM begun b JOIN spans s USING (stage)
WHERE b.occurred_at <= b.began_at AND b.occurred_at > b.began_at - s.windows * s.span),
    untouched AS MATERIALIZED (
SELECT DISTINCT t.device_id
FROM (
  SELECT device_id FROM upgrade_target
  WHERE task_id = $20 AND state = 'waiting' AND attempts = 0 AND started_at IS NULL
  ORDER BY stage, rank LIMIT $21
) t
JOIN device_state d ON d.device_id = t.device_id AND d.is_online
WHERE NOT EXISTS (
  SELECT FROM upgrade_target o
  WHERE o.task_id = $22 AND o.device_id = t.device_id AND o.started_at IS NOT NULL
)
LIMIT $23),
    control AS MATERIALIZED (
SELECT DISTINCT s.stage, h.device_id, h.code
FROM (
  SELECT u.device_id, h.occurred_at, h.semaphore_code AS code
  FROM untouched u
  CROSS JOIN LATERAL (
    SELECT occurred_at, semaphore_code FROM alarm_history
    WHERE device_id = u.device_id
      AND occurred_at > $24::timestamptz - (SELECT max(span) FROM spans) AND occurred_at <= $25
    OFFSET 0
  ) h
  WHERE h.semaphore_code NOT IN (SELECT code FROM ignored)
) h
JOIN spans s ON h.occurred_at > $26::timestamptz - s.span),
    heard AS (
SELECT u.stage, count(DISTINCT u.device_id)::int AS n
FROM (
  SELECT u.stage, u.device_id FROM upgraded u JOIN device_state d ON d.device_id = u.device_id AND d.is_online
  UNION ALL
  SELECT stage, device_id FROM raised
) u
GROUP BY u.stage),
    of_stage AS (
SELECT s.stage, s.span, s.windows, coalesce(h.n, 0) AS verified,
  (SELECT count(*)::int FROM upgraded u WHERE u.stage = s.stage) AS upgraded,
  (SELECT count(DISTINCT device_id)::int FROM raised r WHERE r.stage = s.stage) AS alarmed,
  (SELECT count(DISTINCT (device_id, n))::int FROM before b WHERE b.stage = s.stage) AS before,
  (SELECT count(DISTINCT device_id)::int FROM control c WHERE c.stage = s.stage) AS control
FROM spans s LEFT JOIN heard h USING (stage))
  SELECT s.stage, extract(epoch FROM s.span)::float8 / 3600 AS "windowHours", s.verified,
    s.upgraded * s.windows AS "beforeWindows",
    (SELECT count(*)::int FROM untouched) AS "controlDevices",
    s.alarmed, s.before, s.control,
    coalesce((
SELECT json_agg(json_build_object(
  'code', c.code, 'name', coalesce(e.name, c.code), 'level', e.alarm_level, 'alarmed', c.n,
  'before', (SELECT count(*) FROM before b WHERE b.stage = s.stage AND b.code = c.code),
  'control', (SELECT count(*) FROM control o WHERE o.stage = s.stage AND o.code = c.code)
) ORDER BY c.n DESC, c.code)
FROM (SELECT code, count(*) AS n FROM raised r WHERE r.stage = s.stage GROUP BY code) c
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = c.code), '[]') AS codes, coalesce((
SELECT json_agg(json_build_object('equipId', d.id, 'code', d.code) ORDER BY d.code)
FROM (
  SELECT DISTINCT device_id FROM raised r WHERE r.stage = s.stage ORDER BY device_id LIMIT $27
) r
JOIN device d ON d.id = r.device_id), '[]') AS devices
  FROM of_stage s;
