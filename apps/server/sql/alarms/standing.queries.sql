-- Written by `npm run docs:sql`.

-- readStandings
-- answers id int8 null, isActive bool, handling text
SELECT s.episode_id AS id, s.is_active AS "isActive", (
CASE
  WHEN p.settled IS NOT NULL THEN p.settled
  WHEN p.acked_at IS NULL
    OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
    OR CASE WHEN e.analysis_type = 'VALUE' THEN s.value <> p.seen_value ELSE s.value & ~p.seen_value <> 0 END
    OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
      AND c.until <= coalesce(s.recovered_at, now()))
    OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(s.recovered_at, now()) >= p.lasts_until)
  THEN CASE WHEN s.is_active THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
  WHEN p.closed_at IS NOT NULL THEN 'closed'
  WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
  WHEN s.is_active THEN 'acknowledged'
  ELSE 'closed'
END) AS handling
  FROM alarm_state s
  LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
  WHERE s.episode_id = ANY($1::int8[]);
