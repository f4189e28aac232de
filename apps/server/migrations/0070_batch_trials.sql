-- A batch may begin with a trial: a few of its devices get the values first, and the others are held until somebody
-- continues it.
ALTER TABLE parameter_batch
  -- How many devices go first; null without a trial.
  ADD COLUMN trial_count smallint,
  -- So many minutes after its trial the batch continues by itself; null: somebody has to.
  ADD COLUMN trial_auto_minutes smallint,
  ADD COLUMN trial_ended_at timestamptz,
  ADD COLUMN continued_at timestamptz,
  -- Who continued it; null where it continued by itself.
  ADD COLUMN continued_by integer,
  ADD COLUMN continued_by_name text,
  ADD CONSTRAINT parameter_batch_trial CHECK (
    trial_count IS NOT NULL OR (trial_auto_minutes IS NULL AND trial_ended_at IS NULL AND continued_at IS NULL)
  ),
  DROP CONSTRAINT parameter_batch_state_check,
  ADD CONSTRAINT parameter_batch_state_check
    CHECK (state IN ('running', 'paused', 'stopping', 'stopped', 'finished'));

ALTER TABLE parameter_target
  ADD COLUMN is_trial boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT parameter_target_state_check,
  ADD CONSTRAINT parameter_target_state_check CHECK (state IN (
    'held', 'waiting', 'sent', 'confirming', 'succeeded', 'failed', 'refused', 'expired', 'skipped', 'stopped'));
-- The few devices of a trial, among a hundred thousand of its batch.
CREATE INDEX parameter_target_trial ON parameter_target (batch_id) WHERE is_trial;
