-- Days whose values have begun to be dropped: what is reported of them late is left out, as their statistics would be made anew of it
-- alone. Values may be kept for longer from a start on, and that alone brings none of them back.
ALTER TABLE reading_rollup ADD COLUMN hours_gone boolean NOT NULL DEFAULT false;

-- Those dropped so far begin before the first partition that has any value; all of them where none has.
DO $$
DECLARE
  piece text;
  has_any boolean := false;
  first_kept timestamptz := 'infinity';
BEGIN
  FOR piece IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'reading_hour'::regclass ORDER BY c.relname
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', piece) INTO has_any;
    IF has_any THEN
      first_kept := to_date(right(piece, 10), 'YYYY_MM_DD')::timestamp AT TIME ZONE 'UTC';
      EXIT;
    END IF;
  END LOOP;
  -- The first day of an installation begins before its first partition, too, and nothing of it is gone.
  IF (SELECT min(of) FROM reading_rollup WHERE kind = 'day')::timestamptz < first_kept - interval '1 day' THEN
    UPDATE reading_rollup SET hours_gone = true
    WHERE kind = 'day' AND ended_at IS NOT NULL AND of::timestamptz < first_kept;
  END IF;
END $$;
