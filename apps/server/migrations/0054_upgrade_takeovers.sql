-- Who decides about a task that went on after the decision of those who had made it stood no more.
ALTER TABLE upgrade_task ADD COLUMN taken_over_by integer, ADD COLUMN taken_over_by_name text;
