-- Written by `npm run docs:sql`.

-- ask
-- answers id int4, nowMs float8
INSERT INTO node (name, address, roles, version, started_at, leased_at, lease_until, is_draining)
SELECT $1, $2, $3, $4, coalesce((SELECT started_at FROM node WHERE id = $6), clock_timestamp()), clock_timestamp(),
  clock_timestamp() + $5 * interval '1 ms', $7
RETURNING id, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs";

-- succeed
UPDATE node SET succeeded_by = $2 WHERE id = $1;

-- freed
-- answers ids _int4
SELECT coalesce(array_agg(id), '{}') AS ids FROM node
WHERE swept_at IS NULL AND lease_until < clock_timestamp() - $1 * interval '1 ms';

-- freed
UPDATE node SET swept_at = clock_timestamp() WHERE id = ANY ($1);

-- freed
DELETE FROM node WHERE swept_at < now() - $1 * interval '1 day';

-- end
UPDATE node SET lease_until = least(lease_until, clock_timestamp()), stopped_at = clock_timestamp() WHERE id = $1;
