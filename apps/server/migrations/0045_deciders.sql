-- Who decided what a package brings to devices: beside its creator, who supplied its file and who switched automatic
-- upgrades on. The reach of creator and supplier is kept, for when they are deleted; null: unknown, no device at all.
ALTER TABLE software_package
  ADD COLUMN created_reach jsonb,
  ADD COLUMN file_by integer,
  ADD COLUMN file_by_name text,
  ADD COLUMN file_at timestamptz,
  ADD COLUMN file_reach jsonb,
  ADD COLUMN auto_by integer,
  ADD COLUMN auto_by_name text,
  ADD COLUMN auto_at timestamptz;

CREATE FUNCTION pg_temp.reach_of(one integer) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object(
    'isSystem', EXISTS (
      SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id WHERE ur.user_id = u.id AND r.code = 'SYSTEM'),
    'organizationId', u.organization_id,
    'authorities', (
      SELECT jsonb_object_agg(type, ARRAY(
        SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = type
        ORDER BY length(a.value), a.value))
      FROM unnest(ARRAY['O', 'ET', 'R']) AS type))
  FROM app_user u WHERE u.id = one
$$;

-- A package takes no file but one that its user uploaded.
UPDATE software_package k SET
  created_reach = pg_temp.reach_of(k.created_by),
  file_by = coalesce(f.uploaded_by, k.created_by),
  file_by_name = coalesce(
    (SELECT u.login_name FROM app_user u WHERE u.id = f.uploaded_by),
    CASE WHEN coalesce(f.uploaded_by, k.created_by) = k.created_by THEN k.created_by_name ELSE '已删除用户' END),
  file_at = f.created_at,
  file_reach = pg_temp.reach_of(coalesce(f.uploaded_by, k.created_by))
FROM stored_file f WHERE f.id = k.file_id;

-- Who switched automatic upgrades on: the creator of a package that was never changed; else whom the operation log
-- names, where it names one user alone for that board and version; else nobody: the package stops until somebody
-- switches it off and on again.
WITH named AS (
  SELECT k.id, min(o.user_id) AS user_id, min(o.login_name) AS login_name, max(o.at) AS at
  FROM software_package k
  JOIN pcb_board b ON b.id = k.pcb_board_id
  JOIN operation_log o ON o.target = '固件 ' || b.pcb_code || ' V' || k.major || '.' || k.minor
    AND o.result_code = 200 AND o.changes -> 'after' -> 'isAutoUpgrade' = 'true'
  WHERE k.is_auto_upgrade AND k.version > 1
  GROUP BY k.id HAVING count(DISTINCT o.user_id) = 1 AND bool_and(o.user_id IS NOT NULL)
)
UPDATE software_package k SET
  auto_by = CASE WHEN k.version = 1 THEN k.created_by ELSE coalesce(n.user_id, 0) END,
  auto_by_name = CASE WHEN k.version = 1 THEN k.created_by_name ELSE coalesce(n.login_name, '未知用户') END,
  auto_at = CASE WHEN k.version = 1 THEN k.created_at ELSE coalesce(n.at, now()) END
FROM software_package a LEFT JOIN named n ON n.id = a.id
WHERE a.id = k.id AND k.is_auto_upgrade;

ALTER TABLE software_package
  ALTER COLUMN file_by SET NOT NULL,
  ALTER COLUMN file_by_name SET NOT NULL,
  ALTER COLUMN file_at SET NOT NULL,
  ADD CONSTRAINT software_package_auto CHECK (
    is_auto_upgrade = (auto_by IS NOT NULL)
    AND (auto_by IS NULL) = (auto_by_name IS NULL) AND (auto_by IS NULL) = (auto_at IS NULL));

-- A task keeps the bytes that it was made with, and who supplied them.
ALTER TABLE upgrade_task_package
  ADD COLUMN file_id uuid REFERENCES stored_file (id),
  ADD COLUMN file_name text,
  ADD COLUMN file_by integer,
  ADD COLUMN file_by_name text,
  ADD COLUMN file_reach jsonb;
UPDATE upgrade_task_package n SET
  file_id = k.file_id, file_name = k.file_name, file_by = k.file_by, file_by_name = k.file_by_name,
  file_reach = k.file_reach
FROM software_package k WHERE k.id = n.package_id;
-- What a rollback brings was not kept, only planned.
INSERT INTO upgrade_task_package
  (task_id, position, package_id, file_id, file_name, file_by, file_by_name, file_reach)
SELECT t.task_id, 1000 + row_number() OVER (PARTITION BY t.task_id ORDER BY k.id), k.id, k.file_id, k.file_name,
  k.file_by, k.file_by_name, k.file_reach
FROM (SELECT DISTINCT task_id, package_id FROM upgrade_target) t JOIN software_package k ON k.id = t.package_id
WHERE NOT EXISTS (
  SELECT FROM upgrade_task_package n WHERE n.task_id = t.task_id AND n.package_id = t.package_id);
ALTER TABLE upgrade_task_package
  ALTER COLUMN file_id SET NOT NULL,
  ALTER COLUMN file_name SET NOT NULL,
  ALTER COLUMN file_by SET NOT NULL,
  ALTER COLUMN file_by_name SET NOT NULL;
CREATE INDEX upgrade_task_package_file ON upgrade_task_package (file_id);

-- Of a rollback: the bytes that the device had been given. Otherwise null: those of the task's package.
ALTER TABLE upgrade_target ADD COLUMN file_id uuid;

-- Who changed a planned task last, and why a task ended without reaching a device.
ALTER TABLE upgrade_task
  ADD COLUMN edited_by integer,
  ADD COLUMN edited_by_name text,
  ADD COLUMN stop_note text;
