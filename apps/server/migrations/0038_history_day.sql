-- How many rows of history each day has brought, by the day on which they were written: what HISTORY_ROWS_PER_DAY counts.
CREATE TABLE history_day (
  day date PRIMARY KEY,
  row_count bigint NOT NULL
);
