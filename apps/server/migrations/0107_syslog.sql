-- The operation log for a syslog receiver. What is written there is noted by the statement that writes it, in its
-- transaction, while a process with the setting is there: a cursor over the rows would pass those that commit late.
CREATE TABLE syslog_pending (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The key of the entry.
  at timestamptz NOT NULL,
  operation_id bigint NOT NULL
);

CREATE TABLE syslog_state (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- When a process with the setting was last seen, to an hour; null before the first.
  wanted_at timestamptz
);
INSERT INTO syslog_state (wanted_at) VALUES (NULL);

-- A week, and the hour by which wanted_at may be late.
CREATE FUNCTION syslog_is_wanted() RETURNS boolean LANGUAGE sql STABLE AS
  $$ SELECT coalesce(wanted_at > now() - interval '169 hours', false) FROM syslog_state $$;

CREATE FUNCTION syslog_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT syslog_is_wanted() THEN RETURN NULL; END IF;
  INSERT INTO syslog_pending (at, operation_id) SELECT at, id FROM added ORDER BY id;
  RETURN NULL;
END $$;
CREATE TRIGGER syslog_note AFTER INSERT ON operation_log REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION syslog_note();
