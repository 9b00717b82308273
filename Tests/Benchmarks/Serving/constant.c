// The least that libmicrohttpd can do: one constant answer, whatever is asked. It is the yardstick
// for what the product adds. Socket, daemon, pool and answer are as in Sources/HTTP.
//
//     constant PORT FILE
//
// Answers 200 with the bytes of FILE, or 304 if the request names its entity tag.
#define _GNU_SOURCE
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define POOL_BYTES 16384
#define FILE_BYTES 32768
#define ENTITY_TAG "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\""

static struct MHD_Response *full, *not_modified;

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *piece, size_t *piece_bytes, void **state) {
  if (*state == NULL) {
    // An answer to the first call would close the connection.
    *state = &full;
    return MHD_YES;
  }
  const char *tag = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
  if (tag != NULL && strcmp(tag, ENTITY_TAG) == 0)
    return MHD_queue_response(connection, MHD_HTTP_NOT_MODIFIED, not_modified);
  return MHD_queue_response(connection, MHD_HTTP_OK, full);
}

static void add_common_fields(struct MHD_Response *response) {
  MHD_add_response_header(response, "ETag", ENTITY_TAG);
  MHD_add_response_header(response, "Last-Modified", "Sat, 21 Nov 2026 12:35:02 GMT");
  MHD_add_response_header(response, "Cache-Control", "public, max-age=3600");
}

static struct MHD_Response *response_of(int descriptor, size_t bytes) {
  void *content = malloc(bytes);
  if (content == NULL || read(descriptor, content, bytes) != (ssize_t)bytes) return NULL;
  if (bytes < FILE_BYTES)
    return MHD_create_response_from_buffer(bytes, content, MHD_RESPMEM_MUST_FREE);
  int memory = memfd_create("body", MFD_CLOEXEC);
  if (memory < 0 || write(memory, content, bytes) != (ssize_t)bytes) return NULL;
  free(content);
  return MHD_create_response_from_fd64(bytes, memory);
}

static int fail(const char *what) {
  perror(what);
  return 1;
}

static int listening(int port) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  setsockopt(descriptor, IPPROTO_TCP, TCP_DEFER_ACCEPT, &one, sizeof(one));
  if (bind(descriptor, (struct sockaddr *)&address, sizeof(address)) != 0) return -1;
  return listen(descriptor, 1024) == 0 ? descriptor : -1;
}

int main(int count, char **words) {
  if (count != 3) {
    fprintf(stderr, "usage: constant PORT FILE\n");
    return 64;
  }
  int descriptor = open(words[2], O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return fail(words[2]);
  full = response_of(descriptor, status.st_size);
  not_modified = MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
  if (full == NULL || not_modified == NULL) return fail("response");
  MHD_add_response_header(full, "Content-Type", "application/json");
  add_common_fields(full);
  MHD_add_response_header(full, "X-Content-Type-Options", "nosniff");
  add_common_fields(not_modified);
  int socket = listening(atoi(words[1]));
  if (socket < 0) return fail(words[1]);
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, NULL, NULL, answer, NULL,
      MHD_OPTION_LISTEN_SOCKET, socket,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_BYTES, MHD_OPTION_CONNECTION_LIMIT, 10000u,
      MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
  if (daemon == NULL) return fail("MHD_start_daemon");
  for (;;) pause();
}
