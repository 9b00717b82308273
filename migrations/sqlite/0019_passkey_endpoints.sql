-- The members of `passkey-endpoints`; NULL for no such file.
ALTER TABLE domain ADD COLUMN passkey_endpoints TEXT CHECK (json_type(passkey_endpoints) = 'object');
