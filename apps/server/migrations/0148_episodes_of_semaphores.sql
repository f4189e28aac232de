-- online
-- The neighbours of a late report, and what a semaphore did before, are found at once, however much else the device reported.
CREATE INDEX CONCURRENTLY alarm_history_of_semaphore ON alarm_history (device_id, semaphore_code, occurred_at, id);
