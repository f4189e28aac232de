-- Written by `npm run docs:sql`.

-- noteWanted
-- answers isNoted bool
SELECT coalesce(wanted_at > now() - interval '1 hour', false) AS "isNoted" FROM syslog_state;

-- noteWanted
SELECT FROM syslog_state FOR UPDATE;

-- noteWanted
UPDATE syslog_state SET wanted_at = now();

-- forgetUnwanted
DELETE FROM syslog_pending WHERE NOT syslog_is_wanted();

-- listPending
-- answers pendingId int8, isThere bool, id int8 null, at timestamptz null, userId int4 null, loginName text null, organizationId int4 null, address text null, requestId text null, call text null, summary text null, target text null, code int4 null, message text null, changes jsonb null
SELECT p.id AS "pendingId", o.id IS NOT NULL AS "isThere", o.id, o.at, o.user_id AS "userId",
  o.login_name AS "loginName", o.organization_id AS "organizationId", o.address, o.request_id AS "requestId",
  o.call, o.summary, o.target, o.result_code AS code, o.result_message AS message, o.changes
FROM (SELECT * FROM syslog_pending ORDER BY id LIMIT $1) AS p
LEFT JOIN operation_log o ON o.at = p.at AND o.id = p.operation_id
ORDER BY p.id;

-- countPending
-- answers count int8
SELECT count(*) FROM syslog_pending;

-- deletePending
DELETE FROM syslog_pending WHERE id = ANY($1::bigint[]);
