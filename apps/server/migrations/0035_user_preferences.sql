-- How a user likes the console. Keys and values are those of packages/contract/src/preferences.ts.
CREATE TABLE user_preference (
  user_id integer NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
  key text NOT NULL,
  value jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, key)
);
