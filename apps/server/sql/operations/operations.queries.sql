-- Written by `npm run docs:sql`.

-- listUsersWithin
-- answers id int4
SELECT id FROM app_user WHERE organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $1::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree);

-- listCallsNamed
-- answers call text
WITH RECURSIVE known AS (
  (SELECT call FROM operation_log ORDER BY call LIMIT 1)
  UNION ALL
  SELECT (SELECT o.call FROM operation_log o WHERE o.call > known.call ORDER BY o.call LIMIT 1)
  FROM known WHERE known.call IS NOT NULL
)
SELECT known.call FROM known
CROSS JOIN LATERAL (
  SELECT o.summary FROM operation_log o WHERE o.call = known.call ORDER BY o.at DESC LIMIT 1
) newest
WHERE known.call ILIKE $1 OR newest.summary ILIKE $2;

-- readRows
-- answers id int8, time timestamptz, at text, userId int4 null, userName text null, loginName text, address text, call text, summary text, target text null, code int4, message text null, changes jsonb null, requestId text
WITH page AS MATERIALIZED (
    SELECT o.at, o.id FROM operation_log o WHERE (o.at >= $1 AND o.at < $2 AND o.user_id = ANY($3::int[]) AND o.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $4::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND NOT EXISTS (
    SELECT FROM unnest($5::int[], $6::timestamptz[]) AS hidden (user_id, until)
    WHERE hidden.user_id = o.user_id AND hidden.until > o.at) AND (o.user_id = ANY($7::int[]) OR o.login_name = $8) AND o.call = ANY($9::text[]) AND text_bigrams(o.target) @> text_bigrams($10) AND o.target ILIKE $11 AND o.result_code <> 200 AND o.address LIKE $12) ORDER BY o.at DESC, o.id DESC OFFSET $13 LIMIT $14
  )
  SELECT o.id, o.at AS time, o.at::text AS at, o.user_id AS "userId", u.user_name AS "userName",
    coalesce(o.login_name, u.login_name) AS "loginName", o.address, o.call, o.summary, o.target,
    o.result_code AS code, o.result_message AS message, o.changes, o.request_id AS "requestId"
  FROM page
  JOIN operation_log o ON o.at = page.at AND o.id = page.id
  LEFT JOIN app_user u ON u.id = o.user_id
  ORDER BY o.at DESC, o.id DESC;

-- countOperations
-- answers count int8
SELECT count(*) AS count FROM operation_log o WHERE (o.at >= $1 AND o.at < $2 AND o.user_id = ANY($3::int[]) AND o.organization_id IN (
WITH RECURSIVE tree AS (
  SELECT id FROM organization WHERE id = $4::bigint
  UNION
  SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
) SELECT id FROM tree) AND NOT EXISTS (
    SELECT FROM unnest($5::int[], $6::timestamptz[]) AS hidden (user_id, until)
    WHERE hidden.user_id = o.user_id AND hidden.until > o.at) AND (o.user_id = ANY($7::int[]) OR o.login_name = $8) AND o.call = ANY($9::text[]) AND text_bigrams(o.target) @> text_bigrams($10) AND o.target ILIKE $11 AND o.result_code <> 200 AND o.address LIKE $12);
