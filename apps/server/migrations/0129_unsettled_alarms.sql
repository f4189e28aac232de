-- online
-- What is not settled is found without those that are, of which there are many.
CREATE INDEX CONCURRENTLY alarm_handling_unsettled ON alarm_handling (occurred_at, episode_id) WHERE settled IS NULL;
