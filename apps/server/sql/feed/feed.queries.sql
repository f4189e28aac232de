-- Written by `npm run docs:sql`.

-- placeEvents
-- answers last int8
SELECT last_seq AS last FROM feed_state FOR UPDATE SKIP LOCKED;

-- placeEvents
WITH taken AS (
  DELETE FROM feed_pending WHERE id IN (SELECT id FROM feed_pending ORDER BY id LIMIT $1)
  RETURNING *
)
INSERT INTO feed_event (seq, kind, device_id, moment, episode_id, began_at, semaphore_code, value, at)
SELECT $2::bigint + row_number() OVER (ORDER BY id), kind, device_id, moment, episode_id, began_at,
  semaphore_code, value, at
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

-- listEvents
-- answers seq int8, atUs int8, kind text, deviceId int4, code text null, operatorId int4 null, moment timestamptz, episodeId int8 null, beganAt timestamptz null, semaphoreCode text null, value int8 null
SELECT f.seq, (extract(epoch FROM f.at) * 1000000)::bigint AS "atUs", f.kind, f.device_id AS "deviceId", d.code,
  d.operator_id AS "operatorId", f.moment, f.episode_id AS "episodeId", f.began_at AS "beganAt",
  f.semaphore_code AS "semaphoreCode", f.value
FROM (SELECT * FROM feed_event WHERE seq > $1::bigint ORDER BY seq LIMIT $2) AS f
LEFT JOIN device d ON d.id = f.device_id AND f.kind = ANY($3::text[]) AND ("d"."operator_id" = ANY($4::int[]) AND "d"."model_id" IN (SELECT id FROM equip_model WHERE equip_type_id = ANY($5::int[])) AND "d"."region_id" = ANY($6::int[]))
ORDER BY f.seq;

-- 
WITH head AS (SELECT seq, at FROM feed_event ORDER BY seq LIMIT $1)
DELETE FROM feed_event WHERE seq IN (
  SELECT seq FROM head WHERE seq < coalesce((SELECT min(seq) FROM head WHERE at >= $2), seq + 1));
