-- Written by `npm run docs:sql`.

-- placeEvents
-- answers isThere bool
SELECT EXISTS (SELECT FROM feed_pending) AS "isThere";

-- placeEvents
-- answers last int8
SELECT last_seq AS last FROM feed_state FOR UPDATE;

-- placeEvents
WITH taken AS (
  DELETE FROM feed_pending WHERE id IN (SELECT id FROM feed_pending ORDER BY id LIMIT $1)
  RETURNING *
)
INSERT INTO feed_event (seq, kind, device_id, moment, episode_id, began_at, semaphore_code, value, at, detail, code,
  operator_id, model_id, region_id)
SELECT $2::bigint + row_number() OVER (ORDER BY id), kind, device_id, moment, episode_id, began_at,
  semaphore_code, value, at, detail, code, operator_id, model_id, region_id
FROM taken;

-- placeEvents
UPDATE feed_state SET last_seq = last_seq + $1;

-- noteReader
-- answers isNoted bool
SELECT coalesce(read_at > now() - interval '1 hour', false) AS "isNoted"
FROM feed_reader;

-- noteReader
SELECT FROM feed_state FOR UPDATE;

-- noteReader
-- answers isRead bool
SELECT feed_is_read() AS "isRead";

-- noteReader
DELETE FROM feed_pending;

-- noteReader
DELETE FROM feed_event;

-- noteReader
UPDATE feed_state SET last_seq = last_seq + 1;

-- noteReader
UPDATE feed_reader SET read_at = now();

-- lookAround
-- answers atUs int8, first int8, last int8, lastAtUs int8
SELECT (SELECT (extract(epoch FROM at) * 1000000)::bigint FROM feed_event WHERE seq = $1::bigint) AS "atUs",
  (SELECT min(seq) FROM feed_event) AS first, last_seq AS last,
  (SELECT (extract(epoch FROM at) * 1000000)::bigint FROM feed_event WHERE seq = last_seq) AS "lastAtUs"
FROM feed_state;

-- newestOfKinds
-- answers last int8, kind text null, seq int8, isAll bool
SELECT s.last_seq AS last, f.kind, max(f.seq) AS seq, s.last_seq - $1::bigint <= $2 AS "isAll"
FROM feed_state s
LEFT JOIN feed_event f ON f.seq > $3::bigint AND f.seq <= $4::bigint + $5
GROUP BY s.last_seq, f.kind;

-- listEvents
-- answers seq int8, atUs int8, kind text, deviceId int4, code text, operatorId int4, moment timestamptz, episodeId int8, beganAt timestamptz, semaphoreCode text, value int8, detail jsonb, isEdge bool
WITH finished AS MATERIALIZED (
    SELECT f.*, coalesce(f.detail->>'taskId', f.detail->>'batchId', f.detail->>'advertisementId')::int AS task_id FROM feed_event f
    WHERE f.seq > $1::bigint AND f.seq <= $2::bigint + $3
  AND f.kind = ANY($4::text[]) AND f.kind IN ('upgrade.finished', 'batch.finished', 'advertisement.finished') AND CASE f.kind
WHEN 'upgrade.finished' THEN (SELECT organization_id FROM upgrade_task WHERE id = coalesce(f.detail->>'taskId', f.detail->>'batchId', f.detail->>'advertisementId')::int)
WHEN 'batch.finished' THEN (SELECT organization_id FROM parameter_batch WHERE id = coalesce(f.detail->>'taskId', f.detail->>'batchId', f.detail->>'advertisementId')::int)
ELSE (SELECT organization_id FROM advertisement WHERE id = coalesce(f.detail->>'taskId', f.detail->>'batchId', f.detail->>'advertisementId')::int) END IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $5::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree)
    ORDER BY f.seq DESC LIMIT $6
  ),
  counted AS MATERIALIZED (
    SELECT f.kind, f.task_id, n.counts FROM (SELECT DISTINCT kind, task_id FROM finished) f
    CROSS JOIN LATERAL (
SELECT jsonb_object_agg(state, count) AS counts FROM (
  SELECT y.state, sum(y.count) AS count FROM upgrade_tally y
  WHERE f.kind = 'upgrade.finished' AND y.task_id = f.task_id AND y.count > 0 AND ("y"."operator_id" = ANY($7::int[]) AND "y"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($8::int[])) AND "y"."region_id" = ANY($9::int[])) GROUP BY 1
  UNION ALL
  SELECT t.state, count(*) FROM parameter_target t JOIN device d ON d.id = t.device_id
  WHERE f.kind = 'batch.finished' AND t.batch_id = f.task_id AND ("d"."operator_id" = ANY($10::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($11::int[])) AND "d"."region_id" = ANY($12::int[])) GROUP BY 1
  UNION ALL
  SELECT v.state, count(*) FROM advertisement_delivery v JOIN device d ON d.id = v.device_id
  WHERE f.kind = 'advertisement.finished' AND v.advertisement_id = f.task_id AND ("d"."operator_id" = ANY($13::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($14::int[])) AND "d"."region_id" = ANY($15::int[]))
  GROUP BY 1) c) n
  )
  (SELECT f.seq, (extract(epoch FROM at) * 1000000)::bigint AS "atUs", f.kind, f.device_id AS "deviceId", d.code,
    d.operator_id AS "operatorId", f.moment, f.episode_id AS "episodeId", f.began_at AS "beganAt",
  f.semaphore_code AS "semaphoreCode", f.value, f.detail, false AS "isEdge"
  FROM feed_event f JOIN device d ON d.id = f.device_id
  WHERE f.seq > $16::bigint AND f.seq <= $17::bigint + $18
  AND f.kind = ANY($19::text[]) AND f.kind NOT IN ('device.deleted', 'device.left', 'device.arrived') AND ("d"."operator_id" = ANY($20::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($21::int[])) AND "d"."region_id" = ANY($22::int[]))
  ORDER BY f.seq DESC LIMIT $23)
  UNION ALL
  (SELECT f.seq, (extract(epoch FROM at) * 1000000)::bigint, f.kind, f.device_id, f.code, f.operator_id, f.moment, f.episode_id AS "episodeId", f.began_at AS "beganAt",
  f.semaphore_code AS "semaphoreCode", f.value,
    NULL::jsonb, false
  FROM feed_event f
  WHERE f.seq > $24::bigint AND f.seq <= $25::bigint + $26
  AND f.kind = ANY($27::text[]) AND f.kind IN ('device.deleted', 'device.left', 'device.arrived') AND ("f"."operator_id" = ANY($28::int[]) AND "f"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($29::int[])) AND "f"."region_id" = ANY($30::int[]))
    AND (f.kind = 'device.deleted' OR NOT ((f.detail->>'operatorId')::int = ANY($31::int[]) AND (f.detail->>'modelId')::int IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($32::int[])) AND (f.detail->>'regionId')::int = ANY($33::int[])))
  ORDER BY f.seq DESC LIMIT $34)
  UNION ALL
  (SELECT f.seq, (extract(epoch FROM at) * 1000000)::bigint, f.kind, f.device_id, f.task_id::text, 0, f.moment, f.episode_id AS "episodeId", f.began_at AS "beganAt",
  f.semaphore_code AS "semaphoreCode", f.value,
    f.detail || jsonb_build_object('counts', coalesce(n.counts, '{}')), false
  FROM finished f JOIN counted n ON n.kind = f.kind AND n.task_id = f.task_id)
  UNION ALL
  (SELECT f.seq, (extract(epoch FROM at) * 1000000)::bigint, f.kind, f.device_id, '', 0, f.moment, f.episode_id AS "episodeId", f.began_at AS "beganAt",
  f.semaphore_code AS "semaphoreCode", f.value, NULL::jsonb, true
  FROM feed_event f WHERE f.seq > $35::bigint AND f.seq <= $36::bigint + $37
  ORDER BY f.seq DESC LIMIT 1)
  ORDER BY "isEdge", seq;

-- 
WITH head AS (SELECT seq, at FROM feed_event ORDER BY seq LIMIT $1)
DELETE FROM feed_event WHERE seq IN (
  SELECT seq FROM head WHERE seq < coalesce((SELECT min(seq) FROM head WHERE at >= $2), seq + 1));
