#pragma once

/// The text of `Sources/Service/API/examples.json`, with a zero byte at the end.
const unsigned char *_Nonnull aasa_api_examples(void);
