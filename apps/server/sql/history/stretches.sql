-- Written by `npm run docs:sql`.

-- readByDay
-- answers day date, n int8
SELECT day, sum(n) AS n FROM (SELECT occurred_at::date AS day, n FROM (SELECT occurred_at, 1 AS n FROM (SELECT occurred_at, episode_id AS id FROM alarm_state WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $5 AND occurred_at < $6 AND episode_id IN (
SELECT p.episode_id FROM (SELECT * FROM alarm_handling WHERE settled IS NULL
AND occurred_at >= $7 AND occurred_at < $8 OFFSET 0) p
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
END) = ANY($9::text[]) AND p.assignee_id = $10) AND $11 AND $12 UNION ALL
SELECT p.occurred_at, p.episode_id AS id
FROM (
  SELECT * FROM alarm_handling t
  WHERE t.settled IS NULL AND occurred_at >= $13 AND occurred_at < $14
    AND t.device_id = ANY($15::int[])
    AND t.assignee_id = $16
    AND NOT EXISTS (
      SELECT FROM alarm_state s
      WHERE s.is_active AND s.occurred_at = t.occurred_at AND s.episode_id = t.episode_id)
  OFFSET 0
) p
CROSS JOIN LATERAL (
  SELECT semaphore_code, value, recovered_at FROM alarm_history
  WHERE occurred_at = p.occurred_at AND id = p.episode_id AND recovered_at IS NOT NULL AND operator_id = ANY($17::int[]) AND model_id = ANY($18::int[]) AND region_id = ANY($19::int[]) AND semaphore_code = ANY($20::text[])
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
END) = ANY($21::text[]) AND p.assignee_id = $22) AS x) AS few WHERE occurred_at >= $23 AND occurred_at < $24) AS cell GROUP BY day;

-- countDaysByLevel
-- answers day date, key text, n numeric
SELECT day, key, sum(n) AS n FROM (
    SELECT month + day_of_month::int - 1 AS day, key, n FROM (
      SELECT month, semaphore_code AS key, ARRAY[sum(days[1]), sum(days[2]), sum(days[3]), sum(days[4]), sum(days[5]), sum(days[6]), sum(days[7]), sum(days[8]), sum(days[9]), sum(days[10]), sum(days[11]), sum(days[12]), sum(days[13]), sum(days[14]), sum(days[15]), sum(days[16]), sum(days[17]), sum(days[18]), sum(days[19]), sum(days[20]), sum(days[21]), sum(days[22]), sum(days[23]), sum(days[24]), sum(days[25]), sum(days[26]), sum(days[27]), sum(days[28]), sum(days[29]), sum(days[30]), sum(days[31])] AS days
      FROM history_count
      WHERE
source = 1
AND operator_id = ANY($1::int[]) AND model_id = ANY($2::int[])
AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND month = ANY($5::date[])
      GROUP BY month, semaphore_code
    ) AS summed, unnest(days) WITH ORDINALITY AS one (n, day_of_month)
    UNION ALL
    SELECT d.day, key, d.n FROM (
      SELECT day, semaphore_code, sum(n) AS n FROM history_delta
      WHERE source = 1 AND operator_id = ANY($6::int[]) AND model_id = ANY($7::int[]) AND region_id = ANY($8::int[]) AND semaphore_code = ANY($9::text[]) GROUP BY day, semaphore_code
    ) AS d
    LEFT JOIN history_level l ON l.semaphore_code = d.semaphore_code
    CROSS JOIN LATERAL unnest(ARRAY['', '#' || l.level]) AS key
    WHERE key IS NOT NULL
  ) AS cell WHERE n <> 0 AND "day" >= $10::date AND "day" < $11::date GROUP BY day, key;
