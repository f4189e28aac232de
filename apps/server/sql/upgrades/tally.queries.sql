-- Written by `npm run docs:sql`.

-- refreshTally
-- answers changes int4
WITH counted AS MATERIALIZED (
    SELECT t.stage, t.state, d.operator_id, d.model_id, d.region_id, count(*)::int AS count,
      (count(*) FILTER (WHERE (
(t.state IN ('sent', 'downloading', 'installing') OR t.state = 'waiting' AND t.attempts > 0)
AND NOT coalesce(
  t.state = 'sent' AND t.next_at IS NULL AND c.state = 'waiting' AND c.attempts = 0 AND s.is_online IS NOT TRUE,
  false))))::int AS under_way
    FROM upgrade_target t JOIN device d ON d.id = t.device_id
    LEFT JOIN device_command c ON c.device_id = t.device_id AND c.id = t.command_id AND c.next_at IS NOT NULL
    LEFT JOIN device_state s ON s.device_id = t.device_id
    WHERE t.task_id = $1 GROUP BY 1, 2, 3, 4, 5
  ),
  gone AS (
    DELETE FROM upgrade_tally y WHERE y.task_id = $2 AND NOT EXISTS (
      SELECT FROM counted c WHERE c.stage = y.stage AND c.state = y.state AND c.operator_id = y.operator_id
        AND c.model_id = y.model_id AND c.region_id = y.region_id)
    RETURNING 1
  ),
  written AS (
    INSERT INTO upgrade_tally AS y (task_id, stage, state, operator_id, model_id, region_id, count, under_way)
    SELECT $3, stage, state, operator_id, model_id, region_id, count, under_way FROM counted
    ON CONFLICT (task_id, stage, state, operator_id, model_id, region_id) DO UPDATE
    SET count = excluded.count, under_way = excluded.under_way
    WHERE y.count <> excluded.count OR y.under_way <> excluded.under_way
    RETURNING 1
  )
  SELECT ((SELECT count(*) FROM gone) + (SELECT count(*) FROM written))::int AS changes;

-- countTallied
-- answers count int4
SELECT coalesce(sum(y.count), 0)::int AS count FROM upgrade_tally y
WHERE y.task_id = $1 AND ("y"."operator_id" = ANY($2::int[]) AND "y"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "y"."region_id" = ANY($4::int[])) AND y.state = ANY($5::text[]) AND y.stage = $6;

-- readCounts
-- answers taskId int4, stage int2, state text, count int4
SELECT y.task_id AS "taskId", y.stage, y.state, sum(y.count)::int AS count FROM upgrade_tally y
WHERE y.task_id = ANY($1::int[]) AND ("y"."operator_id" = ANY($2::int[]) AND "y"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "y"."region_id" = ANY($4::int[]))
GROUP BY 1, 2, 3;

-- readUnderWay
-- answers stage int2, count int4
SELECT y.stage, sum(y.under_way)::int AS count FROM upgrade_tally y
WHERE y.task_id = $1 AND y.under_way > 0 AND ("y"."operator_id" = ANY($2::int[]) AND "y"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "y"."region_id" = ANY($4::int[]))
GROUP BY 1;

-- reachesBeyond
SELECT FROM upgrade_tally y WHERE y.task_id = $1 AND NOT ("y"."operator_id" = ANY($2::int[]) AND "y"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "y"."region_id" = ANY($4::int[])) AND ("y"."operator_id" = ANY($5::int[]) AND "y"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "y"."region_id" = ANY($7::int[]))
AND true LIMIT 1;
