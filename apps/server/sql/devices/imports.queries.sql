-- Written by `npm run docs:sql`.

-- insertImport
DELETE FROM device_import WHERE user_id = $1 AND created_at < now() - interval '30 days';

-- insertImport
-- answers id int8
INSERT INTO device_import (user_id, file_name, row_count) VALUES ($1, $2, $3)
RETURNING id;

-- finishImport
UPDATE device_import SET finished_at = now(), device_ids = $1::int[], reason = $2
WHERE id = $3::bigint;

-- listImports
-- answers id int8, fileName text, rowCount int4, reason text null, createdAt timestamptz, finishedAt timestamptz null
SELECT id, file_name AS "fileName", row_count AS "rowCount", reason, created_at AS "createdAt",
  finished_at AS "finishedAt"
FROM device_import
WHERE user_id = $1 AND coalesce(finished_at, created_at) > $2
ORDER BY id DESC;

-- findImport
-- answers id int8, fileName text, rowCount int4, reason text null, createdAt timestamptz, finishedAt timestamptz null
SELECT id, file_name AS "fileName", row_count AS "rowCount", reason, created_at AS "createdAt",
  finished_at AS "finishedAt"
FROM device_import WHERE id = $1::bigint AND user_id = $2;

-- lockUnconnected
-- answers id int4, code text, name text null, address text null, protocol text
SELECT d.id, d.code, d.name, d.address, d.protocol
FROM device d JOIN device_state s ON s.device_id = d.id
WHERE d.id = ANY(ARRAY(SELECT unnest(device_ids) FROM device_import WHERE id = $1::bigint))
  AND NOT s.is_online AND s.online_changed_at IS NULL AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
ORDER BY d.id FOR UPDATE OF d;

-- updateSecrets
UPDATE device SET secret_hash = t.secret_hash, secret_by = $1, updated_at = now()
FROM unnest(
  $2::int[],
  $3::bytea[]
) AS t (id, secret_hash)
WHERE device.id = t.id;
