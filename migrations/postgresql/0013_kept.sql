-- Finds the domains with kept statements, which may name an Android app.
CREATE INDEX domain_keeping_statements ON domain (id) WHERE assetlinks_extra <> '[]';
