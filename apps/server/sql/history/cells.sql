-- Written by `npm run docs:sql`.

-- areLevelsOf
-- answers code text
SELECT semaphore_code AS code FROM history_level WHERE level = ANY($1::int[]);

-- provincesOf
-- answers ids _int4, isWhole bool
SELECT array_agg(r.id) AS ids, bool_and(r.level <= 2) AS "isWhole"
FROM region top
CROSS JOIN LATERAL (
  SELECT id, cardinality(string_to_array(btrim(path, '/'), '/')) AS level FROM region
  WHERE id = top.id OR parent_id = top.id AND top.parent_id IS NULL
) AS r
WHERE top.id = ANY($1::int[]);
