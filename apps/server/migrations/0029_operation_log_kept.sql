-- An entry keeps the organization that its user had: whoever moves takes nothing of what he has done for another
-- organization along. Null: done as SYSTEM, for all organizations, or by nobody that is known.
ALTER TABLE operation_log ADD COLUMN organization_id integer;
UPDATE operation_log o SET organization_id = u.organization_id FROM app_user u
WHERE u.id = o.user_id AND NOT EXISTS (
  SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id WHERE ur.user_id = u.id AND r.code = 'SYSTEM'
);

-- What readers of an organization see is counted in the index alone.
DROP INDEX operation_log_user;
CREATE INDEX operation_log_user ON operation_log (user_id, at) INCLUDE (organization_id);

-- Entries are only added. What is too old goes with its partition.
CREATE FUNCTION keep_operation_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entries of the operation log are neither changed nor deleted' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER operation_log_kept BEFORE UPDATE OR DELETE ON operation_log
  FOR EACH ROW EXECUTE FUNCTION keep_operation_log();
CREATE TRIGGER operation_log_whole BEFORE TRUNCATE ON operation_log
  FOR EACH STATEMENT EXECUTE FUNCTION keep_operation_log();
