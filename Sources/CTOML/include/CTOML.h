#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a TOML document with toml++ and describes it in JSON: `{"members": […]}`, with the name,
/// type ("text", "number", "flag", "list" of strings or "other"), text and line of each top-level
/// member, in no particular order; or `{"error": …, "line": …}` if it is not TOML, with the line 0 if it
/// is unknown. The text of a list has commas between its elements. Returns NULL without memory; the caller frees the rest.
char *_Nullable aasa_toml_describe(const char *_Nullable bytes, size_t count);

#ifdef __cplusplus
}
#endif
