-- Who asked for the present attempts, where that was somebody else than the creator of the batch.
ALTER TABLE parameter_target ADD COLUMN asked_by integer, ADD COLUMN asked_by_name text;
-- Why a batch was stopped by itself.
ALTER TABLE parameter_batch ADD COLUMN stop_note text;
