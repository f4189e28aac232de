-- Alarms of fire, heat and smoke: a compartment with an active one is opened only after a second person has agreed.
ALTER TABLE dictionary_entry ADD COLUMN is_fire boolean NOT NULL DEFAULT false;
UPDATE dictionary_entry SET is_fire = true
WHERE type = 'ALARM' AND code IN ('01110002', '01110004', '01120003', '01210001');

-- Deeds that wait for a second person. The states stand in features/approvals/approvals.states.ts.
CREATE TABLE approval (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('action', 'parameterBatch', 'upgrade')),
  state text NOT NULL DEFAULT 'waiting' CHECK (
    state IN ('waiting', 'agreed', 'refused', 'expired', 'void', 'withdrawn')
  ),
  -- The function that the deed needs, of who asked and of who agrees.
  function_code text NOT NULL,
  -- The input of the call, as it was parsed.
  payload jsonb NOT NULL,
  -- The same deed asked for twice while it waits is one; null where each is one of its own.
  same_as text,
  subject text NOT NULL,
  details jsonb NOT NULL,
  causes text[] NOT NULL,
  -- Of an action.
  device_id integer REFERENCES device (id) ON DELETE CASCADE,
  -- When it was asked for.
  device_count integer NOT NULL,
  -- Of who asked, at that time: colleagues of that organization and of those above see it.
  organization_id integer NOT NULL,
  -- No foreign key: the record outlives its people.
  created_by integer NOT NULL,
  created_by_name text NOT NULL,
  address text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  decided_by integer,
  decided_by_name text,
  decided_at timestamptz,
  note text,
  -- The command, batch or task that came of it.
  result_id text,
  -- When the work queue ends it; null where it is final.
  next_at timestamptz,
  CONSTRAINT approval_final CHECK ((state = 'waiting') = (next_at IS NOT NULL)),
  CONSTRAINT approval_agreed CHECK ((state = 'agreed') = (result_id IS NOT NULL)),
  CONSTRAINT approval_by_another CHECK (state NOT IN ('agreed', 'refused') OR decided_by <> created_by)
);
CREATE UNIQUE INDEX approval_waiting_once ON approval (same_as) WHERE state = 'waiting';
CREATE INDEX approval_due ON approval (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX approval_created_by ON approval (created_by, id);
CREATE INDEX approval_device ON approval (device_id) WHERE device_id IS NOT NULL;
CREATE INDEX approval_created ON approval (created_at);

-- What users had devices do at once. The states stand in features/actions/actions.states.ts.
CREATE TABLE remote_action (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_id integer NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  action text NOT NULL CHECK (
    action IN ('openDoor', 'disableCompartment', 'enableCompartment', 'stopCharging', 'restart', 'reportStatus')
  ),
  -- Null: of the whole device.
  compartment smallint CHECK (compartment BETWEEN 1 AND 64),
  -- In the compartment when the action was asked for, as last reported.
  battery_code text,
  -- In the words of who asked for it.
  purpose text NOT NULL,
  state text NOT NULL DEFAULT 'sent' CHECK (
    state IN ('sent', 'acknowledged', 'confirmed', 'unconfirmed', 'failed', 'refused', 'expired', 'stopped')
  ),
  -- Why it failed, was refused or stopped.
  reason text,
  -- The command to the device. No foreign key: commands are kept apart.
  command_id uuid,
  answered_at timestamptz,
  -- When the first report after the command was made that shows the result, by the server's clock.
  shown_at timestamptz,
  -- No foreign key: the record outlives its people.
  created_by integer NOT NULL,
  created_by_name text NOT NULL,
  address text NOT NULL,
  approval_id bigint,
  approved_by_name text,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now(),
  -- When the work queue looks at it again: of those alone that are answered and not confirmed.
  next_at timestamptz,
  CONSTRAINT remote_action_due CHECK ((state = 'acknowledged') = (next_at IS NOT NULL))
) WITH (fillfactor = 70);

-- One of the same is under way at a time, whatever becomes of the locks that see to it.
CREATE UNIQUE INDEX remote_action_sent ON remote_action (device_id, action, coalesce(compartment, 0))
  WHERE state = 'sent';
CREATE INDEX remote_action_open ON remote_action (device_id) WHERE state IN ('sent', 'acknowledged');
CREATE INDEX remote_action_device ON remote_action (device_id, id);
CREATE INDEX remote_action_created ON remote_action (created_at);
CREATE INDEX remote_action_command ON remote_action (command_id);
CREATE INDEX remote_action_due ON remote_action (next_at) WHERE next_at IS NOT NULL;
