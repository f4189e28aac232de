-- The log is asked who did it, what was done and what was refused; each question counts its rows by index alone.
CREATE INDEX operation_log_call ON operation_log (call, at);
CREATE INDEX operation_log_login_name ON operation_log (login_name, at);
CREATE INDEX operation_log_refused ON operation_log (at, id) WHERE result_code <> 200;
