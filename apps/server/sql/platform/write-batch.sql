-- Written by `npm run docs:sql`.

-- withoutRepeated
-- answers pg_logical_emit_message pg_lsn
SELECT pg_logical_emit_message(true, 'voltkeep', '');
