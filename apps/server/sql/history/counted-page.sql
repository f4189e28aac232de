-- Written by `npm run docs:sql`.

-- readSorted
-- answers occurredAt text, id int8
SELECT occurred_at::text AS "occurredAt", id FROM (SELECT occurred_at, id FROM ((SELECT occurred_at, id FROM (
      SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $1) AS h
      WHERE operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]) AND semaphore_code = ANY($5::text[]) AND occurred_at >= $6 AND occurred_at < $7 AND assignee_id = $8
        AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $9) AS x WHERE occurred_at >= $10 AND occurred_at < $11 AND x.occurred_at = h.occurred_at AND x.id = h.id)) AS part ORDER BY occurred_at DESC, id DESC LIMIT $12) UNION ALL (SELECT occurred_at, id FROM (
      SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $13) AS h
      WHERE operator_id = ANY($14::int[]) AND model_id = ANY($15::int[]) AND region_id = ANY($16::int[]) AND semaphore_code = ANY($17::text[]) AND occurred_at >= $18 AND occurred_at < $19 AND assignee_id = $20
        AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $21) AS x WHERE occurred_at >= $22 AND occurred_at < $23 AND x.occurred_at = h.occurred_at AND x.id = h.id)) AS part ORDER BY occurred_at DESC, id DESC LIMIT $24) UNION ALL (SELECT occurred_at, id FROM (
      SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $25) AS h
      WHERE operator_id = ANY($26::int[]) AND model_id = ANY($27::int[]) AND region_id = ANY($28::int[]) AND semaphore_code = ANY($29::text[]) AND occurred_at >= $30 AND occurred_at < $31 AND assignee_id = $32
        AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $33) AS x WHERE occurred_at >= $34 AND occurred_at < $35 AND x.occurred_at = h.occurred_at AND x.id = h.id)) AS part ORDER BY occurred_at DESC, id DESC LIMIT $36) UNION ALL (SELECT occurred_at, id FROM (SELECT occurred_at, id FROM (SELECT occurred_at, episode_id AS id FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
AND "p"."occurred_at" >= $37 AND "p"."occurred_at" < $38 AND true AND (
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
END) = ANY($39::text[]) AND p.assignee_id = $40
) AS alarm_state WHERE operator_id = ANY($41::int[]) AND model_id = ANY($42::int[]) AND region_id = ANY($43::int[]) AND semaphore_code = ANY($44::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $45 AND occurred_at < $46 AND $47 AND $48 AND $49) AS few) AS part ORDER BY occurred_at DESC, id DESC LIMIT $50) UNION ALL (SELECT occurred_at, id FROM (SELECT occurred_at, id FROM (
SELECT p.occurred_at, p.episode_id AS id
FROM (
  SELECT * FROM alarm_handling t
  WHERE t.settled IS NULL AND occurred_at >= $51 AND occurred_at < $52
    AND t.device_id = ANY($53::int[])
    AND t.assignee_id = $54
    AND NOT EXISTS (
      SELECT FROM alarm_state s
      WHERE s.is_active AND s.occurred_at = t.occurred_at AND s.episode_id = t.episode_id)
  OFFSET 0
) p
CROSS JOIN LATERAL (
  SELECT semaphore_code, value, recovered_at FROM alarm_history
  WHERE occurred_at = p.occurred_at AND id = p.episode_id AND recovered_at IS NOT NULL AND operator_id = ANY($55::int[]) AND model_id = ANY($56::int[]) AND region_id = ANY($57::int[]) AND semaphore_code = ANY($58::text[])
  OFFSET 0
) h
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
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
END) = ANY($59::text[]) AND p.assignee_id = $60) AS few) AS part ORDER BY occurred_at DESC, id DESC LIMIT $61)) AS h ORDER BY occurred_at DESC, id DESC OFFSET $62 LIMIT $63) AS page;

-- walkKeys
-- answers occurredAt text, id int8
SELECT occurred_at::text AS "occurredAt", id FROM (
      SELECT occurred_at, id FROM (
      SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $1) AS h
      WHERE operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]) AND semaphore_code = ANY($5::text[]) AND occurred_at >= $6 AND occurred_at < $7 AND assignee_id = $8
        AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $9) AS x WHERE occurred_at >= $10 AND occurred_at < $11 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL
      SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $12) AS h
      WHERE operator_id = ANY($13::int[]) AND model_id = ANY($14::int[]) AND region_id = ANY($15::int[]) AND semaphore_code = ANY($16::text[]) AND occurred_at >= $17 AND occurred_at < $18 AND assignee_id = $19
        AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $20) AS x WHERE occurred_at >= $21 AND occurred_at < $22 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL
      SELECT occurred_at, id FROM (SELECT * FROM alarm_settled WHERE state = $23) AS h
      WHERE operator_id = ANY($24::int[]) AND model_id = ANY($25::int[]) AND region_id = ANY($26::int[]) AND semaphore_code = ANY($27::text[]) AND occurred_at >= $28 AND occurred_at < $29 AND assignee_id = $30
        AND NOT EXISTS (SELECT FROM (SELECT * FROM alarm_settled WHERE state = $31) AS x WHERE occurred_at >= $32 AND occurred_at < $33 AND x.occurred_at = h.occurred_at AND x.id = h.id) UNION ALL SELECT occurred_at, id FROM (SELECT occurred_at, episode_id AS id FROM (
  SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
  FROM alarm_handling p
  JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "s"."semaphore_code"
  WHERE p.settled IS NULL
AND "p"."occurred_at" >= $34 AND "p"."occurred_at" < $35 AND true AND (
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
END) = ANY($36::text[]) AND p.assignee_id = $37
) AS alarm_state WHERE operator_id = ANY($38::int[]) AND model_id = ANY($39::int[]) AND region_id = ANY($40::int[]) AND semaphore_code = ANY($41::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $42 AND occurred_at < $43 AND $44 AND $45 AND $46) AS few UNION ALL SELECT occurred_at, id FROM (
SELECT p.occurred_at, p.episode_id AS id
FROM (
  SELECT * FROM alarm_handling t
  WHERE t.settled IS NULL AND occurred_at >= $47 AND occurred_at < $48
    AND t.device_id = ANY($49::int[])
    AND t.assignee_id = $50
    AND NOT EXISTS (
      SELECT FROM alarm_state s
      WHERE s.is_active AND s.occurred_at = t.occurred_at AND s.episode_id = t.episode_id)
  OFFSET 0
) p
CROSS JOIN LATERAL (
  SELECT semaphore_code, value, recovered_at FROM alarm_history
  WHERE occurred_at = p.occurred_at AND id = p.episode_id AND recovered_at IS NOT NULL AND operator_id = ANY($51::int[]) AND model_id = ANY($52::int[]) AND region_id = ANY($53::int[]) AND semaphore_code = ANY($54::text[])
  OFFSET 0
) h
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = "h"."semaphore_code"
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
END) = ANY($55::text[]) AND p.assignee_id = $56) AS few) AS h
  WHERE true
        AND (occurred_at, id) < ($57::timestamptz, $58::bigint)
      ORDER BY occurred_at DESC, id DESC LIMIT $59) AS page;
