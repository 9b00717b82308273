#pragma once
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/pkcs12.h>
#include <gnutls/pkcs7.h>
#include <gnutls/x509.h>

/// gnutls_free is a function pointer in a variable, which Swift would treat as shared mutable
/// state.
static inline void aasa_gnutls_free(void *_Nullable memory) { gnutls_free(memory); }
