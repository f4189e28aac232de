-- Written by `npm run docs:sql`.

-- findChange
-- answers isCurrent bool, failure text null, askBy text null, askTime timestamptz null, toldTime timestamptz null, doneTime timestamptz null
SELECT k.former_hash = d.secret_hash AND d.protocol = 'ocpp16' AS "isCurrent", k.failure,
  k.asked_by_name AS "askBy", k.asked_at AS "askTime", k.told_at AS "toldTime", k.done_at AS "doneTime"
FROM device d LEFT JOIN ocpp_key_change k ON k.id = d.id
WHERE d.id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));

-- lockKeyed
-- answers id int4, code text, isStation bool, secretHash bytea, version int4, isChanging bool
SELECT d.id, d.code, d.protocol = 'ocpp16' AS "isStation", d.secret_hash AS "secretHash", d.version,
  EXISTS (SELECT FROM ocpp_key_change k WHERE k.id = d.id AND k.former_hash = d.secret_hash
    AND k.done_at IS NULL AND k.failure IS NULL) AS "isChanging"
FROM device d WHERE d.id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[])) FOR NO KEY UPDATE OF d;

-- findUntold
-- answers key text, askedBy int4, askedByName text, isTold bool
SELECT k.key, k.asked_by AS "askedBy", k.asked_by_name AS "askedByName",
  k.told_at IS NOT NULL AS "isTold"
FROM ocpp_key_change k JOIN device d ON d.id = k.id
WHERE k.id = $1 AND k.former_hash = d.secret_hash AND d.protocol = 'ocpp16' AND k.key IS NOT NULL
  AND k.done_at IS NULL AND k.failure IS NULL
  AND (k.told_at IS NULL OR k.told_at < now() - interval '10 minutes');

-- isWithin
SELECT FROM device d WHERE d.id = $1 AND ("d"."operator_id" = ANY($2::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($3::int[])) AND "d"."region_id" = ANY($4::int[]));

-- markTold
UPDATE ocpp_key_change SET told_at = CASE WHEN $1::text IS NULL THEN now() ELSE told_at END,
  failure = $2, key = CASE WHEN $3::text IS NULL THEN key END
WHERE id = $4 AND key = $5 AND done_at IS NULL;

-- finishChange
-- answers id int4
UPDATE ocpp_key_change k SET done_at = now(), key = NULL, told_at = coalesce(k.told_at, now())
FROM device d WHERE k.id = $1 AND d.id = k.id AND k.secret_hash = $2
  AND k.former_hash = d.secret_hash AND k.done_at IS NULL AND k.failure IS NULL
RETURNING k.id;
