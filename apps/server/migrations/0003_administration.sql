-- Counts the changes of a row that people edit: who saves what he read before somebody else's change is told.
ALTER TABLE organization ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE operator ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE region ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE equip_type ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE equip_model ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE app_user ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE role ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE menu ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE dictionary_entry ADD COLUMN version integer NOT NULL DEFAULT 1;
