-- Written by `npm run docs:sql`.

-- groupsOf
-- answers id int4, members _int4
SELECT organization_id AS id, array_agg(operator_id) AS members FROM history_group
WHERE organization_id IN (
  SELECT organization_id FROM history_group WHERE operator_id = ANY($1::int[]))
GROUP BY organization_id HAVING bool_and(operator_id = ANY($2::int[]))
ORDER BY count(*) DESC, organization_id;

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
