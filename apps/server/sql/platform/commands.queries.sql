-- Written by `npm run docs:sql`.

-- insertCommands
-- answers ids text, times text
WITH made AS (
  INSERT INTO device_command (id, device_id, device_code, topic, body, state, attempts, max_attempts,
    interval_ms, next_at, deadline, created_at, sent_at)
  SELECT m.id::uuid, m.device_id, m.device_code, m.topic, m.body::jsonb,
    CASE WHEN g.goes THEN 'sent' ELSE 'waiting' END, CASE WHEN g.goes THEN m.sent_attempts ELSE 0 END,
    m.max_attempts, m.interval_ms,
    least(m.deadline, date_trunc('milliseconds', clock_timestamp()
      + CASE WHEN g.goes THEN m.sent_look_ms ELSE m.look_in_ms END * interval '1 ms')),
    m.deadline, clock_timestamp(), CASE WHEN g.goes THEN now() END
  FROM unnest($1::text[], $2::int4[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::int4[],
    $8::int4[], $9::timestamptz[], $10::int4[], $11::int4[])
    AS m(id, device_id, device_code, topic, body, max_attempts, interval_ms, look_in_ms, deadline,
      sent_attempts, sent_look_ms)
  CROSS JOIN LATERAL (
    SELECT m.sent_attempts > 0 AND m.deadline > now() AND (
      SELECT 1 FROM device_command o
      WHERE o.device_id = m.device_id AND o.next_at IS NOT NULL AND o.state = 'waiting' ORDER BY o.id LIMIT 1
    ) IS NULL AS goes OFFSET 0
  ) g
  RETURNING id, state, created_at
)
SELECT array_agg(id)::text AS ids,
  array_agg(floor(extract(epoch FROM created_at) * 1000)::int8)::text AS times
FROM made WHERE state = 'sent';

-- lockSendable
-- answers id uuid, deviceId int4, deviceCode text, topic text, state text, attempts int4, maxAttempts int4, intervalMs int4, nextAt timestamptz, deadline timestamptz, result text null, lateOutcome text null, now timestamptz, body text, createdAt timestamptz
SELECT t.id, t.device_id AS "deviceId", t.device_code AS "deviceCode", t.topic,
t.state, t.attempts, t.max_attempts AS "maxAttempts", t.interval_ms AS "intervalMs", t.next_at AS "nextAt",
t.deadline, t.result, t.late_outcome AS "lateOutcome", now() AS now, t.body::text AS body, t.created_at AS "createdAt"
    FROM unnest($1::int4[], $2::int4[], $3::bool[], $4::text[]) AS r(device_id, room, is_back, topics)
    CROSS JOIN LATERAL (
      SELECT * FROM device_command c
      WHERE c.device_id = r.device_id AND c.next_at IS NOT NULL AND c.deadline > now()
        AND (c.state = 'waiting' OR (r.is_back AND c.state = 'sent'))
        AND (r.topics IS NULL OR c.topic = ANY (string_to_array(r.topics, ' ')))
      ORDER BY c.id LIMIT r.room
      FOR UPDATE SKIP LOCKED
    ) AS t;

-- lockAnswered
-- answers id uuid, deviceId int4, deviceCode text, topic text, state text, attempts int4, maxAttempts int4, intervalMs int4, nextAt timestamptz null, deadline timestamptz, result text null, lateOutcome text null, now timestamptz
SELECT t.id, t.device_id AS "deviceId", t.device_code AS "deviceCode", t.topic,
t.state, t.attempts, t.max_attempts AS "maxAttempts", t.interval_ms AS "intervalMs", t.next_at AS "nextAt",
t.deadline, t.result, t.late_outcome AS "lateOutcome", now() AS now
    FROM unnest($1::text[], $2::int4[]) AS m(id, device_id)
    JOIN device_command t ON t.id = m.id::uuid AND t.device_id = m.device_id
    ORDER BY t.id FOR UPDATE OF t;

-- lockOpen
-- answers id uuid, deviceId int4, deviceCode text, topic text, state text, attempts int4, maxAttempts int4, intervalMs int4, nextAt timestamptz, deadline timestamptz, result text null, lateOutcome text null, now timestamptz
SELECT t.id, t.device_id AS "deviceId", t.device_code AS "deviceCode", t.topic,
t.state, t.attempts, t.max_attempts AS "maxAttempts", t.interval_ms AS "intervalMs", t.next_at AS "nextAt",
t.deadline, t.result, t.late_outcome AS "lateOutcome", now() AS now FROM device_command t
    WHERE t.id = ANY ($1::text[]::uuid[]) AND t.next_at IS NOT NULL
    ORDER BY t.id FOR UPDATE;

-- lockSent
-- answers id uuid, deviceId int4, deviceCode text, topic text, state text, attempts int4, maxAttempts int4, intervalMs int4, nextAt timestamptz, deadline timestamptz, result text null, lateOutcome text null, now timestamptz
SELECT t.id, t.device_id AS "deviceId", t.device_code AS "deviceCode", t.topic,
t.state, t.attempts, t.max_attempts AS "maxAttempts", t.interval_ms AS "intervalMs", t.next_at AS "nextAt",
t.deadline, t.result, t.late_outcome AS "lateOutcome", now() AS now FROM device_command t
    WHERE t.id = ANY ($1::text[]::uuid[]) AND t.next_at IS NOT NULL AND t.state = 'sent'
    ORDER BY t.id FOR UPDATE SKIP LOCKED;

-- writeCommands
UPDATE device_command t SET state = m.state, attempts = m.attempts, next_at = m.next_at,
  sent_at = CASE WHEN m.is_sent_now THEN now() ELSE t.sent_at END,
  delivered_at = CASE
    WHEN m.state = 'delivered' OR m.outcome IS NOT NULL THEN coalesce(t.delivered_at, now())
    ELSE t.delivered_at
  END,
  finished_at = CASE WHEN m.state = 'finished' THEN coalesce(t.finished_at, now()) END,
  result = m.result, outcome = coalesce(m.outcome, t.outcome), reason = coalesce(m.reason, t.reason),
  late_outcome = coalesce(m.late_outcome, t.late_outcome),
  late_reason = coalesce(m.late_reason, t.late_reason),
  late_at = CASE WHEN m.late_outcome IS NULL THEN t.late_at ELSE now() END
FROM unnest($1::text[], $2::text[], $3::int4[], $4::timestamptz[], $5::text[], $6::text[], $7::text[],
  $8::bool[], $9::text[], $10::text[])
  AS m(id, state, attempts, next_at, result, outcome, reason, is_sent_now, late_outcome, late_reason)
WHERE t.id = m.id::uuid;

-- listWaitingDevices
-- answers deviceId int4
SELECT DISTINCT device_id AS "deviceId" FROM device_command
WHERE next_at IS NOT NULL AND (state = 'waiting' OR ($3::bool AND state = 'sent')) AND device_id > $1
ORDER BY device_id LIMIT $2;

-- deleteFinished
-- answers ?column? int4
DELETE FROM device_command WHERE id IN (
  SELECT id FROM device_command WHERE id < $3::uuid AND finished_at < $1 ORDER BY id LIMIT $2
) RETURNING 1;
