-- Written by `npm run docs:sql`.

-- readTrialFigures
-- answers open int4, away int4, succeeded int4, unsuccessful int4, hasHeld bool
SELECT (count(*) FILTER (WHERE t.state IN ('held', 'waiting', 'sent', 'confirming')))::int AS open, (count(*) FILTER (WHERE (
t.state = 'sent' AND (c.state = 'waiting' OR (c.state = 'sent' AND EXISTS (
SELECT FROM device_state gone WHERE gone.device_id = c.device_id
  AND NOT gone.is_online AND gone.online_changed_at >= c.sent_at - interval '1 minute'))) AND s.is_online IS NOT TRUE
AND greatest(t.changed_at, s.online_changed_at) < now() - b.interval_minutes * interval '1 minute')))::int AS away,
    (count(*) FILTER (WHERE t.state = 'succeeded'))::int AS succeeded,
    (count(*) FILTER (WHERE t.state <> 'succeeded' AND NOT t.state IN ('held', 'waiting', 'sent', 'confirming')))::int AS unsuccessful,
    EXISTS (SELECT FROM parameter_target t WHERE t.batch_id = $1 AND t.state = 'held') AS "hasHeld"
  FROM parameter_target t
  JOIN parameter_batch b ON b.id = t.batch_id
  LEFT JOIN device_command c ON c.id = t.command_id
  LEFT JOIN device_state s ON s.device_id = t.device_id
  WHERE t.batch_id = $2 AND t.is_trial;

-- readTrialAlarms
-- answers alarmed jsonb, alarms jsonb
WITH raised AS MATERIALIZED (
  SELECT DISTINCT t.device_id, h.semaphore_code AS code
  FROM parameter_batch b
  JOIN parameter_target t ON t.batch_id = b.id AND t.is_trial
  JOIN device d ON d.id = t.device_id
  CROSS JOIN LATERAL (
    SELECT semaphore_code FROM alarm_history
    WHERE device_id = t.device_id AND occurred_at > b.created_at
      AND occurred_at <= coalesce(b.continued_at, b.finished_at, now())
    OFFSET 0
  ) h
  WHERE b.id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
    AND NOT coalesce((
      SELECT p.recovered_at IS NULL OR p.recovered_at > b.created_at
      FROM alarm_history p
      WHERE p.device_id = t.device_id AND p.semaphore_code = h.semaphore_code AND p.occurred_at <= b.created_at
      ORDER BY p.occurred_at DESC LIMIT 1
    ), false)
)
SELECT coalesce((
    SELECT jsonb_agg(jsonb_build_object('equipId', d.id, 'code', d.code) ORDER BY d.code)
    FROM device d WHERE d.id IN (SELECT device_id FROM raised)
  ), '[]') AS alarmed,
  coalesce((
    SELECT jsonb_agg(jsonb_build_object('code', c.code, 'name', coalesce(e.name, c.code), 'level', e.alarm_level,
      'devices', c.n) ORDER BY c.n DESC, c.code)
    FROM (SELECT code, count(*) AS n FROM raised GROUP BY code) c
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = c.code
  ), '[]') AS alarms;

-- listCodesNotOnTrial
-- answers code text
SELECT asked.code FROM unnest($1::text[]) WITH ORDINALITY AS asked (code, n)
WHERE NOT EXISTS (
  SELECT FROM parameter_target t JOIN device d ON d.id = t.device_id
  WHERE t.batch_id = $2 AND t.is_trial AND d.code = asked.code)
ORDER BY asked.n;

-- forgetTrial
UPDATE parameter_target t SET is_trial = false WHERE t.batch_id = $1 AND t.is_trial;
