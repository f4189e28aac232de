-- In which language a channel is written to: a group has no user by whose choice it could go.
ALTER TABLE notify_channel ADD COLUMN language text NOT NULL DEFAULT 'zh'
  CONSTRAINT notify_channel_language_check CHECK (language IN ('zh', 'en'));
