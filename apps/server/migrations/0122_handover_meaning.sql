-- What the value of a handed-over alarm means, as it was when the page was drawn: which compartment, which module.

ALTER TABLE handover_alarm ADD COLUMN meaning text;
ALTER TABLE handover_note ADD COLUMN meaning text;
