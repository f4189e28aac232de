-- How many of the targets are under way, counted with the tally: reading a task would look at the command of every
-- target that waits for an offline device.
ALTER TABLE upgrade_tally ADD COLUMN under_way integer NOT NULL DEFAULT 0;
-- A list within a data scope asks for the devices of its operators: from the index alone, and not from as many pages of
-- the table as there are devices.
DROP INDEX device_operator;
CREATE INDEX device_operator ON device (operator_id) INCLUDE (id, model_id, region_id);
