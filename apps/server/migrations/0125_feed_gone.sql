-- online
-- Devices that were deleted are few, and a reader finds them among all other events.
CREATE INDEX CONCURRENTLY IF NOT EXISTS feed_event_gone ON feed_event (seq) WHERE kind = 'device.deleted';
