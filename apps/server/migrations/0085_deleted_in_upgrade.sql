-- What a stage of an upgrade had learnt from a device that is deleted while its task is open: the verdict on the image does
-- not become better by the deletion of those that it has broken.
CREATE TABLE upgrade_gone (
  task_id integer NOT NULL REFERENCES upgrade_task (id) ON DELETE CASCADE,
  stage smallint NOT NULL,
  -- No foreign key: the device is gone.
  device_id integer NOT NULL,
  part_type text NOT NULL,
  -- Otherwise it had failed, or had begun and nobody learns any more what became of it.
  is_verified boolean NOT NULL,
  -- When the upgrade began, of a verified one.
  began_at timestamptz,
  -- Its alarms that were new since, as the gate counts them, and when each began.
  codes text[] NOT NULL DEFAULT '{}',
  alarmed_at timestamptz[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (task_id, device_id, part_type)
);

-- Before its rows go by cascade. The targets are locked first: a result that comes in meanwhile is waited for.
CREATE FUNCTION keep_gone_in_upgrade() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM upgrade_target WHERE device_id = OLD.id ORDER BY id FOR UPDATE;
  INSERT INTO upgrade_gone (task_id, stage, device_id, part_type, is_verified, began_at, codes, alarmed_at)
  SELECT t.task_id, t.stage, t.device_id, t.part_type, t.state = 'succeeded', b.at,
    coalesce(r.codes, '{}'), coalesce(r.alarmed_at, '{}')
  FROM upgrade_target t
  JOIN upgrade_task a ON a.id = t.task_id AND a.state IN ('running', 'paused')
  JOIN upgrade_stage s ON s.task_id = t.task_id AND s.number = t.stage
  CROSS JOIN LATERAL (
    SELECT CASE WHEN t.state = 'succeeded' THEN greatest(t.started_at, t.verified_at - interval '1 hour') END AS at
  ) b
  LEFT JOIN LATERAL (
    SELECT array_agg(h.semaphore_code) AS codes, array_agg(h.occurred_at) AS alarmed_at
    FROM alarm_history h
    WHERE h.device_id = t.device_id AND h.occurred_at > b.at
      AND (h.recovered_at IS NULL OR h.recovery_method = 2 OR h.recovered_at > t.verified_at
        + least(5, CASE WHEN s.soak_minutes > 0 THEN s.soak_minutes / 2.0 ELSE 5 END) * interval '1 minute')
      AND NOT coalesce((
        SELECT p.recovered_at IS NULL OR p.recovered_at > b.at FROM alarm_history p
        WHERE p.device_id = h.device_id AND p.semaphore_code = h.semaphore_code AND p.occurred_at <= b.at
        ORDER BY p.occurred_at DESC LIMIT 1
      ), false)
  ) r ON true
  WHERE t.device_id = OLD.id AND (
    t.state IN ('succeeded', 'failed', 'refused', 'timedOut', 'downloading', 'installing')
    OR t.state = 'waiting' AND t.attempts > 0
    OR t.state = 'sent' AND EXISTS (
      SELECT FROM device_command c
      WHERE c.device_id = t.device_id AND c.id = t.command_id AND c.state <> 'waiting' AND c.attempts > 0))
  ON CONFLICT DO NOTHING;
  RETURN OLD;
END $$;
CREATE TRIGGER upgrade_gone_kept BEFORE DELETE ON device FOR EACH ROW EXECUTE FUNCTION keep_gone_in_upgrade();
