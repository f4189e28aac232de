-- Written by `npm run docs:sql`.

-- nameMailChannels
-- answers id int4, name text
SELECT c.id, c.name FROM notify_channel c
  WHERE c.kind = 'mail' AND "c"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) ORDER BY c.name, c.id;

-- lockMailChannel
-- answers id int4, name text
SELECT c.id, c.name FROM notify_channel c
  WHERE c.id = $1 AND c.kind = 'mail' AND "c"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  FOR KEY SHARE;

-- readMailing
-- answers name text, isEnabled bool, decidedBy int4, decidedByName text, decidedIn int4 null
SELECT c.name, c.is_enabled AS "isEnabled", c.decided_by AS "decidedBy", c.decided_by_name AS "decidedByName",
  c.decided_in AS "decidedIn"
FROM notify_channel c WHERE c.id = $1;

-- hasLetter
SELECT FROM notify_letter WHERE series = $1 AND period = $2;

-- insertLetter
WITH delivery AS (
  INSERT INTO notify_delivery (channel_id, channel_name, kind, rule_names, decided_by, decided_in, state, title,
    message, alarm_count, attempts)
  SELECT c.id, c.name, c.kind, ARRAY[$1]::text[], $2::int[],
    $3::int[], 'sending', $4,
    $5::jsonb, 0, 0
  FROM notify_channel c WHERE c.id = $6 RETURNING id
)
INSERT INTO notify_letter (delivery_id, series, period, deciders, scope, file_name, file)
SELECT id, $7, $8, $9::jsonb, $10::jsonb,
  $11, $12::bytea
FROM delivery;

-- scheduleChannel
UPDATE notify_channel SET next_at = now() WHERE id = $1 AND (next_at IS NULL OR next_at > now());

-- readDecision
-- answers deciders jsonb, scope jsonb
SELECT deciders, scope FROM notify_letter WHERE delivery_id = $1;

-- readFile
-- answers name text, content bytea
SELECT coalesce(file_name, '') AS name, file AS content FROM notify_letter
WHERE delivery_id = $1 AND file IS NOT NULL;

-- forgetFile
UPDATE notify_letter SET file = NULL WHERE delivery_id = $1;

-- giveUp
UPDATE notify_delivery SET state = 'givenUp', retry_at = NULL, provider_code = 'SCOPE', provider_message = $1
WHERE id = $2;

-- giveUpSeries
WITH letter AS (UPDATE notify_letter SET file = NULL WHERE series = $1 RETURNING delivery_id)
UPDATE notify_delivery y SET state = 'givenUp', retry_at = NULL, provider_code = 'ENDED', provider_message = $2
FROM letter WHERE y.id = letter.delivery_id AND y.state IN ('sending', 'retrying');
