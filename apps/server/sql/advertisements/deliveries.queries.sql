-- Written by `npm run docs:sql`.

-- listOffering
-- answers id int8, createdBy int4, createdByName text, decidedIn int4 null, asker jsonb
SELECT t.id, a.created_by AS "createdBy", a.created_by_name AS "createdByName",
  a.decided_in AS "decidedIn",
  CASE WHEN t.asked_by IS NOT NULL
    THEN jsonb_build_object('userId', t.asked_by, 'name', t.asked_by_name) END AS asker
FROM advertisement a
JOIN advertisement_delivery t ON t.advertisement_id = a.id
JOIN device d ON d.id = t.device_id
WHERE a.file_id = $1 AND d.code = $2
  AND a.deleted_at IS NULL AND a.ends_at > now() AND t.withdrawal IS NULL;

-- addUnknown
-- answers count int4
WITH added AS (
  INSERT INTO advertisement_delivery (advertisement_id, device_id, state, withdrawal)
  SELECT a.id, d.id, 'removing',
    CASE WHEN a.deleted_at IS NOT NULL THEN 'deleted' WHEN a.ends_at <= now() THEN 'over' ELSE 'leftScope' END
  FROM unnest(
    $1::int[], $2::int[]
  ) AS k(device_id, advertisement_id)
  JOIN advertisement a ON a.id = k.advertisement_id
  JOIN device d ON d.id = k.device_id
  WHERE NOT EXISTS (
    SELECT FROM advertisement_delivery t WHERE t.advertisement_id = a.id AND t.device_id = d.id)
  ON CONFLICT ON CONSTRAINT advertisement_delivery_once DO NOTHING
  RETURNING 1
) SELECT count(*)::int AS count FROM added;

-- addDeliveries
-- not shown: see the fault

-- readFiles
-- answers advertisementId int4, createdBy int4, createdByName text, decidedIn int4 null, name text, fileId uuid, sizeBytes float8, sha256 text, contentType text, startsAtMs float8, endsAtMs float8
SELECT a.id AS "advertisementId", a.created_by AS "createdBy", a.created_by_name AS "createdByName",
  a.decided_in AS "decidedIn", a.name, a.file_id AS "fileId", f.size_bytes::float8 AS "sizeBytes",
  f.sha256, f.content_type AS "contentType",
  (extract(epoch FROM a.starts_at) * 1000)::float8 AS "startsAtMs",
  (extract(epoch FROM a.ends_at) * 1000)::float8 AS "endsAtMs"
FROM advertisement a JOIN stored_file f ON f.id = a.file_id
WHERE a.id = ANY($1::int[]);

-- readReach
-- not shown: see the fault
