-- Written by `npm run docs:sql`.

-- readStanding
-- answers wantsAttributes bool, deployment jsonb, cancelId int4, installedId int4
SELECT
    (SELECT wants_attributes FROM ddi_device WHERE device_id = $1) AS "wantsAttributes",
    (SELECT jsonb_build_object('actionId', a.id, 'commandId', t.command_id, 'targetId', t.id::text)
     FROM upgrade_target t JOIN device_command c ON c.id = t.command_id
     LEFT JOIN ddi_action a ON a.command_id = t.command_id
     WHERE t.device_id = $2 AND t.state IN ('waiting', 'sent', 'downloading', 'installing')
       AND (a.ended_at IS NULL AND (
a.retrieved_at IS NOT NULL OR (t.state = 'sent' AND c.next_at IS NOT NULL AND c.deadline > now())))
     ORDER BY a.retrieved_at IS NULL, t.id LIMIT 1) AS deployment,
    (SELECT a.id FROM ddi_action a LEFT JOIN upgrade_target t ON t.id = a.target_id
     WHERE a.device_id = $3 AND (a.retrieved_at IS NOT NULL AND a.ended_at IS NULL AND a.cancel_refused_at IS NULL
AND NOT (t.id IS NOT NULL AND t.command_id = a.command_id
AND t.state IN ('waiting', 'sent', 'downloading', 'installing')) AND t.state IS DISTINCT FROM 'succeeded') ORDER BY a.id LIMIT 1) AS "cancelId",
    (SELECT max(a.id) FROM ddi_action a WHERE a.device_id = $4 AND a.outcome = 'success') AS "installedId";

-- numberAction
-- answers id int4
WITH added AS (
  INSERT INTO ddi_action (device_id, command_id, target_id)
  VALUES ($1, $2::uuid, $3::int8)
  ON CONFLICT (command_id) DO NOTHING RETURNING id
)
SELECT id FROM added UNION ALL SELECT id FROM ddi_action WHERE command_id = $4::uuid LIMIT 1;

-- findAction
-- answers id int4, commandId uuid, targetId text, isRetrieved bool, isDownloaded bool, outcome text null, isAwaited bool, isDeployed bool, isToStop bool, isCancelRefused bool, order jsonb null, deadline timestamptz null, file jsonb
SELECT a.id, a.command_id AS "commandId", a.target_id::text AS "targetId",
    a.retrieved_at IS NOT NULL AS "isRetrieved", a.downloaded_at IS NOT NULL AS "isDownloaded", a.outcome,
    (t.id IS NOT NULL AND t.command_id = a.command_id
AND t.state IN ('waiting', 'sent', 'downloading', 'installing')) AS "isAwaited", coalesce((t.id IS NOT NULL AND t.command_id = a.command_id
AND t.state IN ('waiting', 'sent', 'downloading', 'installing')) AND (a.ended_at IS NULL AND (
a.retrieved_at IS NOT NULL OR (t.state = 'sent' AND c.next_at IS NOT NULL AND c.deadline > now()))), false) AS "isDeployed",
    (a.retrieved_at IS NOT NULL AND a.ended_at IS NULL AND a.cancel_refused_at IS NULL
AND NOT (t.id IS NOT NULL AND t.command_id = a.command_id
AND t.state IN ('waiting', 'sent', 'downloading', 'installing')) AND t.state IS DISTINCT FROM 'succeeded') AS "isToStop", a.cancel_refused_at IS NOT NULL AS "isCancelRefused",
    c.body AS "order", c.deadline,
    CASE WHEN f.id IS NOT NULL THEN jsonb_build_object('id', f.id, 'sizeBytes', f.size_bytes, 'md5', f.md5,
      'sha1', f.sha1, 'sha256', f.sha256) END AS file
  FROM ddi_action a
  LEFT JOIN device_command c ON c.id = a.command_id
  LEFT JOIN upgrade_target t ON t.id = a.target_id
  LEFT JOIN LATERAL (
    SELECT f.* FROM upgrade_task_package n JOIN stored_file f ON f.id = n.file_id
    WHERE n.task_id = t.task_id AND n.package_id = t.package_id AND f.sha256 = c.body ->> 'sha256' LIMIT 1
  ) f ON true
  WHERE a.id = $1 AND a.device_id = $2;

-- lockAction
SELECT FROM ddi_action WHERE id = $1 AND device_id = $2 FOR NO KEY UPDATE;

-- markAction
UPDATE ddi_action SET "retrieved_at" = coalesce("retrieved_at", now()) WHERE id = $1;

-- endAction
UPDATE ddi_action SET ended_at = now(), outcome = $1 WHERE id = $2;

-- insertDevice
INSERT INTO ddi_device (device_id) VALUES ($1) ON CONFLICT DO NOTHING;

-- lockDevice
-- answers attributes jsonb, firstPart text, parts _text
SELECT n.attributes,
    (
SELECT p.part_type FROM equip_model_part p JOIN part_type k ON k.code = p.part_type
WHERE p.equip_model_id = "d"."model_id" ORDER BY k.order_num, k.code LIMIT 1) AS "firstPart",
    ARRAY(SELECT DISTINCT v.part_type FROM device_version v WHERE v.device_id = d.id) AS parts
  FROM ddi_device n JOIN device d ON d.id = n.device_id
  WHERE n.device_id = $1 FOR NO KEY UPDATE OF n;

-- updateAttributes
UPDATE ddi_device SET attributes = $1::jsonb, wants_attributes = false, changed_at = now()
WHERE device_id = $2;

-- wantAttributes
UPDATE ddi_device SET wants_attributes = true WHERE device_id = $1;
