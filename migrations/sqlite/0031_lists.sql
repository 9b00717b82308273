-- Finds the few of many domains that publish a kind of document. Nearly all of them have Apple's.
CREATE INDEX document_of_kind ON document (kind, domain_id) WHERE kind <> 'apple-app-site-association';
