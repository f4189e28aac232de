-- Login names are compared without case. Of existing names that differ in nothing else one answers to every spelling (one
-- in small letters, or else the oldest); each of the others goes on as it is spelled, so nobody is locked out.
ALTER TABLE app_user ADD COLUMN is_spelled_exactly boolean NOT NULL DEFAULT false;
UPDATE app_user SET is_spelled_exactly = true FROM (
  SELECT id, row_number() OVER (
    PARTITION BY lower(login_name COLLATE "C")
    ORDER BY login_name COLLATE "C" = lower(login_name COLLATE "C") DESC, id
  ) AS place FROM app_user
) alike WHERE alike.id = app_user.id AND alike.place > 1;
CREATE UNIQUE INDEX app_user_login_name_alike ON app_user (
  (CASE WHEN is_spelled_exactly THEN login_name COLLATE "C" ELSE lower(login_name COLLATE "C") END)
);
