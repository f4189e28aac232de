-- Written by `npm run docs:sql`.

-- insertBatch
-- answers id int4, code text
INSERT INTO parameter_batch (id, code, name, remark, kind, origin_id, wanted, devices, max_attempts, interval_minutes, ends_at,
  created_by, created_by_name, approved_by, approved_by_name, organization_id, next_at)
SELECT n.id, $1::text || lpad(n.id::text, greatest(5, length(n.id::text)), '0'), $2,
  $3, $4,
  $5::int, $6::jsonb, $7::jsonb,
  $8, $9, $10, $11, $12,
  $13::int, $14, $15, now()
FROM nextval(pg_get_serial_sequence('parameter_batch', 'id')) AS n(id)
RETURNING id, code;

-- setTargetCount
UPDATE parameter_batch SET target_count = $1, trial_count = $2,
  trial_auto_minutes = $3
WHERE id = $4;

-- writeTrialEnd
UPDATE parameter_batch SET trial_ended_at = $1 WHERE id = $2 AND trial_count IS NOT NULL;

-- writeContinued
UPDATE parameter_batch SET continued_at = $1, continued_by = $2,
  continued_by_name = $3
WHERE id = $4;

-- lockBatch
-- answers id int4, code text, kind text, state text, wanted jsonb, devices jsonb, maxAttempts int2, intervalMinutes int2, endsAt timestamptz, checkedAt timestamptz, createdBy int4, createdByName text, approvedBy int4 null, approvedByName text null, continuedBy int4 null, trialCount int2 null, autoMinutes int2 null, endedAt timestamptz null, continuedAt timestamptz null, continuedByName text null
SELECT
b.id, b.code, b.kind, b.state, b.wanted, b.devices, b.max_attempts AS "maxAttempts",
b.interval_minutes AS "intervalMinutes", b.ends_at AS "endsAt", b.checked_at AS "checkedAt",
b.created_by AS "createdBy", b.created_by_name AS "createdByName",
b.approved_by AS "approvedBy", b.approved_by_name AS "approvedByName", b.continued_by AS "continuedBy",
b.trial_count AS "trialCount", b.trial_auto_minutes AS "autoMinutes", b.trial_ended_at AS "endedAt",
b.continued_at AS "continuedAt", b.continued_by_name AS "continuedByName" FROM parameter_batch b
  WHERE b.id = $1 AND "b"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) FOR NO KEY UPDATE;

-- lockForWork
-- answers id int4, code text, kind text, state text, wanted jsonb, devices jsonb, maxAttempts int2, intervalMinutes int2, endsAt timestamptz, checkedAt timestamptz, createdBy int4, createdByName text, approvedBy int4 null, approvedByName text null, continuedBy int4 null, trialCount int2 null, autoMinutes int2 null, endedAt timestamptz null, continuedAt timestamptz null, continuedByName text null
SELECT
b.id, b.code, b.kind, b.state, b.wanted, b.devices, b.max_attempts AS "maxAttempts",
b.interval_minutes AS "intervalMinutes", b.ends_at AS "endsAt", b.checked_at AS "checkedAt",
b.created_by AS "createdBy", b.created_by_name AS "createdByName",
b.approved_by AS "approvedBy", b.approved_by_name AS "approvedByName", b.continued_by AS "continuedBy",
b.trial_count AS "trialCount", b.trial_auto_minutes AS "autoMinutes", b.trial_ended_at AS "endedAt",
b.continued_at AS "continuedAt", b.continued_by_name AS "continuedByName" FROM parameter_batch b WHERE b.id = $1 FOR NO KEY UPDATE;

-- writeBatch
UPDATE parameter_batch SET state = $1, next_at = $2, ends_at = coalesce($3, ends_at),
  finished_at = CASE WHEN $4::timestamptz IS NULL THEN coalesce(finished_at, now()) END
WHERE id = $5;

-- writeStopNote
UPDATE parameter_batch SET stop_note = $1 WHERE id = $2;

-- markChecked
UPDATE parameter_batch SET checked_at = now() WHERE id = $1;

-- reachesBeyond
SELECT FROM parameter_target t JOIN device d ON d.id = t.device_id
WHERE t.batch_id = $1 AND NOT ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])) AND ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[]))
  AND true LIMIT 1;

-- listBatches
-- answers id int4, code text, name text null, remark text null, kind text, originId int4 null, originCode text, createTime timestamptz, createdBy int4, createBy text, approvedBy int4 null, approvedByName text null, wanted jsonb, maxAttempts int2, intervalMinutes int2, endsAt timestamptz, devices jsonb, state text, stopNote text null, finishTime timestamptz null, trialCount int2 null, autoMinutes int2 null, endedAt timestamptz null, continuedAt timestamptz null, continuedByName text null
SELECT b.id, b.code, b.name, b.remark, b.kind, b.origin_id AS "originId",
    (SELECT o.code FROM parameter_batch o WHERE o.id = b.origin_id) AS "originCode",
    b.created_at AS "createTime", b.created_by AS "createdBy", b.created_by_name AS "createBy",
    b.approved_by AS "approvedBy", b.approved_by_name AS "approvedByName", b.wanted,
    b.max_attempts AS "maxAttempts", b.interval_minutes AS "intervalMinutes", b.ends_at AS "endsAt", b.devices, b.state, b.stop_note AS "stopNote",
    b.finished_at AS "finishTime",
b.trial_count AS "trialCount", b.trial_auto_minutes AS "autoMinutes", b.trial_ended_at AS "endedAt",
b.continued_at AS "continuedAt", b.continued_by_name AS "continuedByName"
  FROM parameter_batch b WHERE ("b"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND b.created_at >= $2 AND b.created_at < $3 AND strpos(b.code, upper($4)) > 0 AND b.name ILIKE $5 AND b.state = ANY($6::text[]) AND b.id = ANY($7::int[]) AND b.created_by = $8 AND (b.finished_at IS NULL OR b.finished_at > $9))
  ORDER BY b.id DESC LIMIT $10 OFFSET $11;
