#pragma once
#include <sqlite3.h>

/// SQLITE_TRANSIENT is a cast that Swift cannot import.
static inline sqlite3_destructor_type aasa_sqlite_transient(void) { return SQLITE_TRANSIENT; }
