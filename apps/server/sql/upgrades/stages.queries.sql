-- Written by `npm run docs:sql`.

-- listStages
-- answers number int4, state text, devices int4, soakMinutes int4, startedAt timestamptz null, soakingAt timestamptz null, soakUntil timestamptz null, endedAt timestamptz null, gate jsonb null, isGateWaived bool
SELECT number, state, device_count AS devices, soak_minutes AS "soakMinutes", started_at AS "startedAt",
  soaking_at AS "soakingAt", soak_until AS "soakUntil", ended_at AS "endedAt", gate,
  is_gate_waived AS "isGateWaived"
FROM upgrade_stage WHERE task_id = $1 ORDER BY number;

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

-- isAnyWaiting
SELECT FROM upgrade_target t
  WHERE t.task_id = $1 AND t.stage = $2 AND t.state = 'waiting' AND NOT EXISTS (
SELECT FROM upgrade_target o WHERE o.task_id = t.task_id AND o.device_id = t.device_id
  AND o.position < t.position AND o.state IN ('waiting', 'sent', 'downloading', 'installing'))
  LIMIT 1;
