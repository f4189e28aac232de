-- online
ALTER TABLE device VALIDATE CONSTRAINT device_protocol_check;
