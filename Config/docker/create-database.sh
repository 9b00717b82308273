#!/bin/sh
# The image of PostgreSQL runs this once, when its data directory is still empty. It creates what docs/scaling.md
# asks for: a role that owns one database, and has no other right.
set -eu
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" <<'SQL'
\getenv password DATABASE_PASSWORD
CREATE ROLE aasa LOGIN PASSWORD :'password';
CREATE DATABASE aasa OWNER aasa ENCODING 'UTF8';
SQL
