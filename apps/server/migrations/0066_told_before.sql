-- When the alarm gate last stopped an upgrade with the package's present file; null where it has not, or has let one
-- pass since.
ALTER TABLE software_package ADD COLUMN gate_failed_at timestamptz;

-- What a batch is for, in its creator's words: a number says nothing three weeks later.
ALTER TABLE parameter_batch
  ADD COLUMN name text,
  ADD COLUMN remark text;
