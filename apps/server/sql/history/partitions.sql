-- Written by `npm run docs:sql`.

-- aloneOn
-- answers pg_advisory_lock void
SELECT pg_advisory_lock($1);

-- aloneOn
SET lock_timeout = 1000;

-- aloneOn
RESET lock_timeout;

-- aloneOn
-- answers pg_advisory_unlock bool
SELECT pg_advisory_unlock($1);

-- dropOld
-- not shown: defines what has its name, or its whole text, at run time only

-- detach
-- not shown: defines what has its name, or its whole text, at run time only

-- partitionsOf
-- answers name name, isAttached bool, isDetaching bool, from timestamptz, to timestamptz
SELECT c.relname AS name,
  i.inhparent IS NOT NULL AS "isAttached",
  coalesce(i.inhdetachpending, false) AS "isDetaching",
  (regexp_match(bound.text, 'FROM [(]''([^'']+)'''))[1]::timestamptz AS "from",
  (regexp_match(bound.text, 'TO [(]''([^'']+)'''))[1]::timestamptz AS "to"
FROM pg_class c
JOIN pg_class parent ON parent.oid = $1::regclass AND parent.relnamespace = c.relnamespace
LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = parent.oid
CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid)) AS bound (text)
WHERE c.relkind = 'r' AND c.relname ~ ('^' || $1 || '(_[0-9]+){1,4}$')
ORDER BY c.relname;

-- make
-- not shown: defines what has its name, or its whole text, at run time only

-- make
-- not shown: defines what has its name, or its whole text, at run time only

-- forgetDeltas
DELETE FROM history_delta WHERE day < $1;
