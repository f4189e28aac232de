-- Written by `npm run docs:sql`.

-- recordTransitions
INSERT INTO upgrade_transition (task_id, stage, target_id, from_state, to_state, cause, detail)
SELECT * FROM unnest(
  $1::int[],
  $2::int8[]::int2[],
  $3::int8[],
  $4::text[],
  $5::text[],
  $6::text[],
  $7::text[]::jsonb[]);

-- 
DELETE FROM upgrade_transition WHERE at < $1 AND id IN (
SELECT id FROM upgrade_transition ORDER BY id LIMIT $2);
