-- Whom the counters count together: the operators of an organization and of those under it. A cell of history_count
-- whose operator_id is -7 is the sum of those of the operators that stand here with the organization 7. The job
-- history.recountGroups fills both.
CREATE TABLE history_group (
  organization_id integer NOT NULL,
  operator_id integer NOT NULL,
  PRIMARY KEY (organization_id, operator_id)
);
CREATE INDEX history_group_operator ON history_group (operator_id);
