-- Filters of a list that a user has named. The values are those of an address; they narrow the reader's own list.
CREATE TABLE saved_filter (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
  -- The path of the list's call.
  list text NOT NULL,
  name text NOT NULL,
  filter_values jsonb NOT NULL,
  -- For all users of the owner's organization who can open the list.
  is_shared boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT saved_filter_taken UNIQUE (user_id, list, name)
);
CREATE INDEX saved_filter_shared ON saved_filter (list) WHERE is_shared;
