-- Who asked for the present attempt, where that was somebody else than the creator of the advertisement.
ALTER TABLE advertisement_delivery ADD COLUMN asked_by integer, ADD COLUMN asked_by_name text;
-- What is to leave a cabinet does not wait for a user any more.
UPDATE advertisement_delivery SET next_at = now() WHERE state = 'removing' AND next_at IS NULL AND attempts >= 16;
