-- The board that a part says it is built on: firmware for another board is not for it. Null where it does not say.
ALTER TABLE device_version ADD COLUMN pcb_code text;
