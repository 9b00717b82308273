-- The first token is printed, perhaps into a log that others read. Until it is first used, it expires at this
-- time.
ALTER TABLE token ADD COLUMN unused_until INTEGER;
