-- Keys of programs. A key is a user of its own, made by a person: so what it does, decides and sees is told apart from
-- what its maker does, and everything that asks how far a user reaches asks it of the key as well. It has no roles and no
-- password, and reaches no further than the maker does at that moment.
ALTER TABLE app_user ADD COLUMN maker_id integer REFERENCES app_user (id) ON DELETE CASCADE;
CREATE INDEX app_user_maker ON app_user (maker_id) WHERE maker_id IS NOT NULL;

CREATE TABLE api_key (
  user_id integer PRIMARY KEY REFERENCES app_user (id) ON DELETE CASCADE,
  name text NOT NULL,
  -- Of these, those that the maker has at the moment of a call.
  function_codes text[] NOT NULL,
  -- From which it may be used; empty: from any.
  networks text[] NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Written at most once a minute.
  used_at timestamptz,
  used_from text
);

-- What is sent as the key: kept as a hash. During a rotation there are two.
CREATE TABLE api_key_secret (
  hash bytea PRIMARY KEY,
  key_id integer NOT NULL REFERENCES api_key (user_id) ON DELETE CASCADE,
  -- The last letters, by which its holder knows it.
  hint text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Null: with the key.
  ends_at timestamptz
);
CREATE INDEX api_key_secret_key ON api_key_secret (key_id);
