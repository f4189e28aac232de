-- Written by `npm run docs:sql`.

-- refuseMoreRows
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- refuseMoreRows
-- answers organizationId int4, count int4, own int4
SELECT organization_id AS "organizationId", count(*)::int AS count,
    count(*) FILTER (WHERE "drafted_by" IN (
SELECT id FROM app_user WHERE id = $1 OR maker_id = $2))::int AS own
  FROM "handover"
  WHERE created_at > now() - $3 * interval '1 hour'
  GROUP BY organization_id;
