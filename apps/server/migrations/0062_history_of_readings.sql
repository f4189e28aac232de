-- The names in reports of status whose history is kept, under a short id. Readings of compartments need no row: their
-- ids, below 1,000, follow from field and number.
CREATE TABLE reading_key (
  id integer GENERATED ALWAYS AS IDENTITY (START WITH 1000) PRIMARY KEY,
  key text NOT NULL CONSTRAINT reading_key_taken UNIQUE,
  -- The device that used it first: it may add a limited number. No reference, as the name outlives the device.
  device_id integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX reading_key_device ON reading_key (device_id);

-- Reports as they came, until their hour of arrival is over and they are packed. By the database's clock, which is one
-- for all processes.
CREATE TABLE reading_open (
  device_id integer NOT NULL,
  arrived_at timestamptz NOT NULL,
  -- The report's own time.
  at timestamptz NOT NULL,
  body bytea NOT NULL
) PARTITION BY RANGE (arrived_at);
CREATE INDEX reading_open_device ON reading_open (device_id);

-- What is deflated already is not compressed again, here and below.
ALTER TABLE reading_open ALTER COLUMN body SET STORAGE EXTERNAL;

-- All readings of a device in one hour.
CREATE TABLE reading_hour (
  device_id integer NOT NULL,
  -- Since 1970: half of a moment's bytes, in the row and in the index.
  hour integer NOT NULL,
  block bytea NOT NULL,
  PRIMARY KEY (device_id, hour)
) PARTITION BY RANGE (hour);
ALTER TABLE reading_hour ALTER COLUMN block SET STORAGE EXTERNAL;

-- Least, greatest, mean, last and number of each reading in the hours of a day.
CREATE TABLE reading_day (
  device_id integer NOT NULL,
  day date NOT NULL,
  block bytea NOT NULL,
  PRIMARY KEY (device_id, day)
) PARTITION BY RANGE (day);
ALTER TABLE reading_day ALTER COLUMN block SET STORAGE EXTERNAL;

-- The same of the days of a month.
CREATE TABLE reading_month (
  device_id integer NOT NULL,
  month date NOT NULL,
  block bytea NOT NULL,
  PRIMARY KEY (device_id, month)
) PARTITION BY RANGE (month);
ALTER TABLE reading_month ALTER COLUMN block SET STORAGE EXTERNAL;

-- How far the reports of each hour of arrival are packed.
CREATE TABLE reading_sealing (
  arrived_hour timestamptz PRIMARY KEY,
  -- The devices up to this one are packed.
  after_device_id integer NOT NULL DEFAULT 0,
  report_count bigint NOT NULL DEFAULT 0,
  -- Reports whose own time is no longer kept.
  expired_count bigint NOT NULL DEFAULT 0,
  ended_at timestamptz
);

-- How far the hours of each day, and the days of each month, are added up.
CREATE TABLE reading_rollup (
  kind text NOT NULL CHECK (kind IN ('day', 'month')),
  of date NOT NULL,
  after_device_id integer NOT NULL DEFAULT 0,
  ended_at timestamptz,
  PRIMARY KEY (kind, of)
);
