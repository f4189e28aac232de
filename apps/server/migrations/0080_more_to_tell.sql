-- More than alarms that open: what becomes graver, what comes back after a shelf, devices that go offline, and tasks. Short
-- messages as channels.
ALTER TABLE notify_channel
  DROP CONSTRAINT notify_channel_kind_check,
  ADD CONSTRAINT notify_channel_kind_check
    CHECK (kind IN ('wecom', 'dingtalk', 'feishu', 'webhook', 'mail', 'aliyunSms', 'tencentSms'));
ALTER TABLE notify_rule
  -- A device that is back sooner is not told.
  ADD COLUMN offline_minutes integer NOT NULL DEFAULT 10 CHECK (offline_minutes > 0);
DROP INDEX notify_item_once;
ALTER TABLE notify_item
  -- What `subject_id` is the id of.
  ADD COLUMN subject_kind text NOT NULL DEFAULT 'alarm'
    CHECK (subject_kind IN ('alarm', 'device', 'upgrade', 'batch')),
  -- Of an alarm: what was told of it, or would be, by the last message.
  ADD COLUMN code text,
  ADD COLUMN value bigint,
  -- How often the trouble has come, this time included.
  ADD COLUMN repeats integer NOT NULL DEFAULT 1,
  -- When an alarm was over; of one that waits to be told: it is not, unless it comes again.
  ADD COLUMN over_at timestamptz,
  ALTER COLUMN device_id DROP NOT NULL,
  ADD CONSTRAINT notify_item_device CHECK ((device_id IS NULL) = (subject_kind IN ('upgrade', 'batch'))),
  DROP CONSTRAINT notify_item_event_check,
  ADD CONSTRAINT notify_item_event_check CHECK (event IN ('raised', 'repeated', 'levelRaised', 'returned',
    'recovered', 'escalated', 'deviceOffline', 'deviceOnline', 'taskPaused', 'taskEnded'));
CREATE UNIQUE INDEX notify_item_once
  ON notify_item (subject_id, rule_id, channel_id, event, turn, coalesce(user_id, 0), subject_kind);
CREATE INDEX notify_item_trouble ON notify_item (device_id, code, rule_id) WHERE event IN ('raised', 'repeated');
