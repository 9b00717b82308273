#pragma once
#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/// Starts a daemon. libmicrohttpd's own functions are variadic, which Swift cannot call. `options`
/// ends with an MHD_OPTION_END item and is only read during the call.
struct MHD_Daemon *_Nullable aasa_start_daemon(
    unsigned int flags, MHD_AccessHandlerCallback _Nonnull handler, void *_Nullable context,
    const struct MHD_OptionItem *_Nonnull options);

typedef void (*aasa_error_callback)(struct MHD_Connection *_Nonnull connection, unsigned int status);

/// From now on, this thread calls a function before libmicrohttpd itself answers a request of the
/// connection with an error. For daemons with a thread per connection. libmicrohttpd tells this only to its
/// log, without the connection.
void aasa_take_errors(
    struct MHD_Connection *_Nonnull connection, aasa_error_callback _Nonnull callback);

/// The size of a request's header in bytes, from the method to the empty line. Variadic in
/// libmicrohttpd.
size_t aasa_head_size(struct MHD_Connection *_Nonnull connection);

/// Whether a header is built as RFC 9112 says, so that libmicrohttpd has understood it as every other
/// recipient does: tokens as method and names, CRLF at each end of a line, no folding, and no CR or NUL in
/// between. For the first call for a request, with that call's arguments.
bool aasa_header_is_sound(
    struct MHD_Connection *_Nonnull connection, const char *_Nonnull method,
    const char *_Nonnull target, const char *_Nonnull version);

/// Makes libmicrohttpd ignore the Content-Length of a request whose first line has arrived, and read
/// no body. The field remains among the request's values. Returns false if no memory is left.
bool aasa_ignore_content_length(struct MHD_Connection *_Nonnull connection);

/// The number of fields, cookies or query parameters that libmicrohttpd keeps for a request.
/// `kinds` is a combination of flags, which Swift's closed enum cannot hold.
int aasa_value_count(struct MHD_Connection *_Nonnull connection);

/// The socket of a connection, or -1. Variadic in libmicrohttpd.
int aasa_socket(struct MHD_Connection *_Nonnull connection);

/// The address of the client, or NULL. Variadic in libmicrohttpd.
const struct sockaddr *_Nullable aasa_peer(struct MHD_Connection *_Nonnull connection);

/// The pointer that the daemon's callback has set for a connection, or NULL. Variadic in
/// libmicrohttpd.
void *_Nullable aasa_socket_context(struct MHD_Connection *_Nonnull connection);

/// The GnuTLS session of a connection, or NULL for plain HTTP. Variadic in libmicrohttpd.
void *_Nullable aasa_tls_session(struct MHD_Connection *_Nonnull connection);

/// What a client has done to its connection.
enum aasa_client_state {
  AASA_CLIENT_IS_THERE = 0,
  /// It has ended its sending, or has closed the connection.
  AASA_CLIENT_ENDED_SENDING = 1,
  /// The connection was reset.
  AASA_CLIENT_GONE = 2,
};

/// What the client of a socket has done. Never waits. Swift cannot tell: POLLRDHUP is a GNU extension, which
/// the Glibc module hides.
enum aasa_client_state aasa_client(int socket);

/// The epoll instance of a connection's daemon, or -1. Variadic in libmicrohttpd.
int aasa_epoll(struct MHD_Connection *_Nonnull connection);

/// Makes the kernel drop packets that open a connection to a listening socket; clients retry after
/// a second. Connections that have begun are not affected. Returns 0, or -1 on failure.
int aasa_ignore_beginnings(int listening);

/// The fate of a connection that waits on a listening socket.
enum aasa_adoption {
  AASA_NOTHING_WAITS = 0,
  /// The connection has ended, or the daemon refused it.
  AASA_GONE = 1,
  /// The daemon's thread will serve it.
  AASA_ADOPTED = 2,
};

/// Passes the daemon a connection that waits on a listening socket which the daemon no longer uses.
/// Swift cannot do this: accept4 is a GNU extension, which the Glibc module hides.
enum aasa_adoption aasa_adopt_connection(struct MHD_Daemon *_Nonnull daemon, int listening);

/// Prefetches memory into the processor's caches, without waiting. The address need not be valid.
static inline void aasa_prefetch(const void *_Nullable address, int bytes) {
  for (int offset = 0; offset < bytes; offset += 64) __builtin_prefetch((const char *)address + offset);
}

/// Makes a response without a known length end with its connection, instead of in chunks. Variadic in
/// libmicrohttpd.
void aasa_end_with_connection(struct MHD_Response *_Nonnull response);

/// Creates an empty file in memory with the close-on-exec flag (memfd_create), or returns -1. A GNU
/// extension, which the Glibc module hides.
int aasa_memory_file(void);

/// strptime(3), which the Glibc module hides.
const char *_Nullable aasa_strptime(
    const char *_Nonnull text, const char *_Nonnull format, struct tm *_Nonnull time);
