-- The row that a command belongs to is found by its device. An index of commands was one more to write with each move,
-- and read for nothing else.
DROP INDEX upgrade_target_command;
DROP INDEX parameter_target_command;
DROP INDEX advertisement_delivery_command;
DROP INDEX log_extraction_command;
