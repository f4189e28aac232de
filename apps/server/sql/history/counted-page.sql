-- Written by `npm run docs:sql`.

-- readSorted
-- answers occurredAt text, id int8
SELECT occurred_at::text AS "occurredAt", id FROM (SELECT occurred_at, id FROM (
    SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $1) AS h
    WHERE operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]) AND semaphore_code = ANY($5::text[]) AND occurred_at >= $6 AND occurred_at < $7 AND assignee_id = $8 AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $9) AS x WHERE occurred_at >= $10 AND occurred_at < $11 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL
    SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $12) AS h
    WHERE operator_id = ANY($13::int[]) AND model_id = ANY($14::int[]) AND region_id = ANY($15::int[]) AND semaphore_code = ANY($16::text[]) AND occurred_at >= $17 AND occurred_at < $18 AND assignee_id = $19 AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $20) AS x WHERE occurred_at >= $21 AND occurred_at < $22 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL
    SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $23) AS h
    WHERE operator_id = ANY($24::int[]) AND model_id = ANY($25::int[]) AND region_id = ANY($26::int[]) AND semaphore_code = ANY($27::text[]) AND occurred_at >= $28 AND occurred_at < $29 AND assignee_id = $30 AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $31) AS x WHERE occurred_at >= $32 AND occurred_at < $33 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL SELECT occurred_at, id FROM (SELECT occurred_at, episode_id AS id FROM alarm_state WHERE operator_id = ANY($34::int[]) AND model_id = ANY($35::int[]) AND region_id = ANY($36::int[]) AND semaphore_code = ANY($37::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $38 AND occurred_at < $39 AND episode_id IN (
SELECT p.episode_id FROM (SELECT * FROM alarm_handling WHERE settled IS NULL
AND occurred_at >= $40 AND occurred_at < $41 OFFSET 0) p
JOIN alarm_state s ON s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
WHERE s.is_active
  AND true AND (
CASE
  WHEN p.settled IS NOT NULL THEN p.settled
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
END) = ANY($42::text[]) AND p.assignee_id = $43) AND $44 AND $45 UNION ALL
SELECT p.occurred_at, p.episode_id AS id
FROM (
  SELECT * FROM alarm_handling t
  WHERE t.settled IS NULL AND occurred_at >= $46 AND occurred_at < $47
    AND t.device_id = ANY($48::int[])
    AND t.assignee_id = $49
    AND NOT EXISTS (
      SELECT FROM alarm_state s
      WHERE s.is_active AND s.occurred_at = t.occurred_at AND s.episode_id = t.episode_id)
  OFFSET 0
) p
CROSS JOIN LATERAL (
  SELECT semaphore_code, value, recovered_at FROM alarm_history
  WHERE occurred_at = p.occurred_at AND id = p.episode_id AND recovered_at IS NOT NULL AND operator_id = ANY($50::int[]) AND model_id = ANY($51::int[]) AND region_id = ANY($52::int[]) AND semaphore_code = ANY($53::text[])
  OFFSET 0
) h
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
WHERE true AND (
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
END) = ANY($54::text[]) AND p.assignee_id = $55) AS few) AS h WHERE true ORDER BY occurred_at DESC, id DESC OFFSET $56 LIMIT $57) AS page;

-- walkKeys
-- answers occurredAt text, id int8
SELECT occurred_at::text AS "occurredAt", id FROM (
      SELECT occurred_at, id FROM (
    SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $1) AS h
    WHERE operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]) AND semaphore_code = ANY($5::text[]) AND occurred_at >= $6 AND occurred_at < $7 AND assignee_id = $8 AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $9) AS x WHERE occurred_at >= $10 AND occurred_at < $11 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL
    SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $12) AS h
    WHERE operator_id = ANY($13::int[]) AND model_id = ANY($14::int[]) AND region_id = ANY($15::int[]) AND semaphore_code = ANY($16::text[]) AND occurred_at >= $17 AND occurred_at < $18 AND assignee_id = $19 AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $20) AS x WHERE occurred_at >= $21 AND occurred_at < $22 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL
    SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $23) AS h
    WHERE operator_id = ANY($24::int[]) AND model_id = ANY($25::int[]) AND region_id = ANY($26::int[]) AND semaphore_code = ANY($27::text[]) AND occurred_at >= $28 AND occurred_at < $29 AND assignee_id = $30 AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $31) AS x WHERE occurred_at >= $32 AND occurred_at < $33 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL SELECT occurred_at, id FROM (SELECT occurred_at, episode_id AS id FROM alarm_state WHERE operator_id = ANY($34::int[]) AND model_id = ANY($35::int[]) AND region_id = ANY($36::int[]) AND semaphore_code = ANY($37::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $38 AND occurred_at < $39 AND episode_id IN (
SELECT p.episode_id FROM (SELECT * FROM alarm_handling WHERE settled IS NULL
AND occurred_at >= $40 AND occurred_at < $41 OFFSET 0) p
JOIN alarm_state s ON s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
WHERE s.is_active
  AND true AND (
CASE
  WHEN p.settled IS NOT NULL THEN p.settled
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
END) = ANY($42::text[]) AND p.assignee_id = $43) AND $44 AND $45 UNION ALL
SELECT p.occurred_at, p.episode_id AS id
FROM (
  SELECT * FROM alarm_handling t
  WHERE t.settled IS NULL AND occurred_at >= $46 AND occurred_at < $47
    AND t.device_id = ANY($48::int[])
    AND t.assignee_id = $49
    AND NOT EXISTS (
      SELECT FROM alarm_state s
      WHERE s.is_active AND s.occurred_at = t.occurred_at AND s.episode_id = t.episode_id)
  OFFSET 0
) p
CROSS JOIN LATERAL (
  SELECT semaphore_code, value, recovered_at FROM alarm_history
  WHERE occurred_at = p.occurred_at AND id = p.episode_id AND recovered_at IS NOT NULL AND operator_id = ANY($50::int[]) AND model_id = ANY($51::int[]) AND region_id = ANY($52::int[]) AND semaphore_code = ANY($53::text[])
  OFFSET 0
) h
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
WHERE true AND (
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
END) = ANY($54::text[]) AND p.assignee_id = $55) AS few) AS h WHERE true
        AND (occurred_at, id) < ($56::timestamptz, $57::bigint)
      ORDER BY occurred_at DESC, id DESC LIMIT $58) AS page;
