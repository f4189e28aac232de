-- Files that no row refers to count against who uploaded them and against the organization of that time.
ALTER TABLE stored_file ADD COLUMN organization_id integer;

-- Uploads of users under way, with the room that is reserved for each until its file is there.
CREATE TABLE file_upload (
  -- That of the file to come.
  id uuid PRIMARY KEY,
  user_id integer NOT NULL,
  organization_id integer NOT NULL,
  reserved_bytes bigint NOT NULL CHECK (reserved_bytes >= 0),
  -- Moved while the upload goes on: one of a process that has ended no longer counts.
  touched_at timestamptz NOT NULL DEFAULT now()
);
