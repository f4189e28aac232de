-- Automatic upgrades of more devices than one person may decide about: who agreed, to how many devices, and what is held
-- until somebody does. No foreign keys: the record outlives its people.
ALTER TABLE software_package
  ADD COLUMN auto_approved_by integer,
  ADD COLUMN auto_approved_by_name text,
  -- The organization in which that decision stays, as `auto_in` is for who switched on; null: in none.
  ADD COLUMN auto_approved_in integer,
  ADD COLUMN auto_approved_count integer,
  -- Nothing is offered before somebody agrees: it reaches more devices than one person decides about.
  ADD COLUMN auto_is_held boolean NOT NULL DEFAULT false,
  -- Some devices are left out because who agreed does not reach them.
  ADD COLUMN auto_is_narrowed boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT software_package_auto_approved_by_another CHECK (auto_approved_by <> auto_by),
  ADD CONSTRAINT software_package_auto_consent CHECK (
    is_auto_upgrade OR auto_approved_by IS NULL AND NOT auto_is_held AND NOT auto_is_narrowed
  );

-- A planned task: how many devices were agreed to, and whether it waits at its time until somebody agrees.
ALTER TABLE upgrade_task
  ADD COLUMN approved_count integer,
  ADD COLUMN is_held boolean NOT NULL DEFAULT false;
UPDATE upgrade_task t SET approved_count = a.device_count
FROM (
  SELECT DISTINCT ON (result_id) result_id, device_count FROM approval
  WHERE kind = 'upgrade' AND state = 'agreed' ORDER BY result_id, id DESC
) a
WHERE t.state = 'planned' AND t.approved_by IS NOT NULL AND a.result_id = t.id::text;

ALTER TABLE approval
  DROP CONSTRAINT approval_kind_check,
  ADD CONSTRAINT approval_kind_check CHECK (kind IN ('action', 'parameterBatch', 'upgrade', 'automatic'));
-- The last one of a deed that goes on waiting.
CREATE INDEX approval_same ON approval (same_as, id) WHERE same_as IS NOT NULL;
