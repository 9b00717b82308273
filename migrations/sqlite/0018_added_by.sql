-- Who added an Android app, if that was somebody limited to domains, and nobody without limits has confirmed it since.
-- Apps of earlier versions have nobody.

ALTER TABLE android_app ADD COLUMN added_by TEXT;
-- The domains of that limit.
ALTER TABLE android_app ADD COLUMN added_within TEXT
  CHECK ((added_within IS NULL) = (added_by IS NULL) AND json_type(added_within) = 'array');

-- From this version on, `revision.settings` has the whole domain as the API writes it, not only its settings.
