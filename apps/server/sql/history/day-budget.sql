-- Written by `npm run docs:sql`.

-- addRows
-- answers total float8
WITH old AS (DELETE FROM history_day WHERE day < $1::date - 7)
INSERT INTO history_day (day, row_count) VALUES ($2::date, $3)
ON CONFLICT (day) DO UPDATE SET row_count = history_day.row_count + excluded.row_count
RETURNING row_count::float8 AS total;
