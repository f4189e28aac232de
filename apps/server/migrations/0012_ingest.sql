-- Two jobs have plainer names; their row says when each last ran.
UPDATE job_run SET name = 'history.recountLevels' WHERE name = 'history.settleLevels';
UPDATE job_run SET name = 'history.repairMoves' WHERE name = 'history.settleMoves';

-- The counts of whole months: since a row of history_count has the days of a month, they were as many rows as
-- those, and saved a list nothing.
DROP TABLE history_month_count, history_closed_month;
