-- Uploads of a log that broke off or arrived damaged: the end of the extraction says how many.
ALTER TABLE log_extraction ADD COLUMN failed_uploads integer NOT NULL DEFAULT 0;
