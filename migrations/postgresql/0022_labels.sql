-- Labels, by which people choose domains and limit tokens, and where a domain is managed.
--
-- A token or a user that is limited to labels has rows in `token_domain` or `named_user_domain` such as
-- 'label:brand-a' and 'label:brand-a *.brand.example'. Servers of earlier versions take them for names that no domain
-- has.

CREATE TABLE domain_label (
  domain_id BIGINT NOT NULL REFERENCES domain ON DELETE CASCADE,
  position BIGINT NOT NULL CHECK (position >= 0),
  label TEXT COLLATE "C" NOT NULL CHECK (label ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  PRIMARY KEY (domain_id, position)
);
CREATE UNIQUE INDEX domain_label_of_label ON domain_label (label, domain_id);

ALTER TABLE domain ADD COLUMN managed_by TEXT COLLATE "C" CHECK (length(managed_by) BETWEEN 1 AND 200);
