-- The open targets of a task that is over are ended by the work queue, some thousand at a time: until the last one the
-- task is due although its state is final.
ALTER TABLE upgrade_task DROP CONSTRAINT upgrade_task_final;
