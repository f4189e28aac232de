-- The organization in which what was asked for stays; null of a SYSTEM user, and of what was asked for before.

ALTER TABLE approval ADD COLUMN asked_in integer;
