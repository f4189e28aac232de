-- Written by `npm run docs:sql`.

-- countStretches
-- answers day date, n numeric
SELECT day, sum(n) AS n FROM (
  SELECT day, n FROM (
    SELECT month + day_of_month::int - 1 AS day, n FROM (
      SELECT month, ARRAY[sum(days[1]), sum(days[2]), sum(days[3]), sum(days[4]), sum(days[5]), sum(days[6]), sum(days[7]), sum(days[8]), sum(days[9]), sum(days[10]), sum(days[11]), sum(days[12]), sum(days[13]), sum(days[14]), sum(days[15]), sum(days[16]), sum(days[17]), sum(days[18]), sum(days[19]), sum(days[20]), sum(days[21]), sum(days[22]), sum(days[23]), sum(days[24]), sum(days[25]), sum(days[26]), sum(days[27]), sum(days[28]), sum(days[29]), sum(days[30]), sum(days[31])] AS days FROM history_count
      WHERE
source = 1
AND operator_id = ANY($1::int[]) AND model_id = ANY($2::int[])
AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND month = ANY($5::date[])
      GROUP BY month
    ) AS summed, unnest(days) WITH ORDINALITY AS one (n, day_of_month)
  ) AS cell WHERE n <> 0 AND ("day" >= $6::date AND "day" < $7::date OR "day" >= $8::date AND "day" < $9::date) UNION ALL
SELECT day, n FROM history_delta
WHERE source = 1 AND operator_id = ANY($10::int[]) AND model_id = ANY($11::int[]) AND region_id = ANY($12::int[]) AND semaphore_code = ANY($13::text[])
  AND ("day" >= $14::date AND "day" < $15::date OR "day" >= $16::date AND "day" < $17::date)
    UNION ALL SELECT $18::date, -1 * (SELECT count(*) FROM "alarm_history" WHERE operator_id = ANY($19::int[]) AND model_id = ANY($20::int[]) AND region_id = ANY($21::int[]) AND semaphore_code = ANY($22::text[]) AND occurred_at >= $23 AND occurred_at < $24) UNION ALL SELECT $25::date, -1 * (SELECT count(*) FROM "alarm_history" WHERE operator_id = ANY($26::int[]) AND model_id = ANY($27::int[]) AND region_id = ANY($28::int[]) AND semaphore_code = ANY($29::text[]) AND occurred_at >= $30 AND occurred_at < $31)
  ) AS cell GROUP BY day;

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

-- withoutExcluded
-- answers at timestamptz
SELECT occurred_at AS at FROM (
  SELECT occurred_at, episode_id AS id FROM alarm_state WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $5 AND occurred_at < $6 AND episode_id IN (
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
END) = ANY($7::text[]) AND p.assignee_id = $8) AND $9 AND $10
    UNION ALL
SELECT h.occurred_at, h.id
FROM (SELECT * FROM alarm_history WHERE operator_id = ANY($11::int[]) AND model_id = ANY($12::int[]) AND region_id = ANY($13::int[]) AND semaphore_code = ANY($14::text[]) AND occurred_at >= $15 AND occurred_at < $16) h
JOIN alarm_handling p ON p.occurred_at = h.occurred_at AND p.episode_id = h.id
LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
WHERE h.recovered_at IS NOT NULL
  AND p.occurred_at >= $17 AND p.occurred_at < $18
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
END) = ANY($19::text[]) AND p.assignee_id = $20) AS x
    WHERE occurred_at >= $21 AND occurred_at < $22 ORDER BY occurred_at DESC;

-- countRows
-- answers day date, n int8
SELECT occurred_at::date AS day, count(*) AS n FROM "alarm_history"
WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND occurred_at >= $5 AND occurred_at < $6
GROUP BY occurred_at::date;
