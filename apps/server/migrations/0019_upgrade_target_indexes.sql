-- Planning writes a hundred thousand targets, each into every index: the device's own index and the one that keeps a
-- target from being written twice are one. That of a task's list holds what its pages and filters go by, so that a far
-- page is counted off in the index.
ALTER TABLE upgrade_target DROP CONSTRAINT upgrade_target_once;
DROP INDEX upgrade_target_device;
ALTER TABLE upgrade_target ADD CONSTRAINT upgrade_target_once UNIQUE (device_id, task_id, part_type);
DROP INDEX upgrade_target_task;
CREATE INDEX upgrade_target_task ON upgrade_target (task_id, id) INCLUDE (device_id, stage, state);
