-- An edit of a device or a part type is refused where somebody else has saved since the form was opened.
ALTER TABLE device ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE part_type ADD COLUMN version integer NOT NULL DEFAULT 1;

-- Refusals are looked up by the letters and digits of a code: what a box for codes leaves of it.
DROP INDEX intake_refusal_code;
CREATE INDEX intake_refusal_code ON intake_refusal (regexp_replace(device_code, '[^A-Za-z0-9]', '', 'g'), last_at DESC);
