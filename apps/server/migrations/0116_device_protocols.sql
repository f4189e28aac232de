-- online
CREATE INDEX CONCURRENTLY device_elsewhere ON device (protocol, id) WHERE protocol <> 'mqtt';
