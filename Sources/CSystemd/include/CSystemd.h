#pragma once
#include <stdint.h>

// Wrappers for the libsystemd functions in use. Swift does not import <systemd/sd-daemon.h>,
// because it would redeclare parts of the C library in another module.

/// sd_notify(3)
int aasa_notify(const char *_Nonnull state);

/// sd_watchdog_enabled(3)
int aasa_watchdog(uint64_t *_Nonnull microseconds);

/// sd_listen_fds_with_names(3); unsets the variables that it has read. The caller frees the list
/// and its names.
int aasa_inherited_sockets(char *_Nullable *_Nullable *_Nonnull names);

/// SD_LISTEN_FDS_START: the first inherited descriptor.
int aasa_first_inherited_socket(void);
