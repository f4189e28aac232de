-- Devices whose update agents poll by hawkBit's DDI, beside those at the broker.

ALTER TABLE device ADD COLUMN protocol text NOT NULL DEFAULT 'mqtt'
  CONSTRAINT device_protocol_check CHECK (protocol IN ('mqtt', 'ddi'));
-- Whose polls are missed: a few among many.
CREATE INDEX device_polling ON device (id) WHERE protocol = 'ddi';

CREATE TABLE ddi_device (
  device_id integer PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  -- What the agent says of its device, by name.
  attributes jsonb NOT NULL DEFAULT '{}',
  -- The next poll asks for them.
  wants_attributes boolean NOT NULL DEFAULT true,
  changed_at timestamptz NOT NULL DEFAULT now()
);

-- An attempt of an upgrade as its agent knows it: by a number that agents keep in 32 bits.
CREATE TABLE ddi_action (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  device_id integer NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  -- Of device_command. No foreign key: the action outlives it.
  command_id uuid NOT NULL,
  -- Of upgrade_target.
  target_id bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When the agent has read what it is to install.
  retrieved_at timestamptz,
  -- When it has been sent the last byte, or has said that it has them all.
  downloaded_at timestamptz,
  -- The agent goes on although it was told to stop.
  cancel_refused_at timestamptz,
  ended_at timestamptz,
  outcome text CONSTRAINT ddi_action_outcome_check CHECK (outcome IN ('success', 'failure', 'canceled')),
  CONSTRAINT ddi_action_ended CHECK ((ended_at IS NULL) = (outcome IS NULL)),
  CONSTRAINT ddi_action_once UNIQUE (command_id)
);
CREATE INDEX ddi_action_device ON ddi_action (device_id, id);
