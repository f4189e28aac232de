-- Written by `npm run docs:sql`.

-- moveHistory
INSERT INTO history_move (device_id) VALUES ($1)
ON CONFLICT (device_id) DO UPDATE SET moved_at = excluded.moved_at;

-- deleteHistory
DELETE FROM alarm_state WHERE device_id = $1;

-- deleteHistory
DELETE FROM history_move WHERE device_id = $1;

-- repairMoves
-- answers deviceId int4, operatorId int4, modelId int4, regionId int4
SELECT m.device_id AS "deviceId", d.operator_id AS "operatorId", d.model_id AS "modelId",
  d.region_id AS "regionId"
FROM history_move m JOIN device d ON d.id = m.device_id
WHERE m.moved_at < now() - $1 * interval '1 ms';

-- repairMoves
-- answers operatorId int4, modelId int4, regionId int4
SELECT operator_id AS "operatorId", model_id AS "modelId", region_id AS "regionId"
FROM device WHERE id = $1 FOR SHARE;

-- repairMoves
DELETE FROM history_move
WHERE device_id = $1 AND moved_at < now() - $2 * interval '1 ms';

-- bringAlong
UPDATE alarm_state SET operator_id = $1, model_id = $2, region_id = $3 WHERE
device_id = $4
AND (operator_id, model_id, region_id) IS DISTINCT FROM ($5::int, $6::int, $7::int);

-- bringAlong
WITH old AS MATERIALIZED (
      SELECT id, occurred_at, operator_id, model_id, region_id, semaphore_code
      FROM "alarm_history" WHERE
  device_id = $1
  AND (operator_id, model_id, region_id) IS DISTINCT FROM ($2::int, $3::int, $4::int) FOR UPDATE
    ), moved AS (
      UPDATE "alarm_history" AS h SET operator_id = $5, model_id = $6, region_id = $7
      FROM old WHERE h.occurred_at = old.occurred_at AND h.id = old.id
    )
INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
SELECT 1::smallint, day, operator_id, model_id, region_id, semaphore_code, sum(n)
FROM (
        SELECT occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code, -1 AS n FROM old
        UNION ALL
        SELECT occurred_at::date, $8::int, $9::int, $10::int, semaphore_code, 1
        FROM old) AS change
GROUP BY day, operator_id, model_id, region_id, semaphore_code;
