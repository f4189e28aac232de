-- What who asked for an attempt did: let the device begin after the trial, or ask for another attempt; one person may do
-- both, each by a function of its own. Null: nobody was asked for beside the creator, or the release before wrote it.
ALTER TABLE parameter_target ADD COLUMN asked_deed text;
