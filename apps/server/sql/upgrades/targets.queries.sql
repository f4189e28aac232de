-- Written by `npm run docs:sql`.

-- lockTargets
-- answers id int8, taskId int4, deviceId int4, deviceCode text, stage int2, position int2, commandId uuid null, state text, percent int2 null, attempts int2, dueAt timestamptz null, reason text null, claimedAt timestamptz null, maxAttempts int4, intervalMinutes int4, stallMinutes int4, verifyMinutes int4
SELECT t.id, t.task_id AS "taskId", t.device_id AS "deviceId", d.code AS "deviceCode", t.stage, t.position,
    t.command_id AS "commandId", t.state, t.percent, t.attempts, t.next_at AS "dueAt", t.reason,
    t.claimed_at AS "claimedAt", (a.rule ->> 'attempts')::int AS "maxAttempts",
    (a.rule ->> 'intervalMinutes')::int AS "intervalMinutes", (a.rule ->> 'stallMinutes')::int AS "stallMinutes",
    (a.rule ->> 'verifyMinutes')::int AS "verifyMinutes"
  FROM upgrade_target t JOIN device d ON d.id = t.device_id JOIN upgrade_task a ON a.id = t.task_id
  WHERE
t.task_id = $1 AND (t.state IN ('failed', 'refused', 'timedOut')
  OR t.state = 'skipped' AND t.reason = $2)
AND ($3::int8[] IS NULL OR t.id = ANY($4::int8[])) AND ("d"."operator_id" = ANY($5::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($6::int[])) AND "d"."region_id" = ANY($7::int[]))
AND (CASE WHEN (
"t"."package_id" = ANY($8::int[])
OR "t"."package_id" = ANY($9::int[])
  AND ("t"."file_id" IS NULL OR "t"."file_id" = ANY($10::uuid[]))) AND NOT ("d"."operator_id" = ANY($11::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($12::int[])) AND "d"."region_id" = ANY($13::int[])) THEN $14::text END) IS NULL
AND EXISTS (SELECT FROM software_package k WHERE k.id = t.package_id AND k.deleted_at IS NULL)
AND NOT EXISTS (
  SELECT FROM upgrade_target o WHERE o.device_id = t.device_id AND o.part_type = t.part_type AND o.id <> t.id
    AND o.state IN ('waiting', 'sent', 'downloading', 'installing'))
  ORDER BY t.id FOR UPDATE OF t;

-- listVerified
-- answers id int8
SELECT t.id FROM upgrade_target t WHERE t.device_id = ANY($1::int[]) AND (
t.state IN ('waiting', 'sent', 'downloading', 'installing') AND NOT EXISTS (
  SELECT FROM software_package k CROSS JOIN jsonb_object_keys(t.from_versions) AS f(addr_id)
  LEFT JOIN device_version v
    ON v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = f.addr_id
  WHERE k.id = t.package_id AND ((
v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}$' AND (
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) = ARRAY[k.major, k.minor])) IS NOT TRUE));

-- commandsUnderWay
-- answers commandId uuid
SELECT t.command_id AS "commandId" FROM upgrade_target t
WHERE t.id = ANY($1::int8[]) AND t.state = 'sent' AND t.next_at IS NULL AND t.command_id IS NOT NULL;

-- listUnsent
-- answers id int8, commandId uuid
SELECT t.id, t.command_id AS "commandId"
FROM upgrade_target t JOIN device_command c ON c.id = t.command_id
WHERE t.task_id = $1 AND t.state = 'sent' AND t.next_at IS NULL AND c.state = 'waiting'
LIMIT $2;

-- lockUnsentBeyond
-- answers id int8, commandId uuid, note text
SELECT t.id, t.command_id AS "commandId", (
  SELECT coalesce((CASE WHEN (
"t"."package_id" = ANY($1::int[])
OR "t"."package_id" = ANY($2::int[])
  AND ("n"."file_id" IS NULL OR "n"."file_id" = ANY($3::uuid[]))) AND NOT ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[])) THEN $7::text END), CASE WHEN t.task_id = $8 AND NOT ("d"."operator_id" = ANY($9::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($10::int[])) AND "d"."region_id" = ANY($11::int[])) THEN $12::text END) FROM device d WHERE d.id = t.device_id) AS note
  FROM upgrade_target t JOIN device_command c ON c.id = t.command_id
JOIN upgrade_task_package n ON n.task_id = t.task_id AND n.package_id = t.package_id
  AND (t.file_id IS NULL OR n.file_id = t.file_id)
  WHERE t.task_id = $13 AND t.state = 'sent' AND t.next_at IS NULL AND c.state = 'waiting'
    AND (
  SELECT coalesce((CASE WHEN (
"t"."package_id" = ANY($14::int[])
OR "t"."package_id" = ANY($15::int[])
  AND ("n"."file_id" IS NULL OR "n"."file_id" = ANY($16::uuid[]))) AND NOT ("d"."operator_id" = ANY($17::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($18::int[])) AND "d"."region_id" = ANY($19::int[])) THEN $20::text END), CASE WHEN t.task_id = $21 AND NOT ("d"."operator_id" = ANY($22::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($23::int[])) AND "d"."region_id" = ANY($24::int[])) THEN $25::text END) FROM device d WHERE d.id = t.device_id) IS NOT NULL
  ORDER BY c.id LIMIT $26 FOR UPDATE OF c;

-- listUnanswered
-- answers id int8, commandId uuid
SELECT t.id, t.command_id AS "commandId"
FROM upgrade_target t JOIN device_command c ON c.id = t.command_id
WHERE t.task_id = $1 AND t.state = 'sent' AND t.next_at IS NULL
  AND c.next_at IS NOT NULL AND c.attempts > 0 AND c.state <> 'waiting' AND c.sent_at < $2
LIMIT 5000;

-- writeTargets
UPDATE upgrade_target t SET
  state = n.state, percent = n.percent, attempts = n.attempts, next_at = n.next_at, reason = n.reason,
  command_id = n.command_id, claimed_at = n.claimed_at,
  started_at = CASE WHEN n.state = 'sent' THEN coalesce(t.started_at, now()) ELSE t.started_at END,
  verified_at = CASE WHEN n.state = 'succeeded' THEN coalesce(t.verified_at, now()) END,
  changed_at = CASE WHEN t.state = n.state THEN t.changed_at ELSE now() END,
  reported_at = CASE WHEN n.is_heard THEN now() ELSE t.reported_at END
FROM unnest(
  $1::int8[],
  $2::text[],
  $3::int2[],
  $4::int2[],
  $5::timestamptz[],
  $6::text[],
  $7::uuid[],
  $8::timestamptz[],
  $9::bool[]
) AS n(id, state, percent, attempts, next_at, reason, command_id, claimed_at, is_heard)
WHERE t.id = n.id;

-- postpone
UPDATE upgrade_target SET next_at = now() + $1 * interval '1 ms' WHERE id = ANY($2::int8[]);

-- readOrders
-- answers id int8, isRunning bool, endsAt timestamptz null, partType text, addrIds _text, isVerified bool, beyond text, stillReports text, pcbCode text, version text, hwVersion text null, fileName text, fileId uuid, sizeBytes float8, md5 text, sha256 text
SELECT t.id, a.state = 'running' AND t.stage <= a.stage AS "isRunning", a.ends_at AS "endsAt",
    t.part_type AS "partType", m.addr_ids AS "addrIds",
    t.state IN ('waiting', 'sent', 'downloading', 'installing') AND m.addr_ids = '{}' AS "isVerified",
    (
  SELECT coalesce((CASE WHEN (
"t"."package_id" = ANY($1::int[])
OR "t"."package_id" = ANY($2::int[])
  AND ("n"."file_id" IS NULL OR "n"."file_id" = ANY($3::uuid[]))) AND NOT ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[])) THEN $7::text END), CASE WHEN t.task_id = $8 AND NOT ("d"."operator_id" = ANY($9::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($10::int[])) AND "d"."region_id" = ANY($11::int[])) THEN $12::text END) FROM device d WHERE d.id = t.device_id) AS beyond,
    (SELECT string_agg(DISTINCT v.version, '、') FROM device_version v
     WHERE v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = ANY(m.addr_ids)
       AND v.reported_at >= t.claimed_at) AS "stillReports",
    b.pcb_code AS "pcbCode", (k.major || '.' || k.minor) AS version, k.hw_version AS "hwVersion",
    n.file_name AS "fileName", n.file_id AS "fileId", f.size_bytes::float8 AS "sizeBytes", f.md5, f.sha256
  FROM upgrade_target t
  JOIN upgrade_task a ON a.id = t.task_id
  JOIN software_package k ON k.id = t.package_id
  JOIN pcb_board b ON b.id = k.pcb_board_id
JOIN upgrade_task_package n ON n.task_id = t.task_id AND n.package_id = t.package_id
  AND (t.file_id IS NULL OR n.file_id = t.file_id)
  JOIN stored_file f ON f.id = n.file_id
  CROSS JOIN LATERAL (
    SELECT ARRAY(
      SELECT x.addr_id FROM jsonb_object_keys(t.from_versions) AS x(addr_id)
      LEFT JOIN device_version v
        ON v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = x.addr_id
      WHERE ((
v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}$' AND (
CASE WHEN v.version ~ '^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]+)*$'
  THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
  ELSE ARRAY[-1, -1] END) = ARRAY[k.major, k.minor])) IS NOT TRUE ORDER BY length(x.addr_id), x.addr_id
    ) AS addr_ids
    OFFSET 0
  ) m
  WHERE t.id = ANY($13::int8[]);

-- listOpen
-- answers id int8, commandId uuid null, isUnanswered bool
SELECT id, command_id AS "commandId", state = 'sent' AND next_at IS NULL AS "isUnanswered" FROM upgrade_target
WHERE task_id = $1 AND state IN ('waiting', 'sent', 'downloading', 'installing')
ORDER BY id LIMIT $2;

-- endTargets
-- answers count int4
WITH locked AS (
  SELECT t.id, t.state, t.stage
  FROM unnest($1::int8[], $2::uuid[])
    AS n(id, command_id)
  JOIN upgrade_target t ON t.id = n.id
  WHERE t.state IN ('waiting', 'sent', 'downloading', 'installing')
    AND t.command_id IS NOT DISTINCT FROM n.command_id
  ORDER BY t.id FOR UPDATE OF t
),
ended AS (
  UPDATE upgrade_target t SET state = $3, next_at = NULL, changed_at = now(),
    reason = CASE WHEN $4::text IS NULL THEN NULL ELSE coalesce(t.reason, $5) END
  FROM locked WHERE t.id = locked.id
  RETURNING t.id, t.stage, locked.state AS before, t.reason
),
told AS (
  INSERT INTO upgrade_transition (task_id, stage, target_id, from_state, to_state, cause)
  SELECT $6, stage, id, before, $7, $8 FROM ended
)
SELECT count(*)::int AS count FROM ended;

-- hasOpenTarget
SELECT FROM upgrade_target
WHERE task_id = $1 AND state IN ('waiting', 'sent', 'downloading', 'installing') LIMIT 1;
