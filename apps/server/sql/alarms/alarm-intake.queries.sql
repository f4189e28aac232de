-- Written by `npm run docs:sql`.

-- readAlarmStates
-- answers n _int8, episode_id _int8, is_active _int4, value _int8, occurred_at _float8, reported_at _float8, recovered_at _float8, recovery_method _int4
SELECT array_agg(n) AS n,
  array_agg(episode_id) AS episode_id, array_agg(is_active::int) AS is_active, array_agg(value) AS value,
  array_agg(date_part('epoch', occurred_at) * 1000) AS occurred_at,
  array_agg(date_part('epoch', reported_at) * 1000) AS reported_at,
  array_agg(date_part('epoch', recovered_at) * 1000) AS recovered_at,
  array_agg(recovery_method::int) AS recovery_method
FROM (
  SELECT m.n, s.episode_id, s.is_active, s.value, s.occurred_at, s.reported_at, s.recovered_at,
    s.recovery_method
  FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS m(device_id, code, n)
  JOIN device d ON d.id = m.device_id
  LEFT JOIN LATERAL (
    SELECT * FROM alarm_state WHERE device_id = m.device_id AND semaphore_code = m.code LIMIT 1
  ) s ON true
  FOR KEY SHARE OF d
) AS known;

-- updateAlarmStates
UPDATE alarm_state s
SET episode_id = nullif(($5::int8[])[n], 0), is_active = ($6::bool[])[n], value = ($7::int8[])[n],
  occurred_at = nullif(($8::timestamptz[])[n], '-infinity'), reported_at = ($9::timestamptz[])[n],
  recovered_at = nullif(($10::timestamptz[])[n], '-infinity'), recovery_method = nullif(($11::int2[])[n], 0),
  -- What a user wrote belongs to that user's recovery, and goes with it.
  recovered_by = CASE WHEN ($11::int2[])[n] = 2 THEN s.recovered_by END,
  note = CASE WHEN ($11::int2[])[n] = 2 THEN s.note END
FROM unnest($1::text[]) WITH ORDINALITY AS m(code, n)
WHERE s.device_id = ($2::int4[])[n] AND s.semaphore_code = m.code AND s.is_active = ($3::bool[])[n]
  AND s.reported_at >= ($4::timestamptz[])[n] - interval '1 ms'
  AND s.reported_at <= ($4::timestamptz[])[n] + interval '1 ms';

-- insertAlarmStates
INSERT INTO alarm_state (device_id, semaphore_code, operator_id, model_id, region_id,
  episode_id, is_active, value, occurred_at, reported_at, recovered_at, recovery_method)
SELECT d.id, m.code, d.operator_id, d.model_id, d.region_id, nullif(($3::int8[])[n], 0), ($4::bool[])[n],
  ($5::int8[])[n], nullif(($6::timestamptz[])[n], '-infinity'), ($7::timestamptz[])[n],
  nullif(($8::timestamptz[])[n], '-infinity'), nullif(($9::int2[])[n], 0)
FROM unnest($1::text[]) WITH ORDINALITY AS m(code, n)
JOIN device d ON d.id = ($2::int4[])[n];

-- insertEpisodes
WITH added AS (
  INSERT INTO alarm_history (device_id, semaphore_code, operator_id, model_id, region_id,
    id, occurred_at, first_value, value, recovered_at, recovery_method, late_reports)
  SELECT d.id, m.code, d.operator_id, d.model_id, d.region_id,
    ($3::int8[])[n], ($4::timestamptz[])[n], ($5::int8[])[n], ($6::int8[])[n],
    nullif(($7::timestamptz[])[n], '-infinity'), nullif(($8::int2[])[n], 0), ($9::text[])[n]::jsonb
  FROM unnest($1::text[]) WITH ORDINALITY AS m(code, n)
  JOIN device d ON d.id = ($2::int4[])[n]
  RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
)
INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
SELECT 1, day, operator_id, model_id, region_id, semaphore_code, count(*)
FROM added GROUP BY day, operator_id, model_id, region_id, semaphore_code;

-- updateEpisodes
UPDATE alarm_history h
SET value = ($4::int8[])[n],
  recovered_at = coalesce(nullif(($5::timestamptz[])[n], '-infinity'), h.recovered_at),
  recovery_method = CASE
    WHEN ($5::timestamptz[])[n] = '-infinity' THEN h.recovery_method
    ELSE nullif(($6::int2[])[n], 0)
  END,
  late_reports = coalesce(($7::text[])[n]::jsonb, h.late_reports)
FROM generate_subscripts($1::int4[], 1) AS n
WHERE h.occurred_at = ($3::timestamptz[])[n] AND h.id = ($2::int8[])[n] AND h.device_id = ($1::int4[])[n];

-- readNeighbours
-- answers device_id int4, semaphore_code text, id int8, occurred_at timestamptz, first_value int8, value int8, recovered_at timestamptz, recovery_method int2, late_reports jsonb
WITH place AS MATERIALIZED (
  SELECT DISTINCT * FROM unnest($1::int4[], $2::text[], $3::timestamptz[]) AS m(device_id, code, at)
)
SELECT DISTINCT ON (h.device_id, h.semaphore_code, h.occurred_at, h.id) h.*
FROM place m
CROSS JOIN LATERAL (
  (SELECT device_id, semaphore_code, id, occurred_at, first_value, value, recovered_at, recovery_method, late_reports
    FROM alarm_history WHERE device_id = m.device_id AND semaphore_code = m.code AND occurred_at <= m.at
    ORDER BY occurred_at DESC, id DESC LIMIT 1)
  UNION ALL
  (SELECT device_id, semaphore_code, id, occurred_at, first_value, value, recovered_at, recovery_method, late_reports
    FROM alarm_history WHERE device_id = m.device_id AND semaphore_code = m.code AND occurred_at > m.at
    ORDER BY occurred_at, id LIMIT 1)
) h
ORDER BY h.device_id, h.semaphore_code, h.occurred_at, h.id;
