-- Who added an Android app, if that was somebody limited to domains, and nobody without limits has confirmed it since.
-- Apps of earlier versions have nobody.

ALTER TABLE android_app ADD COLUMN added_by TEXT COLLATE "C";
-- The domains of that limit.
ALTER TABLE android_app ADD COLUMN added_within TEXT COLLATE "C"
  CHECK ((added_within IS NULL) = (added_by IS NULL) AND json_typeof(added_within::json) = 'array');

-- From this version on, `revision.settings` has the whole domain as the API writes it, not only its settings.
