-- An event opened by its address alone is found as an episode is (alarm_history_id).
CREATE INDEX event_history_id ON event_history USING brin (id) WITH (pages_per_range = 16, autosummarize = on);
