-- One index for the active, the recovered and both: an alarm that opens or recovers has two entries fewer to
-- write, which was a tenth of what the database spends on it.
CREATE INDEX alarm_state_order ON alarm_state (is_active, occurred_at, episode_id)
  INCLUDE (operator_id, model_id, region_id, semaphore_code);
DROP INDEX alarm_state_active, alarm_state_episodes;
