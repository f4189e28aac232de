-- Written by `npm run docs:sql`.

-- readSorted
-- answers occurredAt text, id int8
SELECT occurred_at::text AS "occurredAt", id FROM (
SELECT occurred_at, id FROM "alarm_history" AS h
WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND occurred_at >= $5 AND occurred_at < $6 AND NOT EXISTS (
      SELECT FROM (
  SELECT occurred_at, episode_id AS id FROM alarm_state WHERE operator_id = ANY($7::int[]) AND model_id = ANY($8::int[]) AND region_id = ANY($9::int[]) AND semaphore_code = ANY($10::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $11 AND occurred_at < $12 AND episode_id IN (
SELECT p.episode_id FROM alarm_handling p
JOIN alarm_state s ON s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
WHERE s.is_active AND true AND (
CASE
  WHEN p.acked_at IS NULL
    OR coalesce(e.alarm_level, 9) < coalesce(p.seen_level, 9)
    OR CASE WHEN e.analysis_type = 'VALUE' THEN CASE WHEN s.is_active THEN s.value ELSE (
  SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id
) END <> p.seen_value ELSE CASE WHEN s.is_active THEN s.value ELSE (
  SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id
) END & ~p.seen_value <> 0 END
    OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
      AND c.until <= coalesce(s.recovered_at, now()))
    OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(s.recovered_at, now()) >= p.lasts_until)
  THEN CASE WHEN s.is_active THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
  WHEN p.closed_at IS NOT NULL THEN 'closed'
  WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
  WHEN s.is_active THEN 'acknowledged'
  ELSE 'closed'
END) = ANY($13::text[]) AND p.assignee_id = $14) AND $15 AND $16
    UNION ALL
SELECT h.occurred_at, h.id
FROM (SELECT * FROM alarm_history WHERE operator_id = ANY($17::int[]) AND model_id = ANY($18::int[]) AND region_id = ANY($19::int[]) AND semaphore_code = ANY($20::text[]) AND occurred_at >= $21 AND occurred_at < $22) h
JOIN alarm_handling p ON p.occurred_at = h.occurred_at AND p.episode_id = h.id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
WHERE h.recovered_at IS NOT NULL
  AND p.occurred_at >= $23 AND p.occurred_at < $24
  AND true AND (
CASE
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
END) = ANY($25::text[]) AND p.assignee_id = $26) AS x WHERE x.occurred_at = h.occurred_at AND x.id = h.id) ORDER BY occurred_at DESC, id DESC OFFSET $27 LIMIT $28) AS page;

-- walkKeys
-- answers occurredAt text, id int8
SELECT occurred_at::text AS "occurredAt", id FROM (
SELECT occurred_at, id FROM "alarm_history" AS h
WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND occurred_at >= $5 AND occurred_at < $6
        AND (occurred_at, id) < ($7::timestamptz, $8::bigint)
      ORDER BY occurred_at DESC, id DESC LIMIT $9) AS page;
