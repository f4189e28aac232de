-- Written by `npm run docs:sql`.

-- oneAtATime
-- answers set_config text, pg_advisory_xact_lock void
SELECT set_config('voltkeep.counts_settled', 'on', true), pg_advisory_xact_lock($1);

-- countDeltas
-- answers n int4
SELECT count(*)::int AS n FROM (SELECT FROM history_delta LIMIT $1) AS delta;

-- mergeSlice
-- answers left int4
WITH taken AS (
  DELETE FROM history_delta
  WHERE (operator_id + model_id + region_id) % 16 = $1
  RETURNING *
), merged AS (
  INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
  SELECT source, day, operator_id, model_id, region_id, semaphore_code, sum(n) FROM taken
  GROUP BY source, day, operator_id, model_id, region_id, semaphore_code HAVING sum(n) <> 0
  RETURNING 1
)
SELECT count(*)::int AS left FROM merged;

-- foldDeltas
-- answers taken int4
WITH taken AS (
        DELETE FROM history_delta
        WHERE ctid = ANY(ARRAY(SELECT ctid FROM history_delta LIMIT $1))
        RETURNING *
      ), summed AS MATERIALIZED (
        SELECT source, day, operator_id, model_id, region_id, t.semaphore_code, l.level, sum(n) AS n
        FROM taken t
        LEFT JOIN history_level l ON t.source IN (1, 3, 4, 5) AND l.semaphore_code = t.semaphore_code
        GROUP BY source, day, operator_id, model_id, region_id, t.semaphore_code, l.level
        HAVING sum(n) <> 0
      ),
    by_level AS MATERIALIZED (
      SELECT source, day, operator_id, model_id, region_id, level, sum(n) AS n FROM summed
      GROUP BY source, day, operator_id, model_id, region_id, level
    ), by_region AS MATERIALIZED (
      SELECT source, day, region_id, semaphore_code, sum(n) AS n FROM summed
      GROUP BY source, day, region_id, semaphore_code
    ), own_cells AS (
    SELECT source, coalesce("operator_id", 0) AS operator_id, coalesce("model_id", 0) AS model_id,
      everywhere AS region_id, coalesce(semaphore_code, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (SELECT *, 0 AS everywhere FROM "summed") AS s
    GROUP BY source, day, everywhere, GROUPING SETS ((semaphore_code), (operator_id, semaphore_code), (model_id, semaphore_code), (operator_id, model_id, semaphore_code))
     UNION ALL
    SELECT source, coalesce("operator_id", 0) AS operator_id, coalesce("model_id", 0) AS model_id,
      everywhere AS region_id, coalesce('#' || level, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (SELECT *, 0 AS everywhere FROM "by_level") AS s
    GROUP BY source, day, everywhere, GROUPING SETS ((operator_id), (operator_id), (model_id), (operator_id, model_id), (level), (operator_id, level), (model_id, level), (operator_id, model_id, level))
    HAVING level IS NOT NULL OR GROUPING(level) = 1 UNION ALL
    SELECT source, 0 AS operator_id, 0 AS model_id,
      node AS region_id, coalesce(semaphore_code, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (
  SELECT s.*, node FROM "by_region" s
  JOIN region r ON r.id = s.region_id
  CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node
) AS above
    GROUP BY source, day, node, GROUPING SETS ((semaphore_code))
     UNION ALL
    SELECT source, coalesce("operator_id", 0) AS operator_id, coalesce("model_id", 0) AS model_id,
      node AS region_id, coalesce('#' || level, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (
  SELECT s.*, node FROM "by_level" s
  JOIN region r ON r.id = s.region_id
  CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node
) AS above
    GROUP BY source, day, node, GROUPING SETS ((), (operator_id), (model_id), (operator_id, model_id), (level), (operator_id, level), (model_id, level), (operator_id, model_id, level))
    HAVING level IS NOT NULL OR GROUPING(level) = 1 UNION ALL
    SELECT source, coalesce("operator_id", 0) AS operator_id, coalesce("model_id", 0) AS model_id,
      province AS region_id, coalesce(semaphore_code, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (
  SELECT s.*, coalesce(nullif(split_part(r.path, '/', 3), '')::int, r.id) AS province
  FROM summed s JOIN region r ON r.id = s.region_id
) AS placed
    GROUP BY source, day, province, GROUPING SETS ((operator_id, semaphore_code), (model_id, semaphore_code))
    ), cells AS (
      SELECT * FROM own_cells
      UNION ALL
      SELECT c.source, -g.organization_id, c.model_id, c.region_id, c.semaphore_code, c.day, c.n
      FROM own_cells c JOIN history_group g ON g.operator_id = c.operator_id
    ),
  added_cells AS (
    INSERT INTO history_count AS c (source, operator_id, model_id, region_id, semaphore_code, month, days)
    SELECT source, operator_id, model_id, region_id, semaphore_code, month,
      ARRAY[coalesce(sum(n) FILTER (WHERE day_of_month = 1), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 2), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 3), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 4), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 5), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 6), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 7), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 8), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 9), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 10), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 11), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 12), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 13), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 14), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 15), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 16), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 17), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 18), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 19), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 20), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 21), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 22), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 23), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 24), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 25), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 26), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 27), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 28), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 29), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 30), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 31), 0)::int]
    FROM (
      SELECT source, operator_id, model_id, region_id, semaphore_code, date_trunc('month', day)::date AS month, n,
        day - date_trunc('month', day)::date + 1 AS day_of_month
      FROM cells WHERE n <> 0
      -- A fence: the day of the month is computed once for a cell and not 31 times.
      OFFSET 0
    ) AS dated
    GROUP BY source, operator_id, model_id, region_id, semaphore_code, month
    ORDER BY source, operator_id, model_id, region_id, semaphore_code, month
    ON CONFLICT (source, operator_id, model_id, region_id, semaphore_code, month)
    DO UPDATE SET days = ARRAY[c.days[1] + excluded.days[1], c.days[2] + excluded.days[2], c.days[3] + excluded.days[3], c.days[4] + excluded.days[4], c.days[5] + excluded.days[5], c.days[6] + excluded.days[6], c.days[7] + excluded.days[7], c.days[8] + excluded.days[8], c.days[9] + excluded.days[9], c.days[10] + excluded.days[10], c.days[11] + excluded.days[11], c.days[12] + excluded.days[12], c.days[13] + excluded.days[13], c.days[14] + excluded.days[14], c.days[15] + excluded.days[15], c.days[16] + excluded.days[16], c.days[17] + excluded.days[17], c.days[18] + excluded.days[18], c.days[19] + excluded.days[19], c.days[20] + excluded.days[20], c.days[21] + excluded.days[21], c.days[22] + excluded.days[22], c.days[23] + excluded.days[23], c.days[24] + excluded.days[24], c.days[25] + excluded.days[25], c.days[26] + excluded.days[26], c.days[27] + excluded.days[27], c.days[28] + excluded.days[28], c.days[29] + excluded.days[29], c.days[30] + excluded.days[30], c.days[31] + excluded.days[31]]
  )
      SELECT count(*)::int AS taken FROM taken;

-- recountLevels
SELECT FROM (
SELECT coalesce(e.code, l.semaphore_code) AS semaphore_code, l.level AS was, e.alarm_level AS level
FROM (
  SELECT code, alarm_level FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level IS NOT NULL
) AS e
FULL JOIN history_level l ON l.semaphore_code = e.code
WHERE l.level IS DISTINCT FROM e.alarm_level) AS changed LIMIT 1;

-- recountLevels
CREATE TEMPORARY TABLE changed_level ON COMMIT DROP AS
SELECT coalesce(e.code, l.semaphore_code) AS semaphore_code, l.level AS was, e.alarm_level AS level
FROM (
  SELECT code, alarm_level FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level IS NOT NULL
) AS e
FULL JOIN history_level l ON l.semaphore_code = e.code
WHERE l.level IS DISTINCT FROM e.alarm_level;

-- recountLevels
WITH counted AS (
        SELECT source, day, operator_id, model_id, region_id, semaphore_code, sum(n) AS n FROM (
          SELECT 1::smallint AS source, occurred_at::date AS day, operator_id, model_id, region_id,
            semaphore_code, count(*) AS n
          FROM "alarm_history" AS h
          WHERE semaphore_code IN (SELECT semaphore_code FROM changed_level)
          GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code UNION ALL
          SELECT 3::smallint AS source, occurred_at::date AS day, operator_id, model_id, region_id,
            semaphore_code, count(*) AS n
          FROM (SELECT * FROM (SELECT * FROM alarm_settled WHERE state = $1) AS s
        WHERE EXISTS (SELECT FROM alarm_history a WHERE a.occurred_at = s.occurred_at AND a.id = s.id)) AS h
          WHERE semaphore_code IN (SELECT semaphore_code FROM changed_level)
          GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code UNION ALL
          SELECT 4::smallint AS source, occurred_at::date AS day, operator_id, model_id, region_id,
            semaphore_code, count(*) AS n
          FROM (SELECT * FROM (SELECT * FROM alarm_settled WHERE state = $2) AS s
        WHERE EXISTS (SELECT FROM alarm_history a WHERE a.occurred_at = s.occurred_at AND a.id = s.id)) AS h
          WHERE semaphore_code IN (SELECT semaphore_code FROM changed_level)
          GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code UNION ALL
          SELECT 5::smallint AS source, occurred_at::date AS day, operator_id, model_id, region_id,
            semaphore_code, count(*) AS n
          FROM (SELECT * FROM (SELECT * FROM alarm_settled WHERE state = $3) AS s
        WHERE EXISTS (SELECT FROM alarm_history a WHERE a.occurred_at = s.occurred_at AND a.id = s.id)) AS h
          WHERE semaphore_code IN (SELECT semaphore_code FROM changed_level)
          GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code
          UNION ALL
          SELECT source, day, operator_id, model_id, region_id, semaphore_code, -n FROM history_delta
          WHERE source IN (1, 3, 4, 5) AND semaphore_code IN (SELECT semaphore_code FROM changed_level)
        ) AS row GROUP BY source, day, operator_id, model_id, region_id, semaphore_code
      ), summed AS MATERIALIZED (
        SELECT source, day, operator_id, model_id, region_id, semaphore_code,
          side.level, side.n
        FROM counted
        JOIN changed_level USING (semaphore_code)
        CROSS JOIN LATERAL (VALUES (was, -n), (changed_level.level, n)) AS side (level, n)
        WHERE side.level IS NOT NULL
      ),
    by_level AS MATERIALIZED (
      SELECT source, day, operator_id, model_id, region_id, level, sum(n) AS n FROM summed
      GROUP BY source, day, operator_id, model_id, region_id, level
    ), by_region AS MATERIALIZED (
      SELECT source, day, region_id, semaphore_code, sum(n) AS n FROM summed
      GROUP BY source, day, region_id, semaphore_code
    ), own_cells AS (
    SELECT source, 0 AS operator_id, 0 AS model_id,
      everywhere AS region_id, '' AS semaphore_code, day, sum(n)::int AS n
    FROM (SELECT *, 0 AS everywhere FROM "summed") AS s
    GROUP BY source, day, everywhere, GROUPING SETS ((operator_id))
     UNION ALL
    SELECT source, coalesce("operator_id", 0) AS operator_id, coalesce("model_id", 0) AS model_id,
      everywhere AS region_id, coalesce('#' || level, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (SELECT *, 0 AS everywhere FROM "by_level") AS s
    GROUP BY source, day, everywhere, GROUPING SETS ((level), (operator_id, level), (model_id, level), (operator_id, model_id, level))
    HAVING level IS NOT NULL OR GROUPING(level) = 1 UNION ALL
    SELECT source, 0 AS operator_id, 0 AS model_id,
      node AS region_id, '' AS semaphore_code, day, sum(n)::int AS n
    FROM (
  SELECT s.*, node FROM "by_region" s
  JOIN region r ON r.id = s.region_id
  CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node
) AS above
    GROUP BY source, day, node, GROUPING SETS ((operator_id))
     UNION ALL
    SELECT source, coalesce("operator_id", 0) AS operator_id, coalesce("model_id", 0) AS model_id,
      node AS region_id, coalesce('#' || level, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (
  SELECT s.*, node FROM "by_level" s
  JOIN region r ON r.id = s.region_id
  CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node
) AS above
    GROUP BY source, day, node, GROUPING SETS ((level), (operator_id, level), (model_id, level), (operator_id, model_id, level))
    HAVING level IS NOT NULL OR GROUPING(level) = 1 UNION ALL
    SELECT source, 0 AS operator_id, 0 AS model_id,
      province AS region_id, '' AS semaphore_code, day, sum(n)::int AS n
    FROM (
  SELECT s.*, coalesce(nullif(split_part(r.path, '/', 3), '')::int, r.id) AS province
  FROM summed s JOIN region r ON r.id = s.region_id
) AS placed
    GROUP BY source, day, province, GROUPING SETS ((operator_id))
    ), cells AS (
      SELECT * FROM own_cells
      UNION ALL
      SELECT c.source, -g.organization_id, c.model_id, c.region_id, c.semaphore_code, c.day, c.n
      FROM own_cells c JOIN history_group g ON g.operator_id = c.operator_id
    ),
  added_cells AS (
    INSERT INTO history_count AS c (source, operator_id, model_id, region_id, semaphore_code, month, days)
    SELECT source, operator_id, model_id, region_id, semaphore_code, month,
      ARRAY[coalesce(sum(n) FILTER (WHERE day_of_month = 1), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 2), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 3), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 4), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 5), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 6), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 7), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 8), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 9), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 10), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 11), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 12), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 13), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 14), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 15), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 16), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 17), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 18), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 19), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 20), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 21), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 22), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 23), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 24), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 25), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 26), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 27), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 28), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 29), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 30), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 31), 0)::int]
    FROM (
      SELECT source, operator_id, model_id, region_id, semaphore_code, date_trunc('month', day)::date AS month, n,
        day - date_trunc('month', day)::date + 1 AS day_of_month
      FROM cells WHERE n <> 0
      -- A fence: the day of the month is computed once for a cell and not 31 times.
      OFFSET 0
    ) AS dated
    GROUP BY source, operator_id, model_id, region_id, semaphore_code, month
    ORDER BY source, operator_id, model_id, region_id, semaphore_code, month
    ON CONFLICT (source, operator_id, model_id, region_id, semaphore_code, month)
    DO UPDATE SET days = ARRAY[c.days[1] + excluded.days[1], c.days[2] + excluded.days[2], c.days[3] + excluded.days[3], c.days[4] + excluded.days[4], c.days[5] + excluded.days[5], c.days[6] + excluded.days[6], c.days[7] + excluded.days[7], c.days[8] + excluded.days[8], c.days[9] + excluded.days[9], c.days[10] + excluded.days[10], c.days[11] + excluded.days[11], c.days[12] + excluded.days[12], c.days[13] + excluded.days[13], c.days[14] + excluded.days[14], c.days[15] + excluded.days[15], c.days[16] + excluded.days[16], c.days[17] + excluded.days[17], c.days[18] + excluded.days[18], c.days[19] + excluded.days[19], c.days[20] + excluded.days[20], c.days[21] + excluded.days[21], c.days[22] + excluded.days[22], c.days[23] + excluded.days[23], c.days[24] + excluded.days[24], c.days[25] + excluded.days[25], c.days[26] + excluded.days[26], c.days[27] + excluded.days[27], c.days[28] + excluded.days[28], c.days[29] + excluded.days[29], c.days[30] + excluded.days[30], c.days[31] + excluded.days[31]]
  )
      SELECT;

-- recountLevels
DELETE FROM history_level WHERE semaphore_code IN (SELECT semaphore_code FROM changed_level WHERE level IS NULL);

-- recountLevels
INSERT INTO history_level (semaphore_code, level)
SELECT semaphore_code, level FROM changed_level WHERE level IS NOT NULL
ON CONFLICT (semaphore_code) DO UPDATE SET level = excluded.level;

-- recount
LOCK TABLE history_delta IN ACCESS EXCLUSIVE MODE;

-- recount
TRUNCATE history_delta, history_count;

-- recount
DELETE FROM history_uncounted;

-- recountUncounted
SELECT FROM history_uncounted WHERE source = $1;

-- recountUncounted
LOCK TABLE alarm_settled IN SHARE ROW EXCLUSIVE MODE;

-- recountUncounted
DELETE FROM history_delta WHERE source = $1;

-- recountUncounted
DELETE FROM history_count WHERE source = $1;

-- recountUncounted
DELETE FROM history_uncounted WHERE source = $1;

-- areCounted
SELECT FROM history_uncounted WHERE source = ANY($1::int[]) LIMIT 1;

-- countHistory
WITH row AS (
      SELECT occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code, count(*) AS n
      FROM "alarm_history" AS h
      GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code
    ), summed AS MATERIALIZED (
      SELECT 1::smallint AS source, row.*,
  (SELECT l.level FROM history_level l WHERE l.semaphore_code = "row"."semaphore_code") AS level FROM row
    ),
    by_level AS MATERIALIZED (
      SELECT source, day, operator_id, model_id, region_id, level, sum(n) AS n FROM summed
      GROUP BY source, day, operator_id, model_id, region_id, level
    ), by_region AS MATERIALIZED (
      SELECT source, day, region_id, semaphore_code, sum(n) AS n FROM summed
      GROUP BY source, day, region_id, semaphore_code
    ), own_cells AS (
    SELECT source, coalesce("operator_id", 0) AS operator_id, coalesce("model_id", 0) AS model_id,
      everywhere AS region_id, coalesce(semaphore_code, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (SELECT *, 0 AS everywhere FROM "summed") AS s
    GROUP BY source, day, everywhere, GROUPING SETS ((semaphore_code), (operator_id, semaphore_code), (model_id, semaphore_code), (operator_id, model_id, semaphore_code))
     UNION ALL
    SELECT source, coalesce("operator_id", 0) AS operator_id, coalesce("model_id", 0) AS model_id,
      everywhere AS region_id, coalesce('#' || level, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (SELECT *, 0 AS everywhere FROM "by_level") AS s
    GROUP BY source, day, everywhere, GROUPING SETS ((operator_id), (operator_id), (model_id), (operator_id, model_id), (level), (operator_id, level), (model_id, level), (operator_id, model_id, level))
    HAVING level IS NOT NULL OR GROUPING(level) = 1 UNION ALL
    SELECT source, 0 AS operator_id, 0 AS model_id,
      node AS region_id, coalesce(semaphore_code, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (
  SELECT s.*, node FROM "by_region" s
  JOIN region r ON r.id = s.region_id
  CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node
) AS above
    GROUP BY source, day, node, GROUPING SETS ((semaphore_code))
     UNION ALL
    SELECT source, coalesce("operator_id", 0) AS operator_id, coalesce("model_id", 0) AS model_id,
      node AS region_id, coalesce('#' || level, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (
  SELECT s.*, node FROM "by_level" s
  JOIN region r ON r.id = s.region_id
  CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node
) AS above
    GROUP BY source, day, node, GROUPING SETS ((), (operator_id), (model_id), (operator_id, model_id), (level), (operator_id, level), (model_id, level), (operator_id, model_id, level))
    HAVING level IS NOT NULL OR GROUPING(level) = 1 UNION ALL
    SELECT source, coalesce("operator_id", 0) AS operator_id, coalesce("model_id", 0) AS model_id,
      province AS region_id, coalesce(semaphore_code, '') AS semaphore_code, day, sum(n)::int AS n
    FROM (
  SELECT s.*, coalesce(nullif(split_part(r.path, '/', 3), '')::int, r.id) AS province
  FROM summed s JOIN region r ON r.id = s.region_id
) AS placed
    GROUP BY source, day, province, GROUPING SETS ((operator_id, semaphore_code), (model_id, semaphore_code))
    ), cells AS (
      SELECT * FROM own_cells
      UNION ALL
      SELECT c.source, -g.organization_id, c.model_id, c.region_id, c.semaphore_code, c.day, c.n
      FROM own_cells c JOIN history_group g ON g.operator_id = c.operator_id
    ),
  added_cells AS (
    INSERT INTO history_count AS c (source, operator_id, model_id, region_id, semaphore_code, month, days)
    SELECT source, operator_id, model_id, region_id, semaphore_code, month,
      ARRAY[coalesce(sum(n) FILTER (WHERE day_of_month = 1), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 2), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 3), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 4), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 5), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 6), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 7), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 8), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 9), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 10), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 11), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 12), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 13), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 14), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 15), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 16), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 17), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 18), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 19), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 20), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 21), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 22), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 23), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 24), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 25), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 26), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 27), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 28), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 29), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 30), 0)::int, coalesce(sum(n) FILTER (WHERE day_of_month = 31), 0)::int]
    FROM (
      SELECT source, operator_id, model_id, region_id, semaphore_code, date_trunc('month', day)::date AS month, n,
        day - date_trunc('month', day)::date + 1 AS day_of_month
      FROM cells WHERE n <> 0
      -- A fence: the day of the month is computed once for a cell and not 31 times.
      OFFSET 0
    ) AS dated
    GROUP BY source, operator_id, model_id, region_id, semaphore_code, month
    ORDER BY source, operator_id, model_id, region_id, semaphore_code, month
    ON CONFLICT (source, operator_id, model_id, region_id, semaphore_code, month)
    DO UPDATE SET days = ARRAY[c.days[1] + excluded.days[1], c.days[2] + excluded.days[2], c.days[3] + excluded.days[3], c.days[4] + excluded.days[4], c.days[5] + excluded.days[5], c.days[6] + excluded.days[6], c.days[7] + excluded.days[7], c.days[8] + excluded.days[8], c.days[9] + excluded.days[9], c.days[10] + excluded.days[10], c.days[11] + excluded.days[11], c.days[12] + excluded.days[12], c.days[13] + excluded.days[13], c.days[14] + excluded.days[14], c.days[15] + excluded.days[15], c.days[16] + excluded.days[16], c.days[17] + excluded.days[17], c.days[18] + excluded.days[18], c.days[19] + excluded.days[19], c.days[20] + excluded.days[20], c.days[21] + excluded.days[21], c.days[22] + excluded.days[22], c.days[23] + excluded.days[23], c.days[24] + excluded.days[24], c.days[25] + excluded.days[25], c.days[26] + excluded.days[26], c.days[27] + excluded.days[27], c.days[28] + excluded.days[28], c.days[29] + excluded.days[29], c.days[30] + excluded.days[30], c.days[31] + excluded.days[31]]
  )
    SELECT;

-- keepZone
-- answers zone text
SELECT zone FROM history_zone;

-- keepZone
INSERT INTO history_zone (zone) VALUES ($1) ON CONFLICT (is_only) DO UPDATE SET zone = excluded.zone;
