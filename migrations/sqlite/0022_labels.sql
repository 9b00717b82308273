-- Labels, by which people choose domains and limit tokens, and where a domain is managed.
--
-- A token or a user that is limited to labels has rows in `token_domain` or `named_user_domain` such as
-- 'label:brand-a' and 'label:brand-a *.brand.example'. Servers of earlier versions take them for names that no domain
-- has.

CREATE TABLE domain_label (
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  label TEXT NOT NULL CHECK (label GLOB '[a-z0-9]*' AND length(label) <= 63),
  PRIMARY KEY (domain_id, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX domain_label_of_label ON domain_label (label, domain_id);

ALTER TABLE domain ADD COLUMN managed_by TEXT CHECK (length(managed_by) BETWEEN 1 AND 200);
