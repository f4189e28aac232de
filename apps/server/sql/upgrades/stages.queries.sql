-- Written by `npm run docs:sql`.

-- setReleaseAt
UPDATE upgrade_task SET release_at = $1 WHERE id = $2;

-- listStages
-- answers number int4, state text, devices int4, soakMinutes int4, startedAt timestamptz null, soakingAt timestamptz null, soakUntil timestamptz null, endedAt timestamptz null, gate jsonb null, isGateWaived bool
SELECT
s.number, s.state, s.device_count AS devices, s.soak_minutes AS "soakMinutes", s.started_at AS "startedAt",
s.soaking_at AS "soakingAt", s.soak_until AS "soakUntil", s.ended_at AS "endedAt", s.gate,
s.is_gate_waived AS "isGateWaived" FROM upgrade_stage s WHERE s.task_id = $1 ORDER BY s.number;

-- insertStages
INSERT INTO upgrade_stage (task_id, number, device_count, soak_minutes)
SELECT $1, * FROM unnest(
  $2::int[], $3::int[],
  $4::int[]);

-- writeStage
UPDATE upgrade_stage SET state = $1, started_at = $2,
  soaking_at = $3, soak_until = $4, ended_at = $5,
  gate = $6::jsonb, is_gate_waived = $7
WHERE task_id = $8 AND number = $9;

-- readStages
-- answers number int4, state text, devices int4, soakMinutes int4, startedAt timestamptz null, soakingAt timestamptz null, soakUntil timestamptz null, endedAt timestamptz null, gate jsonb null, isGateWaived bool, counts jsonb, total int4, underWay int4, gone jsonb, hasWaiting bool
SELECT
s.number, s.state, s.device_count AS devices, s.soak_minutes AS "soakMinutes", s.started_at AS "startedAt",
s.soaking_at AS "soakingAt", s.soak_until AS "soakUntil", s.ended_at AS "endedAt", s.gate,
s.is_gate_waived AS "isGateWaived", y.counts, y.total, y."underWay", (
SELECT jsonb_build_object('verified', count(*) FILTER (WHERE g.is_verified), 'failed', count(*) FILTER (WHERE NOT g.is_verified))
FROM upgrade_gone g WHERE g.task_id = s.task_id AND g.stage = s.number) AS gone,
    CASE WHEN y."underWay" = 0 AND y.succeeded > 0 THEN EXISTS (
SELECT FROM upgrade_target t
WHERE t.task_id = s.task_id AND t.stage = s.number AND t.state = 'waiting' AND NOT EXISTS (
SELECT FROM upgrade_target o WHERE o.task_id = t.task_id AND o.device_id = t.device_id
  AND o.position < t.position AND o.state IN ('waiting', 'sent', 'downloading', 'installing'))) ELSE false END AS "hasWaiting"
  FROM upgrade_stage s CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_object_agg(n.state, n.count), '{}') AS counts, coalesce(sum(n.count), 0)::int AS total,
      coalesce(sum(n.under_way), 0)::int AS "underWay",
      coalesce(sum(n.count) FILTER (WHERE n.state = 'succeeded'), 0) AS succeeded
    FROM (
      SELECT state, sum(count)::int AS count, sum(under_way)::int AS under_way
      FROM upgrade_tally WHERE task_id = s.task_id AND stage = s.number GROUP BY state
    ) n
  ) y
  WHERE s.task_id = $1 ORDER BY s.number;

-- releaseTargets
-- answers count int4
WITH candidate AS MATERIALIZED (
    SELECT h.id, row_number() OVER (ORDER BY h.stage, h.rank, h.id) - 1 AS n FROM (
      SELECT t.id, t.stage, t.rank FROM upgrade_target t
      WHERE t.task_id = $1 AND t.stage BETWEEN 1 AND $2 AND t.state = 'waiting' AND t.next_at IS NULL
        AND NOT EXISTS (
SELECT FROM upgrade_target o WHERE o.task_id = t.task_id AND o.device_id = t.device_id
  AND o.position < t.position AND o.state IN ('waiting', 'sent', 'downloading', 'installing'))
      ORDER BY t.stage, t.rank LIMIT $3
    ) h
  ),
  locked AS (
    SELECT t.id, candidate.n FROM candidate JOIN upgrade_target t ON t.id = candidate.id
    WHERE t.state = 'waiting' AND t.next_at IS NULL ORDER BY t.id FOR UPDATE OF t
  ),
  released AS (
    UPDATE upgrade_target t SET next_at = $4::timestamptz + locked.n * interval '1 minute' / $5
    FROM locked WHERE t.id = locked.id
  )
  SELECT count(*)::int AS count FROM candidate;
