-- What users' data permissions were before they were narrowed: entries of the operation log from before `until` may name
-- devices that the user's colleagues of now do not see.
CREATE TABLE narrowed_reach (
  user_id integer NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
  until timestamptz NOT NULL,
  authorities jsonb NOT NULL,
  PRIMARY KEY (user_id, until)
);

-- Of changes before this table, the log itself says how it was. A widening among them hides no more than it did.
INSERT INTO narrowed_reach (user_id, until, authorities)
  SELECT DISTINCT ON (u.id, o.at) u.id, o.at + interval '1 minute', o.changes -> 'before'
  FROM operation_log o
  JOIN app_user u ON o.target = '用户 ' || u.login_name
  WHERE o.call IN ('/permission/update', '/permission/delete/:userId') AND o.result_code = 200
    AND o.changes -> 'before' ?& ARRAY['O', 'ET', 'R'];
