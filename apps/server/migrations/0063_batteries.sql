-- Where batteries have been. A stay is what a compartment's reports say of one battery without anything else in between;
-- the empty compartment is a stay of '', as its end is told by what was seen first afterwards.
CREATE TABLE battery_stay (
  device_id integer NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  compartment smallint NOT NULL CHECK (compartment BETWEEN 1 AND 64),
  battery_code text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  -- The last time that the battery was seen, as far as it is written: an unchanged report writes nothing.
  seen_at timestamptz NOT NULL,
  -- The first time that something else was seen.
  ended_at timestamptz,
  soc_in real,
  soc_in_at timestamptz,
  soc_out real,
  soc_out_at timestamptz,
  -- All stretches of sightings, where there are several: what is between two of them may be told late.
  stretches jsonb,
  PRIMARY KEY (device_id, compartment, started_at, battery_code)
) WITH (fillfactor = 85);
-- What a report may change: stays that go on, or ended after it.
CREATE INDEX battery_stay_ended ON battery_stay
  (device_id, compartment, coalesce(ended_at, 'infinity'::timestamptz));
CREATE INDEX battery_stay_way ON battery_stay (battery_code, started_at) WHERE battery_code <> '';
CREATE INDEX battery_stay_open ON battery_stay (battery_code) WHERE battery_code <> '' AND ended_at IS NULL;
CREATE INDEX battery_stay_old ON battery_stay (ended_at) WHERE battery_code <> '';
CREATE INDEX battery_stay_empty ON battery_stay (ended_at) WHERE battery_code = '';

-- A battery, with the stay that says where it is or was last seen. The device is null where that was deleted: a job
-- looks for another stay.
CREATE TABLE battery (
  code text COLLATE "C" NOT NULL PRIMARY KEY CHECK (code ~ '^[A-Za-z0-9]{1,32}$'),
  -- What parts of codes are looked for in: ILIKE takes five times as long.
  search_code text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(code)) STORED,
  device_id integer REFERENCES device (id) ON DELETE SET NULL,
  compartment smallint,
  started_at timestamptz,
  ended_at timestamptz,
  -- How many compartments have it and have not said otherwise.
  claims smallint NOT NULL DEFAULT 0,
  -- Of its compartment; null where that does not say.
  state text,
  soh real,
  -- Who reported it first: a device has a budget of new codes.
  found_by integer NOT NULL,
  found_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 85);
CREATE INDEX battery_device ON battery (device_id, code);
CREATE INDEX battery_claimed_twice ON battery (code) WHERE claims > 1;
CREATE INDEX battery_lost ON battery (code) WHERE device_id IS NULL;
CREATE INDEX battery_found ON battery (found_by, found_at);

-- The compartments of a device by state, as its newest report says it; written when one of the counts changes.
CREATE TABLE device_stock (
  device_id integer NOT NULL PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
  full_count smallint NOT NULL,
  charging_count smallint NOT NULL,
  idle_count smallint NOT NULL,
  empty_count smallint NOT NULL,
  faulty_count smallint NOT NULL,
  disabled_count smallint NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 85);
CREATE INDEX device_stock_full ON device_stock (full_count, device_id);
