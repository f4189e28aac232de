-- Stations that stay with their maker's platform: what they say is passed on to it, and it keeps control of them.

CREATE TABLE ocpp_relay (
  -- The device's.
  id integer PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  url text NOT NULL,
  -- What the station is called there; null: as it calls itself here.
  identity text,
  -- Sealed: the password of Basic authentication; and the texts of CA, certificate and key, as JSON.
  password text,
  tls text,
  is_enabled boolean NOT NULL,
  -- Since when the station is connected there; null while it is not.
  connected_at timestamptz,
  last_error text,
  last_error_at timestamptz,
  updated_by_name text,
  updated_at timestamptz NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1
);
