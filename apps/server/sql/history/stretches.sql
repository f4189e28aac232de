-- Written by `npm run docs:sql`.

-- readByDay
-- answers day date, n numeric
SELECT day, sum(n) AS n FROM (
SELECT occurred_at::date AS day, 1 * count(*) AS n FROM (SELECT * FROM alarm_settled WHERE state = $1) AS h
WHERE operator_id = ANY($2::int[]) AND model_id = ANY($3::int[]) AND region_id = ANY($4::int[]) AND semaphore_code = ANY($5::text[]) AND occurred_at >= $6 AND occurred_at < $7 AND assignee_id = $8
GROUP BY occurred_at::date UNION ALL
SELECT occurred_at::date AS day, 1 * count(*) AS n FROM (SELECT * FROM alarm_settled WHERE state = $9) AS h
WHERE operator_id = ANY($10::int[]) AND model_id = ANY($11::int[]) AND region_id = ANY($12::int[]) AND semaphore_code = ANY($13::text[]) AND occurred_at >= $14 AND occurred_at < $15 AND assignee_id = $16
GROUP BY occurred_at::date UNION ALL
SELECT occurred_at::date AS day, 1 * count(*) AS n FROM (SELECT * FROM alarm_settled WHERE state = $17) AS h
WHERE operator_id = ANY($18::int[]) AND model_id = ANY($19::int[]) AND region_id = ANY($20::int[]) AND semaphore_code = ANY($21::text[]) AND occurred_at >= $22 AND occurred_at < $23 AND assignee_id = $24
GROUP BY occurred_at::date UNION ALL
SELECT occurred_at::date AS day, -1 * count(*) AS n FROM (SELECT * FROM alarm_settled WHERE state = $25) AS h
WHERE operator_id = ANY($26::int[]) AND model_id = ANY($27::int[]) AND region_id = ANY($28::int[]) AND semaphore_code = ANY($29::text[]) AND occurred_at >= $30 AND occurred_at < $31 AND assignee_id = $32
GROUP BY occurred_at::date) AS cell GROUP BY day;

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
