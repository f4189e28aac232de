-- Written by `npm run docs:sql`.

-- listKeptDays
-- answers day text
SELECT day::text AS day FROM report_day
WHERE part = 'devices' AND zone = $1 AND day >= $2::date AND day <= $3::date
  AND day NOT IN (SELECT w.from_at::date FROM report_touched w WHERE w.device_id IS NULL);

-- sumTimes
-- answers key text, deviceCount int4, aliveSeconds float8, downSeconds float8, plannedSeconds float8, unknownSeconds float8, failureCount int4, groups int4
WITH asked AS MATERIALIZED (
  SELECT id, key, known_at, greatest(0,
    floor(extract(epoch FROM $1::timestamptz))
      - greatest(floor(extract(epoch FROM $2::timestamptz)), floor(extract(epoch FROM known_at))))::float8 AS alive
  FROM (
    SELECT d.id, d.operator_id::text AS key, coalesce(k.known_from, (
  SELECT greatest(
    now() - 90 * interval '1 day',
    CASE WHEN c.is_online THEN c.at ELSE d.created_at END)
  FROM device_connection c WHERE c.device_id = d.id ORDER BY c.at, c.id LIMIT 1
), (
  SELECT greatest(now() - 90 * interval '1 day', d.created_at)
  FROM device_state s WHERE s.device_id = d.id AND s.online_changed_at IS NOT NULL
)) AS known_at
    FROM (
      SELECT * FROM (SELECT id, id AS device_id, operator_id, model_id, region_id, created_at, '' AS semaphore_code FROM device) AS placed
      WHERE operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[])
    ) AS d
    LEFT JOIN report_device k ON k.device_id = d.id
    JOIN region r ON r.id = d.region_id
          JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node ON node = ANY($7::text[])
  ) AS known WHERE known_at < $8), grouped AS MATERIALIZED (
      SELECT d.key, d.devices AS "deviceCount", d.alive AS "aliveSeconds",
        coalesce(f.down, 0)::float8 AS "downSeconds", coalesce(f.planned, 0)::float8 AS "plannedSeconds",
        coalesce(f.unknown, 0)::float8 AS "unknownSeconds", coalesce(f.failures, 0)::int AS "failureCount"
      FROM (SELECT key, count(*)::int AS devices, sum(alive) AS alive FROM asked GROUP BY key) AS d
      LEFT JOIN (
        SELECT key, sum(down_s) AS down, sum(planned_s) AS planned, sum(unknown_s) AS unknown, sum(failures) AS failures
        FROM (
          SELECT a.key, fact.down_s, fact.planned_s, fact.unknown_s, fact.failures
          FROM (
  SELECT device_id, down_s, planned_s, unknown_s, failures, recovered_s FROM report_device_day r
  WHERE day >= $9::date AND day <= $10::date
    AND day <> ALL($11::date[])
    AND (device_id, day) NOT IN (SELECT t.device_id, t.day FROM (
  WITH RECURSIVE touched AS (
    SELECT DISTINCT t.device_id, day::date AS day
    FROM report_touched t
    CROSS JOIN LATERAL generate_series(
      t.from_at::date, least(t.to_at, now() - interval '1 day')::date, interval '1 day') AS day
    WHERE t.from_at IS NOT NULL AND t.device_id IS NOT NULL
    UNION
    -- Of a day that is touched as a whole, those whose failure lasts on from it.
    SELECT r.device_id, r.day
    FROM report_touched t JOIN report_device_day r ON r.day = t.from_at::date
    WHERE t.device_id IS NULL AND r.down_since IS NOT NULL
    UNION
    SELECT r.device_id, r.day + 1
    FROM touched t JOIN report_device_day r ON r.device_id = t.device_id AND r.day = t.day
    WHERE r.down_since IS NOT NULL AND r.day + 1 < now()::date
  )
  SELECT t.device_id, t.day FROM touched t
  JOIN report_day y ON y.part = 'devices' AND y.day = t.day
  -- Of older days the connections are gone: what is kept of them stays.
  WHERE t.day > (now() - 89 * interval '1 day')::date) AS t)
  UNION ALL
  SELECT device_id, down_s, planned_s, unknown_s, failures, recovered_s FROM (
  SELECT u.device_id, u.down_s, u.planned_s, u.unknown_s, u.failures, u.recovered::int[] AS recovered_s,
    to_timestamp(u.since) AS down_since
  FROM unnest(
    $12::int[], $13::int[],
    $14::int[], $15::int[],
    $16::int[],
    $17::text[],
    $18::float8[]
  ) AS u (device_id, down_s, planned_s, unknown_s, failures, recovered, since)) AS f) AS fact JOIN asked a ON a.id = fact.device_id
          UNION ALL
                SELECT g.key, g.down_s, g.planned_s, g.unknown_s, g.failures
                FROM report_group_day g WHERE
  g.kind = $19 AND g.day = ANY($20::date[])
        ) AS part GROUP BY key
      ) AS f ON f.key = d.key
    )
    SELECT NULL AS key, coalesce(sum("deviceCount"), 0)::int AS "deviceCount",
      coalesce(sum("aliveSeconds"), 0) AS "aliveSeconds", coalesce(sum("downSeconds"), 0) AS "downSeconds",
      coalesce(sum("plannedSeconds"), 0) AS "plannedSeconds", coalesce(sum("unknownSeconds"), 0) AS "unknownSeconds",
      coalesce(sum("failureCount"), 0)::int AS "failureCount", count(*)::int AS groups
    FROM grouped
    UNION ALL
    SELECT *, 0 FROM (
      SELECT * FROM grouped
      ORDER BY 1 - "downSeconds" / nullif("aliveSeconds" - "plannedSeconds" - "unknownSeconds", 0) NULLS LAST, key
      LIMIT $21 OFFSET $22
    ) AS page;

-- readRecoveries
-- answers key text, count int4, median float8, p90 float8
WITH told AS MATERIALIZED (
  SELECT d.key, seconds
  FROM (
  SELECT device_id, down_s, planned_s, unknown_s, failures, recovered_s FROM report_device_day r
  WHERE day >= $1::date AND day <= $2::date
    AND day <> ALL($3::date[])
    AND (device_id, day) NOT IN (SELECT t.device_id, t.day FROM (
  WITH RECURSIVE touched AS (
    SELECT DISTINCT t.device_id, day::date AS day
    FROM report_touched t
    CROSS JOIN LATERAL generate_series(
      t.from_at::date, least(t.to_at, now() - interval '1 day')::date, interval '1 day') AS day
    WHERE t.from_at IS NOT NULL AND t.device_id IS NOT NULL
    UNION
    -- Of a day that is touched as a whole, those whose failure lasts on from it.
    SELECT r.device_id, r.day
    FROM report_touched t JOIN report_device_day r ON r.day = t.from_at::date
    WHERE t.device_id IS NULL AND r.down_since IS NOT NULL
    UNION
    SELECT r.device_id, r.day + 1
    FROM touched t JOIN report_device_day r ON r.device_id = t.device_id AND r.day = t.day
    WHERE r.down_since IS NOT NULL AND r.day + 1 < now()::date
  )
  SELECT t.device_id, t.day FROM touched t
  JOIN report_day y ON y.part = 'devices' AND y.day = t.day
  -- Of older days the connections are gone: what is kept of them stays.
  WHERE t.day > (now() - 89 * interval '1 day')::date) AS t)
  UNION ALL
  SELECT device_id, down_s, planned_s, unknown_s, failures, recovered_s FROM (
  SELECT u.device_id, u.down_s, u.planned_s, u.unknown_s, u.failures, u.recovered::int[] AS recovered_s,
    to_timestamp(u.since) AS down_since
  FROM unnest(
    $4::int[], $5::int[],
    $6::int[], $7::int[],
    $8::int[],
    $9::text[],
    $10::float8[]
  ) AS u (device_id, down_s, planned_s, unknown_s, failures, recovered, since)) AS f) AS f JOIN (
  SELECT id, key, known_at, greatest(0,
    floor(extract(epoch FROM $11::timestamptz))
      - greatest(floor(extract(epoch FROM $12::timestamptz)), floor(extract(epoch FROM known_at))))::float8 AS alive
  FROM (
    SELECT d.id, d.operator_id::text AS key, coalesce(k.known_from, (
  SELECT greatest(
    now() - 90 * interval '1 day',
    CASE WHEN c.is_online THEN c.at ELSE d.created_at END)
  FROM device_connection c WHERE c.device_id = d.id ORDER BY c.at, c.id LIMIT 1
), (
  SELECT greatest(now() - 90 * interval '1 day', d.created_at)
  FROM device_state s WHERE s.device_id = d.id AND s.online_changed_at IS NOT NULL
)) AS known_at
    FROM (
      SELECT * FROM (SELECT id, id AS device_id, operator_id, model_id, region_id, created_at, '' AS semaphore_code FROM device) AS placed
      WHERE operator_id = ANY($13::int[]) AND model_id = ANY($14::int[]) AND region_id = ANY($15::int[]) AND semaphore_code = ANY($16::text[])
    ) AS d
    LEFT JOIN report_device k ON k.device_id = d.id
    JOIN region r ON r.id = d.region_id
          JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node ON node = ANY($17::text[])
  ) AS known WHERE known_at < $18) AS d ON d.id = f.device_id
  CROSS JOIN LATERAL unnest(f.recovered_s) AS seconds)
  SELECT NULL AS key, count(*)::int AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds)::float8 AS median,
    percentile_disc(0.9) WITHIN GROUP (ORDER BY seconds)::float8 AS p90
  FROM told HAVING count(*) > 0
  UNION ALL
  SELECT key, count(*)::int, percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds)::float8,
    percentile_disc(0.9) WITHIN GROUP (ORDER BY seconds)::float8
  FROM told WHERE key = ANY($19::text[]) GROUP BY key;

-- readAcknowledgements
-- answers key text, count int4, median float8, p90 float8
WITH told AS MATERIALIZED (
      SELECT d.key, floor(extract(epoch FROM first.at)) - floor(extract(epoch FROM p.occurred_at)) AS seconds
      FROM alarm_handling p JOIN (
  SELECT id, key, known_at, greatest(0,
    floor(extract(epoch FROM $1::timestamptz))
      - greatest(floor(extract(epoch FROM $2::timestamptz)), floor(extract(epoch FROM known_at))))::float8 AS alive
  FROM (
    SELECT d.id, d.operator_id::text AS key, coalesce(k.known_from, (
  SELECT greatest(
    now() - 90 * interval '1 day',
    CASE WHEN c.is_online THEN c.at ELSE d.created_at END)
  FROM device_connection c WHERE c.device_id = d.id ORDER BY c.at, c.id LIMIT 1
), (
  SELECT greatest(now() - 90 * interval '1 day', d.created_at)
  FROM device_state s WHERE s.device_id = d.id AND s.online_changed_at IS NOT NULL
)) AS known_at
    FROM (
      SELECT * FROM (SELECT id, id AS device_id, operator_id, model_id, region_id, created_at, '' AS semaphore_code FROM device) AS placed
      WHERE operator_id = ANY($3::int[]) AND model_id = ANY($4::int[]) AND region_id = ANY($5::int[]) AND semaphore_code = ANY($6::text[])
    ) AS d
    LEFT JOIN report_device k ON k.device_id = d.id
    JOIN region r ON r.id = d.region_id
          JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node ON node = ANY($7::text[])
  ) AS known WHERE known_at < $8) AS d ON d.id = p.device_id
      CROSS JOIN LATERAL (
        -- A trouble that comes again has been acknowledged before.
        SELECT CASE WHEN p.version = 1 THEN CASE WHEN p.acked_at >= p.occurred_at THEN p.acked_at END ELSE (
          SELECT CASE WHEN NOT bool_or(a.kind = 'carry') THEN min(a.at) END FROM alarm_handling_action a
          WHERE a.episode_id = p.episode_id AND a.kind IN ('ack', 'claim', 'assign', 'close', 'carry')
        ) END AS at
      ) AS first
      WHERE p.occurred_at >= $9 AND p.occurred_at < $10 AND first.at IS NOT NULL)
  SELECT NULL AS key, count(*)::int AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds)::float8 AS median,
    percentile_disc(0.9) WITHIN GROUP (ORDER BY seconds)::float8 AS p90
  FROM told HAVING count(*) > 0
  UNION ALL
  SELECT key, count(*)::int, percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds)::float8,
    percentile_disc(0.9) WITHIN GROUP (ORDER BY seconds)::float8
  FROM told WHERE key = ANY($11::text[]) GROUP BY key;
