-- How far users reached when they were deleted: what they decided earlier reaches no further.
CREATE TABLE former_user_reach (
  user_id integer PRIMARY KEY,
  reach jsonb NOT NULL
);
