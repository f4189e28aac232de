-- Written by `npm run docs:sql`.

-- countSteps
-- answers key text, step int4, n int4
SELECT key, step::int AS step, sum(n)::int AS n FROM (
      SELECT g.key, u.step, u.n FROM report_group_day g CROSS JOIN LATERAL unnest(g.steps, g.counts) AS u (step, n)
      WHERE
  g.kind = $1 AND g.day = ANY($2::date[])
      UNION ALL
      SELECT key, width_bucket(seconds::int8, $3::int8[]), 1 FROM (
  SELECT d.key, seconds
  FROM (
  SELECT device_id, down_s, planned_s, unknown_s, failures, recovered_s FROM report_device_day r
  WHERE day >= $4::date AND day <= $5::date
    AND day <> ALL($6::date[])
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
    $7::int[], $8::int[],
    $9::int[], $10::int[],
    $11::int[],
    $12::text[],
    $13::float8[]
  ) AS u (device_id, down_s, planned_s, unknown_s, failures, recovered, since)) AS f) AS f JOIN (
  SELECT id, key, known_at, greatest(0,
    floor(extract(epoch FROM $14::timestamptz))
      - greatest(floor(extract(epoch FROM $15::timestamptz)), floor(extract(epoch FROM known_at))))::float8 AS alive
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
      WHERE operator_id = ANY($16::int[]) AND model_id = ANY($17::int[]) AND region_id = ANY($18::int[]) AND semaphore_code = ANY($19::text[])
    ) AS d
    LEFT JOIN report_device k ON k.device_id = d.id
    JOIN region r ON r.id = d.region_id
          JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node ON node = ANY($20::text[])
  ) AS known WHERE known_at < $21) AS d ON d.id = f.device_id
  CROSS JOIN LATERAL unnest(f.recovered_s) AS seconds) AS o
    ) AS part GROUP BY key, step;

-- readSteps
-- answers name text, seconds int4, n int4
WITH wanted AS MATERIALIZED (
      SELECT name, key, step FROM unnest(
        $1::text[], $2::text[],
        $3::int[]) AS w (name, key, step)
    )
    SELECT name, seconds, count(*)::int AS n FROM (
      SELECT w.name, seconds
      FROM wanted w JOIN report_group_day g ON g.key = w.key AND
  g.kind = $4 AND g.day = ANY($5::date[])
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(n) FILTER (WHERE u.step < w.step), 0)::int AS before,
          coalesce(sum(n) FILTER (WHERE u.step = w.step), 0)::int AS own
        FROM unnest(g.steps, g.counts) AS u (step, n)
      ) AS place
      CROSS JOIN LATERAL unnest(g.recovered_s[place.before + 1 : place.before + place.own]) AS seconds
      UNION ALL
      SELECT w.name, o.seconds FROM (
  SELECT d.key, seconds
  FROM (
  SELECT device_id, down_s, planned_s, unknown_s, failures, recovered_s FROM report_device_day r
  WHERE day >= $6::date AND day <= $7::date
    AND day <> ALL($8::date[])
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
    $9::int[], $10::int[],
    $11::int[], $12::int[],
    $13::int[],
    $14::text[],
    $15::float8[]
  ) AS u (device_id, down_s, planned_s, unknown_s, failures, recovered, since)) AS f) AS f JOIN (
  SELECT id, key, known_at, greatest(0,
    floor(extract(epoch FROM $16::timestamptz))
      - greatest(floor(extract(epoch FROM $17::timestamptz)), floor(extract(epoch FROM known_at))))::float8 AS alive
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
      WHERE operator_id = ANY($18::int[]) AND model_id = ANY($19::int[]) AND region_id = ANY($20::int[]) AND semaphore_code = ANY($21::text[])
    ) AS d
    LEFT JOIN report_device k ON k.device_id = d.id
    JOIN region r ON r.id = d.region_id
          JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node ON node = ANY($22::text[])
  ) AS known WHERE known_at < $23) AS d ON d.id = f.device_id
  CROSS JOIN LATERAL unnest(f.recovered_s) AS seconds) AS o
      JOIN wanted w ON w.key = o.key AND w.step = width_bucket(o.seconds::int8, $24::int8[])
    ) AS part GROUP BY name, seconds;
