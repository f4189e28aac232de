-- Since when a job that deletes by age waits, because its last run was more than a day ago: the clock may be ahead.
ALTER TABLE job_run ADD COLUMN held_since timestamptz;
