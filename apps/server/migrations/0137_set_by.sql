-- Who has made an account, given it a password or given it roles: for some time who did is no second person beside it.
CREATE TABLE user_set_by (
  -- No foreign keys: whoever deletes an account between two others leaves the two what they were.
  user_id integer NOT NULL,
  by_user_id integer NOT NULL,
  -- Made, or given a password: who did could sign in as it. Else roles alone.
  signs_in boolean NOT NULL,
  -- By a SYSTEM user, as of then: such a user may be removed or be none any more.
  by_system boolean NOT NULL DEFAULT false,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, by_user_id, signs_in)
);
CREATE INDEX user_set_by_at ON user_set_by (at);
