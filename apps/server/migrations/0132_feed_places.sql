-- online
-- What is told by the place where a device stood, and what is told of tasks, is little among all other events.
CREATE INDEX CONCURRENTLY feed_event_of_places ON feed_event (seq)
  WHERE kind IN ('device.deleted', 'device.left', 'device.arrived');
CREATE INDEX CONCURRENTLY feed_event_of_tasks ON feed_event (seq)
  WHERE kind IN ('upgrade.finished', 'batch.finished', 'advertisement.finished');
-- Channels that are there go on in the language of who has set them up, which they went by.
-- repeat
UPDATE notify_channel c SET language = u.language FROM app_user u
  WHERE u.id = c.decided_by AND u.language <> 'zh' AND c.language <> u.language;
