-- Who, beside the makers of the task, asked for the attempt of a target: asked as a decider for each of its commands.
ALTER TABLE upgrade_target ADD COLUMN asked_by integer, ADD COLUMN asked_by_name text;
