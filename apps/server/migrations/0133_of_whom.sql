-- Sign-ins by a provider are under way from somewhere: a stranger who begins many has the own ones forgotten, nobody else's.
ALTER TABLE sign_in_request ADD COLUMN network text NOT NULL DEFAULT '';

-- A recovery of many alarms is somebody's work for as long as it lasts: in which organization it was asked for, and why it
-- ended before it was done. Of those under way before, the user counts as of now.
ALTER TABLE alarm_recovery ADD COLUMN decided_in integer, ADD COLUMN stop_note text;

-- The organization of a shelf on a page of handover: one by filter is told to who sees that organization's. Null: made by the
-- release before; then the shelf itself says.
ALTER TABLE handover_shelf ADD COLUMN organization_id integer;

-- The device that said a battery's state of health last: it is told to who sees that device. Null: it was said before.
ALTER TABLE battery ADD COLUMN soh_by integer;
