#include "APIExamples.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// As in Dashboard.c: clang copies the file, where an array literal of Swift would take half a minute to compile.
static const unsigned char examples[] = {
#embed "../Service/API/examples.json" suffix(, 0)
};

const unsigned char *aasa_api_examples(void) { return examples; }
