-- Written by `npm run docs:sql`.

-- readBytes
-- answers name name, bytes text
SELECT p.relname AS name, coalesce(sum(pg_total_relation_size(i.inhrelid)), 0)::text AS bytes
FROM pg_class p LEFT JOIN pg_inherits i ON i.inhparent = p.oid
WHERE p.relname IN ('reading_open', 'reading_hour', 'reading_day', 'reading_month') AND p.relkind = 'p'
GROUP BY p.relname;
