#pragma once
#include <expat.h>

// Later versions deprecate it for one with a wider result, which those before do not have.
static inline unsigned long long aasa_expat_line(XML_Parser parser) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return XML_GetCurrentLineNumber(parser);
#pragma GCC diagnostic pop
}
