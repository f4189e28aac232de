-- Written by `npm run docs:sql`.

-- send
-- answers pg_notify void
SELECT pg_notify($1, $2);

-- bringForward
-- answers inMs float8
WITH soon AS MATERIALIZED (
  SELECT id, next_at, now() + least($1, greatest($2, target_count / $3))
    * interval '1 ms' AS at
  FROM "parameter_batch" WHERE id = ANY($4::int[]) AND next_at IS NOT NULL
  ORDER BY id FOR NO KEY UPDATE
)
UPDATE "parameter_batch" o SET next_at = soon.at
FROM soon WHERE o.id = soon.id AND soon.next_at > soon.at
RETURNING (extract(epoch FROM o.next_at - now()) * 1000)::float8 AS "inMs";

-- handle
SET LOCAL enable_material = on; SET LOCAL enable_seqscan = on;
SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
