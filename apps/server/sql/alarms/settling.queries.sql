-- Written by `npm run docs:sql`.

-- settleSome
-- answers looked int4, settled int4, occurredAt text, id text
WITH looked AS MATERIALIZED (
    SELECT occurred_at, episode_id FROM alarm_handling
    WHERE settled IS NULL
    ORDER BY occurred_at DESC, episode_id DESC LIMIT $1
  ), over AS MATERIALIZED (
    SELECT h.occurred_at, h.id, h.device_id, h.operator_id, h.model_id, h.region_id, h.semaphore_code, p.assignee_id,
      (
CASE
  WHEN p.settled IS NOT NULL THEN p.settled
  WHEN p.acked_at IS NULL
    OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
    OR CASE WHEN e.analysis_type = 'VALUE' THEN h.value <> p.seen_value ELSE h.value & ~p.seen_value <> 0 END
    OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
      AND c.until <= coalesce(h.recovered_at, now()))
    OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(h.recovered_at, now()) >= p.lasts_until)
  THEN CASE WHEN (h.recovered_at IS NULL) THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
  WHEN p.closed_at IS NOT NULL THEN 'closed'
  WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
  WHEN (h.recovered_at IS NULL) THEN 'acknowledged'
  ELSE 'closed'
END) AS state
    FROM looked l
    JOIN alarm_handling p ON p.episode_id = l.episode_id
    JOIN alarm_history h ON h.occurred_at = l.occurred_at AND h.id = l.episode_id
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
    WHERE p.settled IS NULL AND h.recovered_at < now() - 60 * interval '1 minute'
    FOR UPDATE OF p SKIP LOCKED FOR SHARE OF h SKIP LOCKED
  ), marked AS (
    UPDATE alarm_handling p SET settled = over.state FROM over WHERE p.episode_id = over.id
  ), written AS (
    INSERT INTO alarm_settled (state, occurred_at, id, device_id, operator_id, model_id, region_id, semaphore_code,
      assignee_id)
    SELECT state, occurred_at, id, device_id, operator_id, model_id, region_id, semaphore_code, assignee_id
    FROM over ORDER BY occurred_at, id
  ), counted AS (
    INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
    SELECT CASE state WHEN 'closed' THEN 3 WHEN 'inProgress' THEN 4 WHEN 'recoveredUnacknowledged' THEN 5 END, occurred_at::date, operator_id, model_id, region_id, semaphore_code, count(*)
    FROM over GROUP BY state, occurred_at::date, operator_id, model_id, region_id, semaphore_code
  )
  SELECT (SELECT count(*)::int FROM looked) AS looked, (SELECT count(*)::int FROM over) AS settled,
    last.occurred_at::text AS "occurredAt", last.episode_id::text AS id
  FROM (SELECT) AS one
  LEFT JOIN (SELECT * FROM looked ORDER BY occurred_at, episode_id LIMIT 1) AS last ON true;
