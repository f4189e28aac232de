-- What one channel cannot tell is told by another: of a person by the person's next one, else by the rule's, which stands
-- in notify_rule_target as step -1.
ALTER TABLE notify_delivery
  -- The channels that tell instead what this message could not; none where nobody does.
  ADD COLUMN passed_to text[] NOT NULL DEFAULT '{}';
ALTER TABLE notify_item
  ADD COLUMN is_fallback boolean NOT NULL DEFAULT false;
