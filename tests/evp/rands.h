/* SPDX-License-Identifier: Apache-2.0
 *
 * Generators for tests: ours, libcrypto's test source, parameters by name.
 */
#ifndef HWAEAD_TESTS_RANDS_H
#define HWAEAD_TESTS_RANDS_H

#include "evp.h"

#ifdef __has_feature
# if __has_feature(thread_sanitizer)
#  define UNDER_TSAN 1
# endif
#endif
#ifdef __SANITIZE_THREAD__
# define UNDER_TSAN 1
#endif
#ifndef UNDER_TSAN
# define UNDER_TSAN 0
#endif

/* The generator under test (evp_rand_name), or default's CTR-DRBG in the control run. NULL parent: none. Ends the
 * program when it cannot be made. */
EVP_RAND_CTX *rand_ours(OSSL_LIB_CTX *from, EVP_RAND_CTX *parent);

/* Any other. */
EVP_RAND_CTX *rand_other(OSSL_LIB_CTX *from, const char *name, const char *properties, EVP_RAND_CTX *parent);

/* EVP_RAND_instantiate without wishes: no personalisation, the parameters that libcrypto always gives. */
int rand_start(EVP_RAND_CTX *r);

/* TEST-RAND of default, which gives what it was fed: the entropy again and again, the nonce (none for 0 bytes). */
EVP_RAND_CTX *rand_source(OSSL_LIB_CTX *from, unsigned int strength);
int rand_feed(EVP_RAND_CTX *source, const uint8_t *entropy, size_t entropy_len, const uint8_t *nonce,
              size_t nonce_len);

/* A number among the parameters; UINT64_MAX when there is none. */
uint64_t rand_number(EVP_RAND_CTX *r, const char *key);
int rand_set_uint(EVP_RAND_CTX *r, const char *key, unsigned int value);

/* The provider's name. */
const char *rand_provider(EVP_RAND_CTX *r);

/* n bytes of r that are not all the same byte. */
bool rand_works(EVP_RAND_CTX *r, size_t n);

/* Have any two of the count strings of n bytes a 16-byte block in common? Blocks at multiples of 16. Sorts them. */
bool rand_any_shared(uint8_t *strings, size_t count, size_t n);

#endif
