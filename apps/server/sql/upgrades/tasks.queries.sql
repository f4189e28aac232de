-- Written by `npm run docs:sql`.

-- insertPackages
INSERT INTO upgrade_task_package
  (task_id, position, package_id, file_id, file_name, file_by, file_by_name, file_reach)
SELECT $1, n.position, k.id, k.file_id, k.file_name, k.file_by, k.file_by_name, k.file_reach
FROM unnest($2::int[]) WITH ORDINALITY AS n(id, position) JOIN software_package k ON k.id = n.id;

-- keepPlannedBytes
WITH planned AS (
  SELECT package_id, file_id, min(position) AS position FROM upgrade_planned
  WHERE file_id IS NOT NULL AND skip IS DISTINCT FROM 'outOfReach' GROUP BY 1, 2
), supplied AS (
  SELECT DISTINCT ON (p.package_id, p.file_id) p.*, s.file_name, s.file_by, s.file_by_name, s.file_reach
  FROM planned p JOIN (
    SELECT id AS package_id, file_id, file_name, file_by, file_by_name, file_reach FROM software_package
    UNION ALL
    SELECT package_id, file_id, file_name, file_by, file_by_name, file_reach FROM upgrade_task_package
  ) s USING (package_id, file_id)
), cleared AS (
  DELETE FROM upgrade_task_package n WHERE n.task_id = $1 AND EXISTS (SELECT FROM planned) RETURNING n.position
)
INSERT INTO upgrade_task_package
  (task_id, position, package_id, file_id, file_name, file_by, file_by_name, file_reach)
SELECT $2,
  (SELECT coalesce(max(position), 0) FROM cleared) + row_number() OVER (ORDER BY position, package_id, file_id),
  package_id, file_id, file_name, file_by, file_by_name, file_reach
FROM supplied;

-- updateTask
UPDATE upgrade_task SET remark = $1, upgrade_at = $2, ends_at = $3,
    rule = $4::jsonb, ignored_alarms = ARRAY(
SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level <> ALL($5::smallint[]) ORDER BY code), devices = $6::jsonb,
    equip_type_id = $7, next_at = $8, version = version + 1,
    edited_by = $9, edited_by_name = $10,
    approved_by = $11::int, approved_by_name = $12,
    approved_in = $13, approved_count = $14::int
  WHERE id = $15;

-- updateTask
DELETE FROM upgrade_task_package WHERE task_id = $1;

-- writeStartConsent
UPDATE upgrade_task SET approved_by = $1, approved_by_name = $2,
    approved_in = (
SELECT coalesce(CASE WHEN m.id IS NOT NULL THEN (CASE
WHEN u.organization_id = m.organization_id OR EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = "m"."id" AND r.code = 'SYSTEM') THEN u.organization_id
WHEN u.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "m"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN u.organization_id
WHEN m.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = "u"."organization_id"
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) THEN m.organization_id
END) END, u.organization_id)
FROM app_user u LEFT JOIN app_user m ON m.id = u.maker_id
WHERE u.id = $3 AND NOT EXISTS (
SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
WHERE ur.user_id = $4 AND r.code = 'SYSTEM')), approved_count = $5, is_held = false, next_at = now()
  WHERE id = $6;

-- writeHeld
UPDATE upgrade_task SET is_held = $1 WHERE id = $2;

-- deleteTask
DELETE FROM upgrade_transition WHERE task_id = $1 AND target_id IS NULL;

-- deleteTask
DELETE FROM upgrade_task WHERE id = $1;

-- lockTask
-- answers id int4, type text, state text, createdBy int4, createdByName text, editedBy int4 null, editedByName text null, takenOverBy int4 null, takenOverByName text null, decidedIn int4 null, approvedBy int4 null, approvedByName text null, approvedIn int4 null, remark text null, upgradeAt timestamptz, endsAt timestamptz null, rule jsonb, ignoredAlarms _text, devices jsonb, equipTypeId int4, stage int4 null, pause jsonb null, rollbackOf int4 null, rollbackStage int4 null, checkedAt timestamptz null, releaseAt timestamptz null, version int4, approvedCount int4 null, isHeld bool, letOnBy _int4, packageIds _int4
SELECT
a.id, a.type, a.state, a.created_by AS "createdBy", a.created_by_name AS "createdByName", a.edited_by AS "editedBy",
a.edited_by_name AS "editedByName", a.taken_over_by AS "takenOverBy", a.taken_over_by_name AS "takenOverByName",
a.decided_in AS "decidedIn", a.approved_by AS "approvedBy", a.approved_by_name AS "approvedByName",
a.approved_in AS "approvedIn", a.remark, a.upgrade_at AS "upgradeAt", a.ends_at AS "endsAt", a.rule,
a.ignored_alarms AS "ignoredAlarms", a.devices,
a.equip_type_id AS "equipTypeId", a.stage,
a.pause, a.rollback_of AS "rollbackOf", a.rollback_stage AS "rollbackStage", a.checked_at AS "checkedAt",
a.release_at AS "releaseAt", a.version, a.approved_count AS "approvedCount", a.is_held AS "isHeld",
a.let_on_by AS "letOnBy",
ARRAY(SELECT package_id FROM upgrade_task_package WHERE task_id = a.id ORDER BY position) AS "packageIds" FROM upgrade_task a
  WHERE a.id = $1 AND "a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) FOR NO KEY UPDATE;

-- lockForWork
-- answers id int4, type text, state text, createdBy int4, createdByName text, editedBy int4 null, editedByName text null, takenOverBy int4 null, takenOverByName text null, decidedIn int4 null, approvedBy int4 null, approvedByName text null, approvedIn int4 null, remark text null, upgradeAt timestamptz, endsAt timestamptz null, rule jsonb, ignoredAlarms _text, devices jsonb, equipTypeId int4, stage int4 null, pause jsonb null, rollbackOf int4 null, rollbackStage int4 null, checkedAt timestamptz null, releaseAt timestamptz null, version int4, approvedCount int4 null, isHeld bool, letOnBy _int4, packageIds _int4
SELECT
a.id, a.type, a.state, a.created_by AS "createdBy", a.created_by_name AS "createdByName", a.edited_by AS "editedBy",
a.edited_by_name AS "editedByName", a.taken_over_by AS "takenOverBy", a.taken_over_by_name AS "takenOverByName",
a.decided_in AS "decidedIn", a.approved_by AS "approvedBy", a.approved_by_name AS "approvedByName",
a.approved_in AS "approvedIn", a.remark, a.upgrade_at AS "upgradeAt", a.ends_at AS "endsAt", a.rule,
a.ignored_alarms AS "ignoredAlarms", a.devices,
a.equip_type_id AS "equipTypeId", a.stage,
a.pause, a.rollback_of AS "rollbackOf", a.rollback_stage AS "rollbackStage", a.checked_at AS "checkedAt",
a.release_at AS "releaseAt", a.version, a.approved_count AS "approvedCount", a.is_held AS "isHeld",
a.let_on_by AS "letOnBy",
ARRAY(SELECT package_id FROM upgrade_task_package WHERE task_id = a.id ORDER BY position) AS "packageIds" FROM upgrade_task a WHERE a.id = $1 FOR NO KEY UPDATE;

-- listDeciding
-- answers id int4, type text, state text, createdBy int4, createdByName text, editedBy int4 null, editedByName text null, takenOverBy int4 null, takenOverByName text null, decidedIn int4 null, approvedBy int4 null, approvedByName text null, approvedIn int4 null
SELECT
a.id, a.type, a.state, a.created_by AS "createdBy", a.created_by_name AS "createdByName", a.edited_by AS "editedBy",
a.edited_by_name AS "editedByName", a.taken_over_by AS "takenOverBy", a.taken_over_by_name AS "takenOverByName",
a.decided_in AS "decidedIn", a.approved_by AS "approvedBy", a.approved_by_name AS "approvedByName",
a.approved_in AS "approvedIn" FROM upgrade_task a WHERE a.state = 'running' AND a.id IN (
    SELECT t.task_id FROM upgrade_target t WHERE t.id = ANY($1::int8[]) AND t.state = 'waiting');

-- takeOver
UPDATE upgrade_task SET taken_over_by = $1, taken_over_by_name = $2 WHERE id = $3;

-- noteLetOn
UPDATE upgrade_task SET let_on_by = array_append(array_remove(let_on_by, $1::int), $2::int)
WHERE id = $3;

-- setDue
UPDATE upgrade_task SET next_at = $1 WHERE id = $2;

-- markChecked
UPDATE upgrade_task SET checked_at = now() WHERE id = $1;

-- writeTask
UPDATE upgrade_task SET state = $1,
  stage = CASE WHEN $2 THEN $3::int ELSE stage END,
  pause = CASE WHEN $4 THEN $5::jsonb ELSE pause END,
  target_count = coalesce($6::int, target_count),
  stop_note = coalesce($7::text, stop_note),
  -- A level that was raised since the task was made counts from its beginning on, also if it is lowered again.
  ignored_alarms = CASE WHEN $8 AND started_at IS NULL
    THEN ARRAY(
      SELECT code FROM unnest(ignored_alarms) AS i (code)
      WHERE code IN (
        SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND NOT rule -> 'alarmLevels' @> to_jsonb(alarm_level)))
    ELSE ignored_alarms END,
  started_at = CASE WHEN $9 THEN coalesce(started_at, now()) ELSE started_at END,
  finished_at = CASE WHEN $10 THEN now() END,
  next_at = CASE WHEN $11 THEN NULL ELSE next_at END,
  release_at = CASE WHEN $12 THEN release_at END
WHERE id = $13;
