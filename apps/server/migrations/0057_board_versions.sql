-- The form of a package carries the version of the board that its upload named. A board that was deleted meanwhile and made
-- anew, for other models, began with version 1 again and could be brought to the same one: now it begins anywhere.
ALTER TABLE pcb_board ALTER COLUMN version SET DEFAULT 1 + floor(random() * 1000000000)::int;
