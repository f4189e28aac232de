-- Codes of alarms that a task's gate does not count, as of when the task was made, changed or begun: a level that is lowered
-- later does not loosen it. Tasks that are there take the levels of now.
ALTER TABLE upgrade_task ADD COLUMN ignored_alarms text[] NOT NULL DEFAULT '{}';
UPDATE upgrade_task a SET ignored_alarms = ARRAY(
  SELECT e.code FROM dictionary_entry e
  WHERE e.type = 'ALARM' AND NOT a.rule -> 'alarmLevels' @> to_jsonb(e.alarm_level) ORDER BY e.code)
WHERE a.state IN ('planned', 'running', 'paused');
