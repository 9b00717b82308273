-- The members of `passkey-endpoints`; NULL for no such file.
ALTER TABLE domain ADD COLUMN passkey_endpoints TEXT COLLATE "C" CHECK (json_typeof(passkey_endpoints::json) = 'object');
