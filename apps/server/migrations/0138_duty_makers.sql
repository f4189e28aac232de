-- Who has made a rota: one user makes so many. Null: not known, of one that the release before made.
ALTER TABLE duty ADD COLUMN made_by integer;
