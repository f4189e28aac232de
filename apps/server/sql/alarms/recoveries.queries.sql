-- Written by `npm run docs:sql`.

-- insertRecovery
DELETE FROM alarm_recovery WHERE user_id = $1 AND finished_at < now() - interval '30 days';

-- insertRecovery
-- answers id int8, total int4, recovered int4, passed int4, createdAt timestamptz, finishedAt timestamptz null, stopNote text null
INSERT INTO alarm_recovery (user_id, decided_in, note, episode_ids, total, next_at)
  VALUES ($1, $2, $3, $4::bigint[], $5, now())
  RETURNING
id, total, recovered, passed, created_at AS "createdAt", finished_at AS "finishedAt", stop_note AS "stopNote";

-- listRecoveries
-- answers id int8, total int4, recovered int4, passed int4, createdAt timestamptz, finishedAt timestamptz null, stopNote text null
SELECT
id, total, recovered, passed, created_at AS "createdAt", finished_at AS "finishedAt", stop_note AS "stopNote" FROM alarm_recovery
  WHERE user_id = $1 AND (finished_at IS NULL OR finished_at > $2)
  ORDER BY id DESC;

-- lockBeginning
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended('alarm_recovery', 0));

-- listPending
-- answers id text
SELECT unnest(episode_ids[reached + 1 :] || busy_ids)::text AS id
FROM alarm_recovery WHERE finished_at IS NULL;

-- readDueRecovery
-- answers id int8, userId int4, loginName text, decidedIn int4 null, note text, isPatient bool, portion _text
SELECT r.id, user_id AS "userId", u.login_name AS "loginName", decided_in AS "decidedIn", note, reached >= cardinality(episode_ids) AS "isPatient",
  CASE WHEN reached < cardinality(episode_ids)
    THEN episode_ids[reached + 1 : reached + $1::int] ELSE busy_ids[1 : 1]
  END::text[] AS portion
FROM alarm_recovery r JOIN app_user u ON u.id = r.user_id WHERE r.id = $2::bigint;

-- stopRecovery
UPDATE alarm_recovery SET finished_at = now(), next_at = NULL, episode_ids = '{}', busy_ids = '{}', reached = 0,
  stop_note = $1
WHERE id = $2::bigint;

-- writePortion
UPDATE alarm_recovery SET reached = reached, busy_ids = busy_ids[2 : cardinality(busy_ids)], recovered = recovered + $1::int,
  passed = passed + $2::int, next_at = now()
WHERE id = $3::bigint;

-- writePortion
UPDATE alarm_recovery SET finished_at = now(), next_at = NULL, episode_ids = '{}', reached = 0
WHERE id = $1::bigint AND reached >= cardinality(episode_ids) AND cardinality(busy_ids) = 0;
