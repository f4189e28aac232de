-- Written by `npm run docs:sql`.

-- plantFunctions
-- answers last int4
SELECT coalesce(max(order_num), 0)::int AS last FROM menu WHERE parent_id = $1;
