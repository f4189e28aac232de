-- Codes are counted by station: what one has said with a code, how often and since when, is for who sees that station.

-- Of a row of before only the last time is surely its station's own.
DELETE FROM ocpp_unknown_code WHERE device_id IS NULL;
UPDATE ocpp_unknown_code SET info = NULL, count = 1, first_at = last_at;

ALTER TABLE ocpp_unknown_code
  DROP CONSTRAINT ocpp_unknown_code_pkey,
  ADD CONSTRAINT ocpp_unknown_code_pkey PRIMARY KEY (device_id, vendor, code),
  DROP CONSTRAINT ocpp_unknown_code_device_id_fkey,
  ADD CONSTRAINT ocpp_unknown_code_device_id_fkey FOREIGN KEY (device_id) REFERENCES device (id) ON DELETE CASCADE;
