-- Written by `npm run docs:sql`.

-- insertRun
DELETE FROM alarm_handling_run WHERE user_id = $1 AND created_at < now() - interval '30 days';

-- insertRun
-- answers id int8
INSERT INTO alarm_handling_run (user_id, total) VALUES ($1, $2) RETURNING id;

-- writeRun
UPDATE alarm_handling_run SET done = $1, skipped = $2, touched_at = now(),
  finished_at = CASE WHEN $3 THEN now() END
WHERE id = $4::bigint;

-- listRuns
-- answers id int8, total int4, done int4, skipped int4, createdAt timestamptz, finishedAt timestamptz null, isBroken bool
SELECT id, total, done, skipped, created_at AS "createdAt", finished_at AS "finishedAt",
  finished_at IS NULL AND touched_at < now() - interval '1 minute' AS "isBroken"
FROM alarm_handling_run
WHERE user_id = $1 AND coalesce(finished_at, touched_at) > $2
ORDER BY id DESC;
