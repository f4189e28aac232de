-- Written by `npm run docs:sql`.

-- insertAttempts
INSERT INTO parameter_attempt (batch_id, target_id, command_id, number)
SELECT n.batch_id, n.target_id, n.command_id,
  1 + (SELECT count(*) FROM parameter_attempt a WHERE a.target_id = n.target_id)
FROM unnest(
  $1::int[],
  $2::int8[],
  $3::text[]::uuid[]
) AS n(batch_id, target_id, command_id);

-- writeAttempts
UPDATE parameter_attempt a SET
  result = coalesce(n.result, a.result), reason = coalesce(n.reason, a.reason),
  answered_at = CASE WHEN n.is_answered THEN coalesce(a.answered_at, now()) ELSE a.answered_at END,
  ended_at = CASE WHEN n.result IS NULL THEN a.ended_at ELSE now() END,
  sent_at = coalesce(a.sent_at, (SELECT c.sent_at FROM device_command c WHERE c.id = n.command_id AND c.attempts > 0))
FROM unnest(
  $1::int8[],
  $2::text[]::uuid[],
  $3::text[],
  $4::text[],
  $5::bool[]
) AS n(target_id, command_id, result, reason, is_answered)
WHERE a.target_id = n.target_id AND a.command_id = n.command_id AND a.result = 'underWay';

-- 
DELETE FROM parameter_attempt WHERE created_at < $1 AND id IN (
SELECT id FROM parameter_attempt ORDER BY id LIMIT $2);
