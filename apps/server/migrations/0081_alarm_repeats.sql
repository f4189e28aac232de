-- Alarms that come again soon after they recovered: one row for a trouble of two episodes and more. Written after the
-- reports' own commit, by a worker; what is not here has occurred once.
CREATE TABLE alarm_repeat (
  -- Of alarm_history. No foreign key: episodes leave in partitions, and these rows follow them by their moment.
  first_episode_id bigint PRIMARY KEY,
  device_id integer NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  semaphore_code text NOT NULL,
  first_at timestamptz NOT NULL,
  last_episode_id bigint NOT NULL,
  last_at timestamptz NOT NULL,
  -- How many episodes.
  occurrences integer NOT NULL CHECK (occurrences > 1),
  -- What it is about: the bits of all its episodes as one value or, of an alarm whose values are troubles of their own,
  -- its values.
  seen bigint[] NOT NULL,
  -- The moments of its latest episodes, oldest first: as many as it takes to tell that it chatters.
  recent timestamptz[] NOT NULL,
  -- The worst that it has done.
  chatter text CHECK (chatter IN ('chattering', 'flapping'))
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX alarm_repeat_last ON alarm_repeat (last_episode_id);
CREATE INDEX alarm_repeat_alarm ON alarm_repeat (device_id, semaphore_code, last_at);
CREATE INDEX alarm_repeat_age ON alarm_repeat (last_at);

-- The actions on a device's alarms from a moment on.
DROP INDEX alarm_handling_device;
CREATE INDEX alarm_handling_device ON alarm_handling (device_id, occurred_at);

-- What goes on with a trouble that comes again is an action, too: of nobody, user 0.
ALTER TABLE alarm_handling_action DROP CONSTRAINT alarm_handling_action_kind_check;
ALTER TABLE alarm_handling_action ADD CONSTRAINT alarm_handling_action_kind_check
  CHECK (kind IN ('ack', 'unack', 'claim', 'assign', 'release', 'note', 'close', 'carry'));
ALTER TABLE alarm_handling_action DROP CONSTRAINT alarm_handling_action_source_check;
ALTER TABLE alarm_handling_action ADD CONSTRAINT alarm_handling_action_source_check
  CHECK (source IN ('web', 'api', 'system'));
