-- Certificates of adopted files, which do not tell whose key they name.

ALTER TABLE android_certificate DROP CONSTRAINT android_certificate_label_check;
ALTER TABLE android_certificate ADD CHECK (label IN ('upload', 'play-signing', 'debug', 'unknown'));
