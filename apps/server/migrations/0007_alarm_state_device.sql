-- Checked for each row, the reference cost a twentieth of what an alarm costs that opens. Ingest instead locks
-- the devices that it reads (FOR KEY SHARE), and who deletes a device deletes its states.
ALTER TABLE alarm_state DROP CONSTRAINT alarm_state_device_id_fkey;
