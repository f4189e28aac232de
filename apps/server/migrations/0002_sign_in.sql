-- A session outlives its user, so that a token in use tells that it was ended (50012) and not that it is
-- unknown (50008).
ALTER TABLE user_session
  ALTER COLUMN user_id DROP NOT NULL,
  DROP CONSTRAINT user_session_user_id_fkey,
  ADD CONSTRAINT user_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE SET NULL;

-- An attempt is counted before its password is checked, or else guesses made at the same time would all
-- find room: a row that is_pending becomes a failure, or goes when the password was right.
ALTER TABLE login_failure
  ADD COLUMN is_pending boolean NOT NULL DEFAULT false,
  -- A good sign-in resets the count of its name, not of its address.
  ADD COLUMN is_forgiven boolean NOT NULL DEFAULT false;

-- Which seeds this installation has had: what an administrator deleted since then does not come back.
CREATE TABLE planted_seed (
  name text PRIMARY KEY,
  planted_at timestamptz NOT NULL DEFAULT now()
);
