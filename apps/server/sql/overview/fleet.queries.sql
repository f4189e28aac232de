-- Written by `npm run docs:sql`.

-- countFleet
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtext('fleet_count'), hashtext($1));

-- countFleet
-- answers ?column? int4
INSERT INTO fleet_figure (figure) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1;

-- countFleet
-- answers count int4
WITH stale AS MATERIALIZED (
        SELECT DISTINCT operator_id, model_id, region_id FROM device WHERE id = ANY($1::int[])
      ), change AS MATERIALIZED (
        SELECT operator_id, model_id, region_id, name, detail, coalesce(f.n, 0) - coalesce(k.n, 0) AS n
        FROM (
    SELECT d.operator_id, d.model_id, d.region_id, '' AS detail, count(*)::int AS n,
      CASE
        WHEN d.business_status = 2 THEN 'undelivered'
        WHEN d.business_status = 3 THEN 'commissioning'
        WHEN s.is_online THEN 'online'
        WHEN s.online_changed_at IS NOT NULL THEN 'offline'
        ELSE 'never'
      END AS name
    FROM device d LEFT JOIN device_state s ON s.device_id = d.id
    GROUP BY 1, 2, 3, 6) AS f
        FULL JOIN (
  SELECT operator_id, model_id, region_id, name, detail, n
  FROM fleet_count
  WHERE figure = $2 AND model_id <> 0 AND region_id <> 0 AND operator_id <> 0) AS k USING (operator_id, model_id, region_id, name, detail)
        WHERE f.n IS DISTINCT FROM k.n
      ), summed AS MATERIALIZED (
        SELECT coalesce(operator_id, 0) AS operator_id, coalesce(model_id, 0) AS model_id,
          coalesce(region_id, 0) AS region_id, name, detail, sum(n)::int AS n
        FROM change
        GROUP BY name, detail, GROUPING SETS (
          (), (operator_id), (operator_id, model_id), (operator_id, region_id), (operator_id, model_id, region_id))
        HAVING sum(n) <> 0
      ), counted AS (
        INSERT INTO fleet_count AS c (figure, operator_id, model_id, region_id, name, detail, n)
        SELECT $3, operator_id, model_id, region_id, name, detail, n FROM summed
        ON CONFLICT (figure, model_id, region_id, operator_id, name, detail) DO UPDATE SET n = c.n + excluded.n
      ), changed AS (
  INSERT INTO fleet_change AS c (figure, operator_id, model_id, region_id, name, hour, n)
  SELECT $4, operator_id, model_id, region_id, name, date_trunc('hour', now()), n FROM summed
  ON CONFLICT (figure, model_id, region_id, operator_id, name, hour) DO UPDATE SET n = c.n + excluded.n
)
      SELECT count(*)::int AS count FROM summed;

-- countFleet
DELETE FROM fleet_count WHERE figure = $1 AND n = 0;

-- countFleet
DELETE FROM fleet_change WHERE hour < now() - $1 * interval '1 hour';

-- msUntilNextAway
-- answers ms float8
SELECT (extract(epoch FROM min(offline_since) + $1 * interval '1 hour' - now()) * 1000)::float8 AS ms
FROM device_listing WHERE business_status = 1 AND offline_since >= now() - $2 * interval '1 hour';
