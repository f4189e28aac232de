-- Written by `npm run docs:sql`.

-- refuseMoreRows
-- answers pg_advisory_xact_lock void
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- refuseMoreRows
-- answers inAll int4, ofOrganization int4, ofUser int4
SELECT count(*)::int AS "inAll",
  count(*) FILTER (WHERE organization_id = $1)::int AS "ofOrganization",
  count(*) FILTER (WHERE "drafted_by" IN (
          SELECT id FROM app_user WHERE id = $2 OR maker_id = $3))::int AS "ofUser"
FROM "handover"
WHERE created_at > now() - $4 * interval '1 hour';
