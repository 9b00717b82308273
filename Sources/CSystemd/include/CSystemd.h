#pragma once
#include <stdint.h>

// The functions of libsystemd that are used. <systemd/sd-daemon.h> is not imported into Swift: it
// would bring the C library's own declarations with it a second time, under another module's name.

/// sd_notify(3)
int aasa_notify(const char *_Nonnull state);

/// sd_watchdog_enabled(3)
int aasa_watchdog(uint64_t *_Nonnull microseconds);

/// sd_listen_fds_with_names(3); takes the variables away that it has read. The list and its names
/// are the caller's to free.
int aasa_inherited_sockets(char *_Nullable *_Nullable *_Nonnull names);

/// SD_LISTEN_FDS_START: the first descriptor that is handed over.
int aasa_first_inherited_socket(void);
