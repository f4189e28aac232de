-- Figures of the fleet for the home page, kept so that no look at the page counts devices, their parts or their alarms.

-- How many there are of one thing at one place. As in history_count, 0 in place of an operator, a model or a region
-- stands for any; kept are the sums of all, by operator, by operator and model, by operator and region, and by all
-- three. The order of the key makes each of these sums one stretch of it.
CREATE TABLE fleet_count (
  figure text NOT NULL,
  model_id integer NOT NULL,
  region_id integer NOT NULL,
  operator_id integer NOT NULL,
  -- Devices: their state. Alarms: their code. Versions: the kind of part, and in detail the version.
  name text NOT NULL,
  detail text NOT NULL,
  n integer NOT NULL,
  PRIMARY KEY (figure, model_id, region_id, operator_id, name, detail)
);
CREATE INDEX fleet_count_empty ON fleet_count (figure) WHERE n = 0;

-- By how much the counts changed in each of the last hours: what they were a day ago is what they are less this.
CREATE TABLE fleet_change (
  figure text NOT NULL,
  model_id integer NOT NULL,
  region_id integer NOT NULL,
  operator_id integer NOT NULL,
  name text NOT NULL,
  hour timestamptz NOT NULL,
  n integer NOT NULL,
  PRIMARY KEY (figure, model_id, region_id, operator_id, name, hour)
);
CREATE INDEX fleet_change_hour ON fleet_change (hour);

-- Since when a figure is counted: its first count is no change.
CREATE TABLE fleet_figure (
  figure text PRIMARY KEY,
  begun_at timestamptz NOT NULL DEFAULT now()
);

-- Devices that were connected once and are not now; those that are in neither index never were.
CREATE INDEX device_state_offline ON device_state (device_id) WHERE NOT is_online AND online_changed_at IS NOT NULL;
