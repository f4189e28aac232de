-- A station's password that is being changed by itself: the former one and this are both valid until it has come with this.

CREATE TABLE ocpp_key_change (
  -- The device's.
  id integer PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  -- The former one: another one that was set by hand meanwhile ends the change.
  former_hash bytea NOT NULL,
  secret_hash bytea NOT NULL,
  -- Sealed; null once the station has come with it.
  key text,
  -- Whose decision it is until the station has come with it.
  asked_by integer NOT NULL,
  asked_by_name text NOT NULL,
  asked_at timestamptz NOT NULL DEFAULT now(),
  -- The station has taken it.
  told_at timestamptz,
  done_at timestamptz,
  -- Why it has not.
  failure text
);
