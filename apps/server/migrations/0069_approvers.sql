-- The second person who agreed to a deed decides about it for as long as it goes on, as who asked for it does. No foreign
-- keys: the record outlives its people.
ALTER TABLE parameter_batch
  ADD COLUMN approved_by integer,
  ADD COLUMN approved_by_name text,
  ADD CONSTRAINT parameter_batch_approved_by_another CHECK (approved_by <> created_by);
ALTER TABLE upgrade_task
  ADD COLUMN approved_by integer,
  ADD COLUMN approved_by_name text,
  -- The organization in which that decision stays, as `decided_in` is for the creator's; null: in none.
  ADD COLUMN approved_in integer,
  ADD CONSTRAINT upgrade_task_approved_by_another
    CHECK (approved_by <> coalesce(taken_over_by, edited_by, created_by));
ALTER TABLE remote_action
  ADD COLUMN approved_by integer,
  ADD CONSTRAINT remote_action_approved_by_another CHECK (approved_by <> created_by);

UPDATE remote_action x SET approved_by = a.decided_by FROM approval a WHERE a.id = x.approval_id;
UPDATE parameter_batch b SET approved_by = a.decided_by, approved_by_name = a.decided_by_name
FROM approval a
WHERE a.kind = 'parameterBatch' AND a.state = 'agreed' AND a.result_id = b.id::text AND a.created_by = b.created_by;
-- The last form of a task is what counts.
UPDATE upgrade_task t SET approved_by = a.decided_by, approved_by_name = a.decided_by_name, approved_in = (
  SELECT u.organization_id FROM app_user u
  WHERE u.id = a.decided_by AND NOT EXISTS (
    SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id WHERE ur.user_id = u.id AND r.code = 'SYSTEM'))
FROM (
  SELECT DISTINCT ON (result_id) * FROM approval WHERE kind = 'upgrade' AND state = 'agreed' ORDER BY result_id, id DESC
) a
WHERE a.result_id = t.id::text AND t.taken_over_by IS DISTINCT FROM a.decided_by AND a.created_by = coalesce(t.edited_by, t.created_by)
  AND (t.edited_by IS NULL OR a.payload ->> 'call' = 'update');
