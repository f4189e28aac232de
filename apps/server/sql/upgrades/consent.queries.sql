-- Written by `npm run docs:sql`.

-- findChoice
-- answers devices jsonb
SELECT devices FROM upgrade_task WHERE id = $1;
