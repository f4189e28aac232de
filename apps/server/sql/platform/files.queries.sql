-- Written by `npm run docs:sql`.

-- insertFile
-- answers id uuid, name text, sizeBytes float8, md5 text, sha1 text, sha256 text, contentType text, uploadedBy int4 null, createdAt timestamptz
INSERT INTO stored_file (id, name, size_bytes, md5, sha1, sha256, content_type, uploaded_by, organization_id)
  VALUES ($1, $2, $3, $4, $5, $6,
    $7, $8, $9)
  RETURNING id, name, size_bytes::float8 AS "sizeBytes", md5, sha1, sha256, content_type AS "contentType",
uploaded_by AS "uploadedBy", created_at AS "createdAt";

-- findFile
-- answers id uuid, name text, sizeBytes float8, md5 text, sha1 text, sha256 text, contentType text, uploadedBy int4 null, createdAt timestamptz
SELECT id, name, size_bytes::float8 AS "sizeBytes", md5, sha1, sha256, content_type AS "contentType",
uploaded_by AS "uploadedBy", created_at AS "createdAt" FROM stored_file WHERE id = $1;

-- listKnownIds
-- answers id uuid
SELECT id FROM stored_file WHERE id = ANY($1::uuid[]);

-- isReferenced
-- answers schema name, table name, column name
SELECT n.nspname AS schema, c.relname AS table, a.attname AS column
FROM pg_constraint k
JOIN pg_class c ON c.oid = k.conrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
WHERE k.contype = 'f' AND k.confrelid = 'stored_file'::regclass AND k.conparentid = 0;

-- lockUploadsOf
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('file_upload', $1));

-- readUnusedBytes
-- answers userBytes float8, organizationBytes float8
SELECT coalesce(sum(bytes) FILTER (WHERE user_id = $1), 0)::float8 AS "userBytes",
  coalesce(sum(bytes) FILTER (WHERE organization_id = $2), 0)::float8 AS "organizationBytes"
FROM (
  SELECT uploaded_by AS user_id, organization_id, size_bytes AS bytes FROM stored_file
  WHERE unused_since IS NOT NULL AND NOT false
  UNION ALL
  SELECT user_id, organization_id, reserved_bytes FROM file_upload
  WHERE touched_at > now() - $3 * interval '1 millisecond'
) unused;

-- insertReservation
INSERT INTO file_upload (id, user_id, organization_id, reserved_bytes)
VALUES ($1, $2, $3, $4);

-- touchReservation
UPDATE file_upload SET touched_at = now() WHERE id = $1;

-- deleteReservation
DELETE FROM file_upload WHERE id = $1;

-- deleteForgottenReservations
DELETE FROM file_upload WHERE touched_at < now() - $1 * interval '1 millisecond';

-- markUnused
UPDATE stored_file SET unused_since = NULL WHERE unused_since IS NOT NULL AND false;

-- markUnused
UPDATE stored_file SET unused_since = now() WHERE unused_since IS NULL AND NOT false;

-- deleteUnused
-- answers id uuid
SELECT id FROM stored_file WHERE unused_since < $1
ORDER BY unused_since LIMIT $2 FOR UPDATE SKIP LOCKED;

-- deleteUnreferenced
SELECT FROM stored_file WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE;

-- deleteUnreferenced
-- answers id uuid
DELETE FROM stored_file WHERE id = ANY($1::uuid[]) AND NOT false
RETURNING id;
