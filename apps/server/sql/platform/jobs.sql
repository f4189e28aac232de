-- Written by `npm run docs:sql`.

-- isHeld
-- answers isHeld bool, isNew bool
UPDATE job_run r SET held_since = CASE
  WHEN r.held_since IS NULL THEN now()
  -- The day is over, or the clock was set back.
  WHEN r.held_since <= now() - interval '1 day' OR r.held_since > now() THEN NULL
  ELSE r.held_since
END
WHERE name = $1 AND (held_since IS NOT NULL OR last_started_at < now() - interval '1 day')
RETURNING held_since IS NOT NULL AS "isHeld", held_since IS NOT DISTINCT FROM now() AS "isNew";

-- begin
INSERT INTO job_run AS r (name, last_started_at) VALUES ($1, now())
ON CONFLICT (name) DO UPDATE SET last_started_at = now(),
  last_finished_at = CASE WHEN r.last_finished_at <= now() THEN r.last_finished_at END,
  last_failed_at = CASE WHEN r.last_failed_at <= now() THEN r.last_failed_at END
WHERE $2 OR CASE
  WHEN r.last_started_at IS NULL THEN true
  WHEN greatest(r.last_started_at, r.last_finished_at, r.last_failed_at) > now() THEN true
  WHEN r.last_failed_at >= r.last_started_at THEN r.last_failed_at <= now() - $3 * interval '1 ms'
  WHEN r.last_finished_at >= r.last_started_at THEN r.last_started_at <= now() - $4 * interval '1 ms'
  -- Started, not finished, and the lock is free: its process was killed.
  ELSE r.last_started_at <= now() - $3 * interval '1 ms'
END;

-- runAndRecord
UPDATE job_run SET last_finished_at = now(), last_duration_ms = $2, run_count = run_count + 1,
  failed_count = failed_count + CASE WHEN $3::text IS NULL THEN 0 ELSE 1 END,
  last_failed_at = CASE WHEN $3::text IS NULL THEN last_failed_at ELSE now() END,
  last_error = coalesce($3, last_error)
WHERE name = $1;
