#pragma once
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Callbacks for what the parser finds, in the order of the text. `context` is the caller's
/// pointer. Strings and numbers are UTF-8 with a byte count, and valid only during the call. A
/// callback that returns false stops the parser.
typedef struct {
  bool (*null)(void *context);
  bool (*boolean)(void *context, bool value);
  /// The number as decimal text.
  bool (*number)(void *context, const char *text, size_t count);
  bool (*string)(void *context, const char *text, size_t count);
  bool (*key)(void *context, const char *text, size_t count);
  bool (*start_object)(void *context);
  bool (*end_object)(void *context);
  bool (*start_array)(void *context);
  bool (*end_array)(void *context);
  /// The text is not JSON: the number of bytes that were read, the size of the last token if it was not
  /// expected, and the reason in words.
  void (*failure)(void *context, size_t offset, size_t token_size, const char *message);
} aasa_json_events;

/// Parses one strict JSON text (RFC 8259) of `count` bytes without recursion, and reports it as
/// events. Returns whether all of it was parsed. Throws no C++ exception.
bool aasa_json_parse(const char *bytes, size_t count, const aasa_json_events *events,
                     void *context);

#ifdef __cplusplus
}
#endif
