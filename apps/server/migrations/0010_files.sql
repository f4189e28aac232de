-- Files that the platform keeps. The bytes lie in DATA_DIR/files or in a bucket, under the row's id. A feature's
-- row refers to a file by a foreign key on stored_file(id); what no foreign key refers to is collected.
CREATE TABLE stored_file (
  -- Made before the bytes are written, and unguessable.
  id uuid PRIMARY KEY,
  -- As the client called it; a name, never a path.
  name text NOT NULL,
  size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
  md5 text NOT NULL,
  sha1 text NOT NULL,
  sha256 text NOT NULL,
  -- Detected from the content.
  content_type text NOT NULL,
  -- The user that uploaded it. No foreign key: the file outlives the user.
  uploaded_by integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Since when the collector knows that no row refers to it; null while one does.
  unused_since timestamptz DEFAULT now()
);
CREATE INDEX stored_file_unused ON stored_file (unused_since) WHERE unused_since IS NOT NULL;

-- Secrets that an installation makes for itself, once.
CREATE TABLE platform_secret (
  name text PRIMARY KEY,
  secret bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
