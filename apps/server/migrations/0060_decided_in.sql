-- The organization in which a decision stays that chooses devices again later; null for one of a SYSTEM user, and where
-- nothing is known. Its maker may go to another organization, or become SYSTEM.
ALTER TABLE upgrade_task ADD COLUMN decided_in integer;
ALTER TABLE advertisement ADD COLUMN decided_in integer;
ALTER TABLE software_package ADD COLUMN auto_in integer;

CREATE TEMPORARY TABLE made_by_system ON COMMIT DROP AS
  SELECT ur.user_id FROM user_role ur JOIN role r ON r.id = ur.role_id WHERE r.code = 'SYSTEM';
UPDATE upgrade_task SET decided_in = organization_id
  WHERE state IN ('planned', 'running', 'paused') AND created_by NOT IN (SELECT user_id FROM made_by_system);
UPDATE advertisement SET decided_in = organization_id
  WHERE deleted_at IS NULL AND created_by NOT IN (SELECT user_id FROM made_by_system);
UPDATE software_package k SET auto_in = u.organization_id
  FROM app_user u WHERE u.id = k.auto_by AND u.id NOT IN (SELECT user_id FROM made_by_system);
