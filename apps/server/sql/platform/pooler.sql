-- Written by `npm run docs:sql`.

-- refuseTransactionPooler
-- answers set_config text
SELECT set_config($1, $2, false);

-- seen
-- answers value text
SELECT current_setting($1, true) AS value;
