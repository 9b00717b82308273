#pragma once
#include <sqlite3.h>

/// SQLITE_TRANSIENT is a cast that Swift cannot import.
static inline sqlite3_destructor_type aasa_sqlite_transient(void) { return SQLITE_TRANSIENT; }

/// `sqlite3_config` takes a variable number of arguments, which Swift cannot pass.
static inline int aasa_sqlite_stop_counting_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
