-- Who was told what stays known when its rule or its channel is gone, and persons are told as well as channels.
ALTER TABLE notify_item RENAME COLUMN episode_id TO subject_id;
ALTER TABLE notify_item
  ALTER COLUMN rule_id DROP NOT NULL,
  ALTER COLUMN channel_id DROP NOT NULL,
  DROP CONSTRAINT notify_item_rule_id_fkey,
  DROP CONSTRAINT notify_item_channel_id_fkey,
  DROP CONSTRAINT notify_item_once,
  DROP CONSTRAINT notify_item_event_check,
  -- Tells apart what is told of one subject again and again: the turn of an escalation, the moment of a device's end.
  ADD COLUMN turn bigint NOT NULL DEFAULT 0,
  -- The person who is told; null: the channel's own address. No foreign key: the record outlives its people.
  ADD COLUMN user_id integer,
  ADD COLUMN user_name text,
  ADD CONSTRAINT notify_item_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES notify_rule (id) ON DELETE SET NULL,
  ADD CONSTRAINT notify_item_channel_id_fkey
    FOREIGN KEY (channel_id) REFERENCES notify_channel (id) ON DELETE SET NULL,
  ADD CONSTRAINT notify_item_event_check CHECK (event IN ('raised', 'recovered', 'escalated')),
  ADD CONSTRAINT notify_item_person CHECK ((user_id IS NULL) = (user_name IS NULL));
CREATE UNIQUE INDEX notify_item_once
  ON notify_item (subject_id, rule_id, channel_id, event, turn, coalesce(user_id, 0));
