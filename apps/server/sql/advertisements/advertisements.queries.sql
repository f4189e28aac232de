-- Written by `npm run docs:sql`.

-- listAdvertisements
-- answers id int4, adName text, fileId uuid, fileMame text, adStartTime timestamptz, adEndTime timestamptz, fgDelete int4, createTime timestamptz, createBy text, createdBy int4, status text, contentType text, sizeBytes float8, replacedAdId int4 null, replacedAdName text
SELECT
a.id, a.name AS "adName", a.file_id AS "fileId", a.file_name AS "fileMame",
a.starts_at AS "adStartTime", a.ends_at AS "adEndTime",
(a.deleted_at IS NOT NULL)::int AS "fgDelete", a.created_at AS "createTime", a.created_by_name AS "createBy",
a.created_by AS "createdBy",
CASE WHEN a.deleted_at IS NOT NULL THEN 'deleted' WHEN now() < a.starts_at THEN 'planned'
     WHEN now() < a.ends_at THEN 'running' ELSE 'over' END AS status,
f.content_type AS "contentType", f.size_bytes::float8 AS "sizeBytes",
a.replaced_id AS "replacedAdId", r.name AS "replacedAdName" FROM advertisement a JOIN stored_file f ON f.id = a.file_id LEFT JOIN advertisement r ON r.id = a.replaced_id WHERE "a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND a.deleted_at IS NULL AND a.name ILIKE $2 AND a.id = ANY($3::int[])
  ORDER BY a.id DESC LIMIT $4 OFFSET $5;

-- findAdvertisement
-- answers id int4, adName text, fileId uuid, fileMame text, adStartTime timestamptz, adEndTime timestamptz, fgDelete int4, createTime timestamptz, createBy text, createdBy int4, status text, contentType text, sizeBytes float8, replacedAdId int4 null, replacedAdName text
SELECT
a.id, a.name AS "adName", a.file_id AS "fileId", a.file_name AS "fileMame",
a.starts_at AS "adStartTime", a.ends_at AS "adEndTime",
(a.deleted_at IS NOT NULL)::int AS "fgDelete", a.created_at AS "createTime", a.created_by_name AS "createBy",
a.created_by AS "createdBy",
CASE WHEN a.deleted_at IS NOT NULL THEN 'deleted' WHEN now() < a.starts_at THEN 'planned'
     WHEN now() < a.ends_at THEN 'running' ELSE 'over' END AS status,
f.content_type AS "contentType", f.size_bytes::float8 AS "sizeBytes",
a.replaced_id AS "replacedAdId", r.name AS "replacedAdName" FROM advertisement a JOIN stored_file f ON f.id = a.file_id LEFT JOIN advertisement r ON r.id = a.replaced_id
  WHERE a.id = $1 AND "a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree);

-- countDeliveries
-- answers id int4, state text, count int4
SELECT v.advertisement_id AS id, v.state, count(*)::int AS count
FROM advertisement_delivery v JOIN device d ON d.id = v.device_id
WHERE v.advertisement_id = ANY($1::int[]) AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
GROUP BY 1, 2;

-- listDeliveries
-- answers id int8, equipId int4, code text, operatorName text, regionName text, isOnline int4, state text, reason text null, attempts int4, nextTime timestamptz null, storedTime timestamptz null, shownTime timestamptz null, changeTime timestamptz
WITH page AS MATERIALIZED (
    SELECT v.id FROM advertisement_delivery v JOIN device d ON d.id = v.device_id WHERE (v.advertisement_id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])) AND v.state = ANY($5::text[]) AND v.reason = $6 AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($7::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($8::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($9::int[])) AND "d"."region_id" = ANY($10::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $11 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($12::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($13::int[])) AND "d"."region_id" = ANY($14::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND v.id = ANY($15::int8[]))
    ORDER BY v.id LIMIT $16 OFFSET $17
  )
  SELECT v.id, d.id AS "equipId", d.code, p.name AS "operatorName", r.full_name AS "regionName",
    CASE WHEN s.online_changed_at IS NOT NULL THEN s.is_online::int END AS "isOnline",
    v.state, v.reason, v.attempts, v.next_at AS "nextTime", v.stored_at AS "storedTime",
    v.shown_at AS "shownTime", v.changed_at AS "changeTime"
  FROM page
  JOIN advertisement_delivery v ON v.id = page.id
  JOIN device d ON d.id = v.device_id
  JOIN operator p ON p.id = d.operator_id
  JOIN region r ON r.id = d.region_id
  LEFT JOIN device_state s ON s.device_id = d.id
  ORDER BY v.id;

-- listFailureReasons
-- answers reason text, state text, count int4
SELECT v.reason, v.state, count(*)::int AS count FROM advertisement_delivery v JOIN device d ON d.id = v.device_id
  WHERE (v.advertisement_id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])) AND v.state = ANY($5::text[]) AND v.reason = $6 AND d.id = ANY(ARRAY(
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest($7::text[]) AS c
  ), whole AS MATERIALIZED (
    SELECT d.id, d.code FROM device_listing d
    WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ("d"."operator_id" = ANY($8::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($9::int[])) AND "d"."region_id" = ANY($10::int[]))
  ), part AS MATERIALIZED (
    SELECT code FROM asked WHERE $11 OR code NOT IN (SELECT code FROM whole)
  )
  SELECT id FROM whole
  UNION
  SELECT d.id FROM device_listing d
  WHERE EXISTS (SELECT FROM part) AND ("d"."operator_id" = ANY($12::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($13::int[])) AND "d"."region_id" = ANY($14::int[])) AND EXISTS (
        SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
          generate_series(1, length(d.code) - size.n + 1) AS i
        WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))
)) AND v.id = ANY($15::int8[]))
    AND v.reason IS NOT NULL
  GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT 20;

-- reachesBeyond
SELECT FROM advertisement_delivery v JOIN device d ON d.id = v.device_id WHERE v.advertisement_id = $1 AND v.withdrawal IS NULL
  AND NOT ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
LIMIT 1;

-- hasLeftBeyond
SELECT FROM advertisement_delivery v JOIN device d ON d.id = v.device_id WHERE v.advertisement_id = $1 AND v.withdrawal = 'leftScope'
  AND NOT ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]))
LIMIT 1;

-- lockAdvertisement
-- answers id int4, name text, isDeleted bool, endsAt timestamptz, createdBy int4, createdByName text, decidedIn int4 null, cabinets jsonb
SELECT
a.id, a.name, a.deleted_at IS NOT NULL AS "isDeleted", a.ends_at AS "endsAt", a.created_by AS "createdBy",
a.created_by_name AS "createdByName", a.decided_in AS "decidedIn", a.cabinets FROM advertisement a
  WHERE a.id = $1 AND "a"."organization_id" IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $2::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
  FOR NO KEY UPDATE;

-- markDeleted
UPDATE advertisement SET deleted_at = now() WHERE id = $1;

-- setDue
UPDATE advertisement SET next_at = $1 WHERE id = $2;

-- setDue
-- answers pg_notify void
SELECT pg_notify($1, $2);

-- isFileUsed
SELECT FROM stored_file WHERE id = $1 FOR NO KEY UPDATE;

-- isFileUsed
SELECT FROM advertisement WHERE file_id = $1 LIMIT 1;

-- lockForWork
-- answers id int4, name text, isDeleted bool, endsAt timestamptz, createdBy int4, createdByName text, decidedIn int4 null, cabinets jsonb
SELECT
a.id, a.name, a.deleted_at IS NOT NULL AS "isDeleted", a.ends_at AS "endsAt", a.created_by AS "createdBy",
a.created_by_name AS "createdByName", a.decided_in AS "decidedIn", a.cabinets FROM advertisement a WHERE a.id = $1 FOR NO KEY UPDATE;
