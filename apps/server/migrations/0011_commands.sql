-- What devices are told to do: one row a command, from its making to its one final result.
CREATE TABLE device_command (
  -- A UUID of version 7: ordered by time, and random enough to be new after a restore from a backup. A sequence
  -- would then issue numbers again that devices remember as executed, and they would not execute the command.
  id uuid PRIMARY KEY,
  device_id integer NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  -- Part of the address, copied so that sending reads this table alone.
  device_code text NOT NULL,
  -- Name of the down topic.
  topic text NOT NULL,
  -- The command's own fields; the head is added when it is sent.
  body jsonb NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'delivered', 'finished')),
  attempts integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL,
  interval_ms integer NOT NULL,
  -- When somebody has to look at it again; NULL: never, it is final.
  next_at timestamptz,
  deadline timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Of the newest attempt.
  sent_at timestamptz,
  delivered_at timestamptz,
  finished_at timestamptz,
  result text CHECK (result IN ('answered', 'refused', 'expired', 'cancelled')),
  -- The device's words: done, refused or failed, and why.
  outcome text,
  reason text,
  -- An answer that came after the command had expired or was cancelled.
  late_outcome text,
  late_reason text,
  late_at timestamptz,
  CONSTRAINT device_command_final CHECK (
    (state = 'finished') = (result IS NOT NULL)
    AND (state = 'finished') = (next_at IS NULL)
    AND (state = 'finished') = (finished_at IS NOT NULL)
  )
) WITH (fillfactor = 70);

-- The lease queue.
CREATE INDEX device_command_due ON device_command (next_at) WHERE next_at IS NOT NULL;
-- What a device that becomes reachable has to be sent, in order.
CREATE INDEX device_command_open ON device_command (device_id, id) WHERE next_at IS NOT NULL;
-- For the reference: a device that is deleted takes its commands along.
CREATE INDEX device_command_device ON device_command (device_id);
-- What is kept no longer.
CREATE INDEX device_command_finished ON device_command (finished_at) WHERE finished_at IS NOT NULL;
