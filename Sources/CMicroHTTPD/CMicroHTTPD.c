#define _GNU_SOURCE
#include "CMicroHTTPD.h"

#include <errno.h>
#include <linux/filter.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

static _Thread_local struct {
  struct MHD_Connection *connection;
  aasa_error_callback callback;
} reading;

void aasa_take_errors(struct MHD_Connection *connection, aasa_error_callback callback) {
  reading.connection = connection;
  reading.callback = callback;
}

static void log_error(void *context, const char *format, va_list arguments) {
  (void)context;
  /* The only message that begins like this is written before each of its own answers. */
  static const char own_answer[] = "Error processing request";
  if (reading.callback && strncmp(format, own_answer, sizeof(own_answer) - 1) == 0) {
    reading.callback(reading.connection, va_arg(arguments, unsigned int));
  }
}

#if MHD_VERSION >= 0x01000000
/* From 1.0 on, this level refuses all that RFC 9112 forbids in the structure of a header. */
#define DISCIPLINE MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1,
#else
#define DISCIPLINE
#endif

struct MHD_Daemon *aasa_start_daemon(
    unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
    const struct MHD_OptionItem *options) {
  return MHD_start_daemon(
      flags | MHD_USE_ERROR_LOG, 0, NULL, NULL, handler, context, DISCIPLINE MHD_OPTION_EXTERNAL_LOGGER,
      log_error, NULL, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

size_t aasa_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

/* Recognized by its address, because it is no field of the request. */
static const char content_length[] = "Content-Length";

bool aasa_ignore_content_length(struct MHD_Connection *connection) {
  /* It uses the first one, and the request's come later. */
  return MHD_set_connection_value(connection, MHD_HEADER_KIND, content_length, "0") == MHD_YES;
}

/* RFC 9110 section 5.6.2 */
static bool is_token(const char *text, size_t count) {
  static const bool allowed[256] = {
      ['!'] = true,         ['#' ... '\''] = true, ['*'] = true, ['+'] = true, ['-'] = true,
      ['.'] = true,         ['0' ... '9'] = true,  ['|'] = true, ['~'] = true,
      ['A' ... 'Z'] = true, ['^' ... 'z'] = true,
  };
  bool is_token = count > 0;
  for (size_t index = 0; index < count; index++) is_token &= allowed[(unsigned char)text[index]];
  return is_token;
}

#if MHD_VERSION >= 0x01000000
static enum MHD_Result pass_name(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
  (void)kind, (void)value, (void)value_size;
  bool *is_sound = context;
  *is_sound = is_token(name, name_size);
  return *is_sound ? MHD_YES : MHD_NO;
}

bool aasa_header_is_sound(
    struct MHD_Connection *connection, const char *method, const char *target,
    const char *version) {
  (void)version;
  /* It refuses everything else itself; see DISCIPLINE. */
  bool is_sound = is_token(method, target - method - 1);
  if (is_sound) MHD_get_connection_values_n(connection, MHD_HEADER_KIND, pass_name, &is_sound);
  return is_sound;
}
#else
static enum MHD_Result pass_line(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
  (void)kind;
  const char **next = context;
  if (name == content_length) return MHD_YES;
  bool is_sound =
      name == *next && is_token(name, name_size) && value[value_size + 1] == '\0';
  *next = is_sound ? value + value_size + 2 : NULL;
  return is_sound ? MHD_YES : MHD_NO;
}

bool aasa_header_is_sound(
    struct MHD_Connection *connection, const char *method, const char *target,
    const char *version) {
  /* libmicrohttpd has put NUL where it has found the blanks of the first line, the colon of a field
     and each CR and LF at the end of a line. */
  if (!is_token(method, target - method - 1) || version[9] != '\0') return false;
  /* Where the next line has to begin; NULL once one does not. */
  const char *next = version + 10;
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, pass_line, &next);
  size_t size = aasa_head_size(connection);
  return next != NULL && next + 2 == method + size && next[0] == '\0' && next[1] == '\0' &&
         memchr(method, '\r', size) == NULL;
}
#endif

int aasa_value_count(struct MHD_Connection *connection) {
  return MHD_get_connection_values(
      connection, MHD_HEADER_KIND | MHD_COOKIE_KIND | MHD_GET_ARGUMENT_KIND, NULL, NULL);
}

int aasa_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

const struct sockaddr *aasa_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? NULL : info->client_addr;
}

void *aasa_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

void *aasa_tls_session(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info == NULL ? NULL : info->tls_session;
}

enum aasa_client_state aasa_client(int socket) {
  struct pollfd wait = {.fd = socket, .events = POLLRDHUP};
  if (poll(&wait, 1, 0) <= 0) return AASA_CLIENT_IS_THERE;
  return wait.revents & (POLLERR | POLLHUP) ? AASA_CLIENT_GONE : AASA_CLIENT_ENDED_SENDING;
}

int aasa_epoll(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *connected =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_DAEMON);
  const union MHD_DaemonInfo *info =
      connected == NULL ? NULL : MHD_get_daemon_info(connected->daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : info->epoll_fd;
}

int aasa_ignore_beginnings(int listening) {
  /* Packets begin with the TCP header, whose byte 13 has the flags SYN (2) and ACK (16). */
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
  };
  struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};
  return setsockopt(listening, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

enum aasa_adoption aasa_adopt_connection(struct MHD_Daemon *daemon, int listening) {
  struct sockaddr_storage address;
  socklen_t length = sizeof(address);
  int connection =
      accept4(listening, (struct sockaddr *)&address, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0) {
    return errno == ECONNABORTED || errno == EINTR ? AASA_GONE : AASA_NOTHING_WAITS;
  }
  /* If it refuses the connection, it closes the socket. */
  enum MHD_Result result =
      MHD_add_connection(daemon, connection, (struct sockaddr *)&address, length);
  return result == MHD_YES ? AASA_ADOPTED : AASA_GONE;
}

void aasa_end_with_connection(struct MHD_Response *response) {
  MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

int aasa_memory_file(void) { return memfd_create("body", MFD_CLOEXEC); }

const char *aasa_strptime(const char *text, const char *format, struct tm *time) {
  return strptime(text, format, time);
}
