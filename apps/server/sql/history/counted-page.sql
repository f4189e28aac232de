-- Written by `npm run docs:sql`.

-- readSorted
-- answers occurredAt text, id int8
SELECT occurred_at::text AS "occurredAt", id FROM (
SELECT occurred_at, id FROM "alarm_history" AS h
WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND occurred_at >= $5 AND occurred_at < $6 AND NOT EXISTS (
      SELECT FROM (
    SELECT occurred_at, episode_id AS id
    FROM alarm_state WHERE operator_id = ANY($7::int[]) AND model_id = ANY($8::int[]) AND region_id = ANY($9::int[]) AND semaphore_code = ANY($10::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $11 AND occurred_at < $12) AS x WHERE x.occurred_at = h.occurred_at AND x.id = h.id) ORDER BY occurred_at DESC, id DESC OFFSET $13 LIMIT $14) AS page;

-- walkKeys
-- answers occurredAt text, id int8
SELECT occurred_at::text AS "occurredAt", id FROM (
SELECT occurred_at, id FROM "alarm_history" AS h
WHERE operator_id = ANY($1::int[]) AND model_id = ANY($2::int[]) AND region_id = ANY($3::int[]) AND semaphore_code = ANY($4::text[]) AND occurred_at >= $5 AND occurred_at < $6 AND NOT EXISTS (
      SELECT FROM (
    SELECT occurred_at, episode_id AS id
    FROM alarm_state WHERE operator_id = ANY($7::int[]) AND model_id = ANY($8::int[]) AND region_id = ANY($9::int[]) AND semaphore_code = ANY($10::text[]) AND is_active AND episode_id IS NOT NULL AND NOT is_active AND occurred_at >= $11 AND occurred_at < $12) AS x WHERE x.occurred_at = h.occurred_at AND x.id = h.id)
        AND (occurred_at, id) < ($13::timestamptz, $14::bigint)
      ORDER BY occurred_at DESC, id DESC LIMIT $15) AS page;
