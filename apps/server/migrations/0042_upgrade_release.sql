-- Targets that wait for a stage, or that a pause has held, are let go a portion at a time. While some are left, this is
-- when the next one begins.
ALTER TABLE upgrade_task ADD COLUMN release_at timestamptz;
-- A portion is found in its order, however many are done.
CREATE INDEX upgrade_target_held ON upgrade_target (task_id, stage, rank)
  WHERE state = 'waiting' AND next_at IS NULL;
