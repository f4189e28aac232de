-- Who ended the wait for a stage of an upgrade by hand, or let a stopped stage go on: what its alarm gate lets pass from
-- then on is also their decision.

ALTER TABLE upgrade_task ADD COLUMN let_on_by integer[] NOT NULL DEFAULT '{}';
