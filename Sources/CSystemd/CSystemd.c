#include "CSystemd.h"

#include <systemd/sd-daemon.h>

int aasa_notify(const char *state) { return sd_notify(0, state); }

int aasa_watchdog(uint64_t *microseconds) { return sd_watchdog_enabled(0, microseconds); }

int aasa_inherited_sockets(char ***names) { return sd_listen_fds_with_names(1, names); }

int aasa_first_inherited_socket(void) { return SD_LISTEN_FDS_START; }
