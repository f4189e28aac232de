-- Written by `npm run docs:sql`.

-- lockFold
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('alarm_repeat fold', 0));

-- readKnown
-- answers n int4, firstId text, firstAt text, lastId text, lastAt text, lastAtMs float8, lastRecoveredAtMs float8, count int4, seen _text, recentMs _float8, chatter text null
SELECT k.n::int AS n, t.first_episode_id::text AS "firstId", t.first_at::text AS "firstAt",
    t.last_episode_id::text AS "lastId", t.last_at::text AS "lastAt", (extract(epoch FROM t.last_at) * 1000)::float8 AS "lastAtMs",
    (extract(epoch FROM CASE WHEN h.recovery_method IS NULL AND h.recovered_at IS NOT NULL THEN h.occurred_at
ELSE h.recovered_at END) * 1000)::float8 AS "lastRecoveredAtMs", t.occurrences AS count, t.seen::text[] AS seen,
    ARRAY(SELECT (extract(epoch FROM at) * 1000)::float8 FROM unnest(t.recent) AS at) AS "recentMs", t.chatter
  FROM
unnest($1::int[], $2::text[])
  WITH ORDINALITY AS k (device_id, code, n)
  CROSS JOIN LATERAL (
    SELECT * FROM alarm_repeat t WHERE t.device_id = k.device_id AND t.semaphore_code = k.code
    ORDER BY t.last_at DESC LIMIT $3
  ) t
  JOIN alarm_history h ON h.occurred_at = t.last_at AND h.id = t.last_episode_id
  ORDER BY k.n, t.last_at;

-- readKnown
-- answers n int4, isByValue bool, id text, at text, atMs float8, recoveredAtMs float8, firstValue text, value text
SELECT m.n::int AS n, coalesce(e.analysis_type = 'VALUE', false) AS "isByValue", h.id::text AS id,
    h.occurred_at::text AS at, (extract(epoch FROM h.occurred_at) * 1000)::float8 AS "atMs",
    (extract(epoch FROM CASE WHEN h.recovery_method IS NULL AND h.recovered_at IS NOT NULL THEN h.occurred_at
ELSE h.recovered_at END) * 1000)::float8 AS "recoveredAtMs", h.first_value::text AS "firstValue", h.value::text AS value
  FROM (
    SELECT k.n, k.device_id, k.code, l.at AS after,
      coalesce(l.anew, l.at, s.occurred_at - $1 * interval '1 ms') AS since
    FROM
unnest($2::int[], $3::text[])
  WITH ORDINALITY AS k (device_id, code, n)
    JOIN unnest(
      $4::timestamptz[], $5::timestamptz[]
    ) WITH ORDINALITY AS l (at, anew, n) ON l.n = k.n
    JOIN alarm_state s ON s.device_id = k.device_id AND s.semaphore_code = k.code AND s.episode_id IS NOT NULL
  ) m
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = m.code
  LEFT JOIN LATERAL (
    (SELECT id, occurred_at, recovered_at, recovery_method, first_value, value FROM alarm_history
      WHERE device_id = m.device_id AND semaphore_code = m.code AND occurred_at > m.since
      ORDER BY occurred_at, id LIMIT $6)
    UNION ALL
    -- What lasted longer before it came again.
    (SELECT id, occurred_at, recovered_at, recovery_method, first_value, value FROM alarm_history
      WHERE m.after IS NULL AND device_id = m.device_id AND semaphore_code = m.code AND occurred_at <= m.since
      ORDER BY occurred_at DESC, id DESC LIMIT 1)
  ) h ON true
  ORDER BY m.n, h.occurred_at, h.id;

-- forgetLate
-- answers n int4, at text
WITH late AS (
    SELECT k.n, k.device_id, k.code, l.at FROM
unnest($1::int[], $2::text[])
  WITH ORDINALITY AS k (device_id, code, n)
    JOIN unnest($3::timestamptz[]) WITH ORDINALITY AS l (at, n) ON l.n = k.n
    WHERE l.at IS NOT NULL
  ), forgotten AS (
    DELETE FROM alarm_repeat t USING late
    WHERE t.device_id = late.device_id AND t.semaphore_code = late.code AND t.last_at >= late.at
    RETURNING late.n, t.first_at
  )
  SELECT late.n::int AS n, (least(late.at, min(forgotten.first_at)) - interval '1 ms')::text AS at
  FROM late LEFT JOIN forgotten ON forgotten.n = late.n
  GROUP BY late.n, late.at;

-- writeTroubles
INSERT INTO alarm_repeat (first_episode_id, device_id, semaphore_code, first_at, last_episode_id, last_at,
  occurrences, seen, recent, chatter)
SELECT m.first_id, m.device_id, m.code, m.first_at, m.last_id, m.last_at, m.count, m.seen::bigint[],
  ARRAY(SELECT to_timestamp(ms / 1000) FROM unnest(m.recent::float8[]) AS ms), m.chatter
FROM unnest(
  $1::bigint[], $2::int[],
  $3::text[], $4::timestamptz[],
  $5::bigint[], $6::timestamptz[],
  $7::int[], $8::text[],
  $9::text[], $10::text[]
) AS m (first_id, device_id, code, first_at, last_id, last_at, count, seen, recent, chatter)
-- A device that was deleted meanwhile has no alarms any more.
JOIN device d ON d.id = m.device_id
ORDER BY m.first_id
ON CONFLICT (first_episode_id) DO UPDATE SET last_episode_id = excluded.last_episode_id,
  last_at = excluded.last_at, occurrences = excluded.occurrences, seen = excluded.seen,
  recent = excluded.recent, chatter = excluded.chatter;

-- listSuccessions
-- answers deviceId int4, fromId text, fromAt text, id text, at text
SELECT t.device_id AS "deviceId", p.id::text AS "fromId", p.occurred_at::text AS "fromAt", h.id::text AS id,
    h.occurred_at::text AS at
  FROM
unnest($1::int[], $2::text[])
  WITH ORDINALITY AS k (device_id, code, n)
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = k.code
  CROSS JOIN LATERAL (
    SELECT * FROM alarm_repeat t WHERE t.device_id = k.device_id AND t.semaphore_code = k.code
    ORDER BY t.last_at DESC LIMIT $3
  ) t
  CROSS JOIN LATERAL (
    SELECT h.id, h.occurred_at FROM alarm_handling p
    JOIN alarm_history h ON h.occurred_at = p.occurred_at AND h.id = p.episode_id
    WHERE p.device_id = t.device_id AND p.version > 0 AND p.occurred_at >= t.first_at
      AND p.occurred_at <= t.last_at AND h.semaphore_code = t.semaphore_code AND (
t.first_at <= h.occurred_at AND t.last_at >= h.occurred_at
AND CASE WHEN e.analysis_type = 'VALUE' THEN h.first_value = ANY(t.seen) ELSE h.first_value & t.seen[1] <> 0 END)
    ORDER BY p.occurred_at DESC, p.episode_id DESC LIMIT 1
  ) p
  CROSS JOIN LATERAL (
    SELECT h.id, h.occurred_at FROM alarm_history h
    WHERE h.device_id = t.device_id AND h.semaphore_code = t.semaphore_code
      AND h.occurred_at > p.occurred_at AND h.occurred_at <= t.last_at AND (
t.first_at <= h.occurred_at AND t.last_at >= h.occurred_at
AND CASE WHEN e.analysis_type = 'VALUE' THEN h.first_value = ANY(t.seen) ELSE h.first_value & t.seen[1] <> 0 END)
    ORDER BY h.occurred_at DESC, h.id DESC LIMIT $4
  ) h
  ORDER BY h.id;

-- keysOfHandled
-- answers deviceId int4, code text
SELECT DISTINCT h.device_id AS "deviceId", h.semaphore_code AS code
FROM (
  SELECT DISTINCT episode_id FROM (
    SELECT episode_id, at, kind FROM alarm_handling_action ORDER BY id DESC LIMIT $1
  ) a WHERE a.at > now() - interval '2 minutes' AND a.kind <> 'carry'
) a
JOIN alarm_handling p ON p.episode_id = a.episode_id
JOIN alarm_history h ON h.occurred_at = p.occurred_at AND h.id = p.episode_id
WHERE EXISTS (
  SELECT FROM alarm_repeat t
  WHERE t.device_id = h.device_id AND t.semaphore_code = h.semaphore_code AND t.last_at > h.occurred_at);

-- listRecurred
-- answers deviceId int4, code text, at text, id text, isRepeat bool
SELECT s.device_id AS "deviceId", s.semaphore_code AS code, s.occurred_at::text AS at, s.episode_id::text AS id,
  coalesce(s.occurred_at - (
    SELECT h.recovered_at FROM alarm_history h
    WHERE h.device_id = s.device_id AND h.semaphore_code = s.semaphore_code
      AND (h.occurred_at, h.id) < (s.occurred_at, s.episode_id)
    ORDER BY h.occurred_at DESC, h.id DESC LIMIT 1
  ) <= $1 * interval '1 ms', false) AS "isRepeat"
FROM (
  SELECT device_id, semaphore_code, occurred_at, episode_id FROM alarm_state
  WHERE is_active = $2 AND episode_id IS NOT NULL
    AND (occurred_at, episode_id) > ($3::timestamptz, $4::bigint)
  ORDER BY occurred_at, episode_id LIMIT $5
) s;

-- deleteRepeats
-- answers ?column? int4
DELETE FROM alarm_repeat WHERE first_episode_id IN (
  SELECT first_episode_id FROM alarm_repeat WHERE last_at < $1 LIMIT $2
) RETURNING 1;
