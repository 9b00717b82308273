-- PostgreSQL 17 reserves the word "json", which was the name of the first parameter: it could not read a dump of an
-- earlier database.
DROP FUNCTION json_extract(text, text);
CREATE FUNCTION json_extract(text, path text) RETURNS text IMMUTABLE LANGUAGE sql
  AS $$ SELECT jsonb_path_query_first($1::jsonb, path::jsonpath) #>> '{}' $$;
