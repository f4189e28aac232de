-- Written by `npm run docs:sql`.

-- deleteEmptyStays
DELETE FROM battery_stay WHERE ctid = ANY(ARRAY(
SELECT ctid FROM battery_stay WHERE battery_code = '' AND ended_at < $1 LIMIT $2));

-- deleteOldStays
-- answers count int4
WITH gone AS (
  DELETE FROM battery_stay WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM battery_stay WHERE battery_code <> '' AND ended_at < $1 LIMIT $2))
  RETURNING battery_code, device_id, compartment, started_at
), lost AS (
  UPDATE battery b SET device_id = NULL FROM gone
  WHERE b.code = gone.battery_code
    AND (b.device_id, b.compartment, b.started_at) = (gone.device_id, gone.compartment, gone.started_at)
)
SELECT count(*)::int AS count FROM gone;

-- mendPlaces
-- answers code text
SELECT code FROM battery WHERE device_id IS NULL ORDER BY code LIMIT $1 FOR NO KEY UPDATE;

-- mendPlaces
DELETE FROM battery WHERE code = ANY($1::text[]) AND device_id IS NULL;
