#pragma once
#include <curl/curl.h>

// Swift cannot call variadic functions, so there is one function per type of value. The parentheses
// bypass libcurl's type-checking macros, which need to know the option at compile time.

static inline CURLcode aasa_curl_set_long(CURL *handle, CURLoption option, long value) {
  return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode aasa_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return (curl_easy_setopt)(handle, option, value);
}

// Strings and memory that libcurl reads, and pointers that it passes to callbacks.
static inline CURLcode aasa_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode aasa_curl_set_writer(CURL *handle, curl_write_callback writer) {
  return (curl_easy_setopt)(handle, CURLOPT_WRITEFUNCTION, writer);
}

static inline CURLcode aasa_curl_set_reader(CURL *handle, curl_read_callback reader) {
  return (curl_easy_setopt)(handle, CURLOPT_READFUNCTION, reader);
}

// A macro that Swift cannot import.
static const long aasa_curl_auth_bearer = CURLAUTH_BEARER;

static inline CURLcode aasa_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return (curl_easy_getinfo)(handle, info, value);
}

static inline CURLcode aasa_curl_get_size(CURL *handle, CURLINFO info, curl_off_t *value) {
  return (curl_easy_getinfo)(handle, info, value);
}

static inline CURLcode aasa_curl_set_header_reader(CURL *handle, curl_write_callback reader) {
  return (curl_easy_setopt)(handle, CURLOPT_HEADERFUNCTION, reader);
}

static inline CURLcode aasa_curl_set_socket_opener(CURL *handle, curl_opensocket_callback opener) {
  return (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
}

// A string that libcurl owns; NULL if there is none.
static inline const char *aasa_curl_get_string(CURL *handle, CURLINFO info) {
  char *value = NULL;
  return (curl_easy_getinfo)(handle, info, &value) == CURLE_OK ? value : NULL;
}

// The certificates of the connection that the transfer opened, which libcurl owns.
static inline const struct curl_certinfo *aasa_curl_get_certificates(CURL *handle) {
  struct curl_certinfo *value = NULL;
  return (curl_easy_getinfo)(handle, CURLINFO_CERTINFO, &value) == CURLE_OK ? value : NULL;
}

// The members of a message about a transfer that has ended.
static inline CURLcode aasa_curl_result(const CURLMsg *message) { return message->data.result; }
