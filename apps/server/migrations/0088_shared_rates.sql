-- What a provider takes in a minute belongs to the address: channels with the same robot share one rate.
CREATE TABLE notify_rate (
  -- A keyed digest of the address, or the channel's own id: it tells nothing of the address.
  key text PRIMARY KEY,
  tokens double precision NOT NULL,
  tokens_at timestamptz NOT NULL DEFAULT now()
);

-- Null: not known yet, since the address is sealed. Whoever sends through the channel next writes it.
ALTER TABLE notify_channel ADD COLUMN rate_key text;
CREATE INDEX notify_channel_rate ON notify_channel (rate_key);
INSERT INTO notify_rate (key, tokens, tokens_at) SELECT 'channel ' || id, tokens, tokens_at FROM notify_channel;
ALTER TABLE notify_channel DROP COLUMN tokens, DROP COLUMN tokens_at;

-- Windows of maintenance are changed after they were made.
ALTER TABLE alarm_shelf ADD COLUMN version integer NOT NULL DEFAULT 1;
