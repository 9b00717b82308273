#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The types of TOML values that settings can have.
typedef enum {
  AASA_TOML_TEXT,
  AASA_TOML_NUMBER,
  AASA_TOML_BOOLEAN,
  /// An array of strings; its text has commas between them.
  AASA_TOML_STRINGS,
  /// Anything else; its text is TOML.
  AASA_TOML_OTHER
} aasa_toml_kind;

/// Receives the top-level members of a document, in no particular order, or the reason why it is
/// not TOML. Texts are valid only during the call.
typedef struct {
  void (*_Nonnull member)(void *_Nullable context, const char *_Nonnull name, size_t name_count,
                          aasa_toml_kind kind, const char *_Nonnull text, size_t text_count,
                          uint32_t line);
  void (*_Nonnull failure)(void *_Nullable context, const char *_Nonnull message, uint32_t line);
} aasa_toml_events;

/// Reads a document with toml++. Throws no C++ exception.
void aasa_toml_parse(const char *_Nonnull bytes, size_t count,
                     const aasa_toml_events *_Nonnull events, void *_Nullable context);

#ifdef __cplusplus
}
#endif
