-- Written by `npm run docs:sql`.

-- countGroups
-- answers key text, n numeric
SELECT key::text AS key, sum(n) AS n FROM (
SELECT "c"."operator_id"::text AS key, (SELECT sum(day) FROM unnest(c.days[m.first:m.last]) AS day) AS n
FROM history_count c JOIN (VALUES ($1::date, $2::int, $3::int)) AS m (month, first, last) ON m.month = c.month
WHERE c.source = 1 AND c.semaphore_code = ANY($4::text[])
  AND c.operator_id = ANY($5::int[]) AND c.model_id = ANY($6::int[])
  AND c.region_id = ANY($7::int[])
UNION ALL
SELECT "d"."operator_id"::text, d.n FROM (
  SELECT * FROM history_delta
  WHERE source = 1 AND operator_id = ANY($8::int[]) AND model_id = ANY($9::int[]) AND region_id = ANY($10::int[]) AND semaphore_code = ANY($11::text[])
    AND day >= $12::date AND day < $13::date
) AS d
) AS part GROUP BY key HAVING sum(n) <> 0;

-- sumByLevel
-- answers code text, level int2
SELECT code, alarm_level AS level FROM dictionary_entry
WHERE type = 'ALARM' AND alarm_level IS NOT NULL AND code = ANY($1::text[]);

-- allIds
-- answers id int4
SELECT id FROM "operator";
