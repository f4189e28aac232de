-- In which language a user reads the console and gets notices.

ALTER TABLE app_user ADD COLUMN language text NOT NULL DEFAULT 'zh'
  CONSTRAINT app_user_language_check CHECK (language IN ('zh', 'en'));
