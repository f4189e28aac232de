-- The row that a command belongs to is found by its device, and an attempt by its target. An index of commands was one
-- more to write with each move, and read for nothing else.
DROP INDEX upgrade_target_command;
DROP INDEX parameter_target_command;
DROP INDEX advertisement_delivery_command;
DROP INDEX log_extraction_command;
ALTER TABLE parameter_attempt DROP CONSTRAINT parameter_attempt_command;

-- An attempt is written once more, when it is over, and no index knows of that where the page has room for it.
ALTER TABLE parameter_attempt SET (fillfactor = 50);
