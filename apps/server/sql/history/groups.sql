-- Written by `npm run docs:sql`.

-- recountGroups
-- answers id int4
SELECT DISTINCT organization_id AS id FROM (
SELECT organization_id, operator_id, CASE WHEN is_wanted THEN 1 ELSE -1 END AS sign
FROM (SELECT *, true AS is_wanted FROM (
WITH RECURSIVE under AS (
  SELECT id AS organization_id, id AS member FROM organization
  UNION
  SELECT u.organization_id, o.id FROM under u JOIN organization o ON o.parent_id = u.member
), sized AS (
  SELECT u.organization_id, count(*) AS n FROM under u JOIN operator p ON p.organization_id = u.member GROUP BY 1
)
SELECT u.organization_id, p.id AS operator_id
FROM sized s JOIN under u USING (organization_id) JOIN operator p ON p.organization_id = u.member
WHERE s.n > 1 AND s.n < (SELECT count(*) FROM operator) AND NOT EXISTS (
  SELECT FROM organization below JOIN sized b ON b.organization_id = below.id
  WHERE below.parent_id = s.organization_id AND b.n = s.n
)) AS one) AS w
FULL JOIN (SELECT *, true AS is_counted FROM history_group) AS g USING (organization_id, operator_id)
WHERE is_wanted IS NULL OR is_counted IS NULL) AS changed ORDER BY id;

-- recountGroup
-- answers id int4, sign int4
SELECT operator_id AS id, sign FROM (
SELECT organization_id, operator_id, CASE WHEN is_wanted THEN 1 ELSE -1 END AS sign
FROM (SELECT *, true AS is_wanted FROM (
WITH RECURSIVE under AS (
  SELECT id AS organization_id, id AS member FROM organization
  UNION
  SELECT u.organization_id, o.id FROM under u JOIN organization o ON o.parent_id = u.member
), sized AS (
  SELECT u.organization_id, count(*) AS n FROM under u JOIN operator p ON p.organization_id = u.member GROUP BY 1
)
SELECT u.organization_id, p.id AS operator_id
FROM sized s JOIN under u USING (organization_id) JOIN operator p ON p.organization_id = u.member
WHERE s.n > 1 AND s.n < (SELECT count(*) FROM operator) AND NOT EXISTS (
  SELECT FROM organization below JOIN sized b ON b.organization_id = below.id
  WHERE below.parent_id = s.organization_id AND b.n = s.n
)) AS one) AS w
FULL JOIN (SELECT *, true AS is_counted FROM history_group) AS g USING (organization_id, operator_id)
WHERE is_wanted IS NULL OR is_counted IS NULL) AS changed WHERE organization_id = $1;

-- recountGroup
DELETE FROM history_group WHERE organization_id = $1 AND operator_id = ANY($2::int[]);

-- recountGroup
INSERT INTO history_group SELECT $1::int, unnest($2::int[]);

-- recountGroup
SELECT FROM history_group WHERE organization_id = $1 LIMIT 1;

-- recountGroup
DELETE FROM history_count WHERE source = ANY($1::int[]) AND operator_id = $2;

-- recountGroup
INSERT INTO history_count AS c (source, operator_id, model_id, region_id, semaphore_code, month, days)
SELECT source, $1::int, model_id, region_id, semaphore_code, month,
  ARRAY[sum(sign * days[1])::int, sum(sign * days[2])::int, sum(sign * days[3])::int, sum(sign * days[4])::int, sum(sign * days[5])::int, sum(sign * days[6])::int, sum(sign * days[7])::int, sum(sign * days[8])::int, sum(sign * days[9])::int, sum(sign * days[10])::int, sum(sign * days[11])::int, sum(sign * days[12])::int, sum(sign * days[13])::int, sum(sign * days[14])::int, sum(sign * days[15])::int, sum(sign * days[16])::int, sum(sign * days[17])::int, sum(sign * days[18])::int, sum(sign * days[19])::int, sum(sign * days[20])::int, sum(sign * days[21])::int, sum(sign * days[22])::int, sum(sign * days[23])::int, sum(sign * days[24])::int, sum(sign * days[25])::int, sum(sign * days[26])::int, sum(sign * days[27])::int, sum(sign * days[28])::int, sum(sign * days[29])::int, sum(sign * days[30])::int, sum(sign * days[31])::int]
FROM unnest($2::int[], $3::int[]) AS changed (operator_id, sign)
JOIN history_count USING (operator_id)
WHERE source = ANY($4::int[])
GROUP BY source, model_id, region_id, semaphore_code, month
ORDER BY source, model_id, region_id, semaphore_code, month
ON CONFLICT (source, operator_id, model_id, region_id, semaphore_code, month)
DO UPDATE SET days = ARRAY[c.days[1] + excluded.days[1], c.days[2] + excluded.days[2], c.days[3] + excluded.days[3], c.days[4] + excluded.days[4], c.days[5] + excluded.days[5], c.days[6] + excluded.days[6], c.days[7] + excluded.days[7], c.days[8] + excluded.days[8], c.days[9] + excluded.days[9], c.days[10] + excluded.days[10], c.days[11] + excluded.days[11], c.days[12] + excluded.days[12], c.days[13] + excluded.days[13], c.days[14] + excluded.days[14], c.days[15] + excluded.days[15], c.days[16] + excluded.days[16], c.days[17] + excluded.days[17], c.days[18] + excluded.days[18], c.days[19] + excluded.days[19], c.days[20] + excluded.days[20], c.days[21] + excluded.days[21], c.days[22] + excluded.days[22], c.days[23] + excluded.days[23], c.days[24] + excluded.days[24], c.days[25] + excluded.days[25], c.days[26] + excluded.days[26], c.days[27] + excluded.days[27], c.days[28] + excluded.days[28], c.days[29] + excluded.days[29], c.days[30] + excluded.days[30], c.days[31] + excluded.days[31]];
