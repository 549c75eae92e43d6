/* SPDX-License-Identifier: Apache-2.0 */
#include "rands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/rand.h>

EVP_RAND_CTX *rand_other(OSSL_LIB_CTX *from, const char *name, const char *properties, EVP_RAND_CTX *parent)
{
    EVP_RAND *kind = EVP_RAND_fetch(from, name, properties);
    EVP_RAND_CTX *r = kind == NULL ? NULL : EVP_RAND_CTX_new(kind, parent);
    EVP_RAND_free(kind);
    if (r == NULL) {
        ERR_print_errors_fp(stdout);
        printf("FAILED: no generator %s with %s\n", name, properties);
        exit(1);
    }
    return r;
}

EVP_RAND_CTX *rand_ours(OSSL_LIB_CTX *from, EVP_RAND_CTX *parent)
{
    return subject_is_default ? rand_other(from, "CTR-DRBG", "provider=default", parent)
                              : rand_other(from, evp_rand_name(), "provider=hwaead", parent);
}

int rand_start(EVP_RAND_CTX *r)
{
    char cipher[] = "AES-256-CTR", mac[] = "HMAC";
    OSSL_PARAM list[] = {OSSL_PARAM_construct_utf8_string("cipher", cipher, 0),
                         OSSL_PARAM_construct_utf8_string("mac", mac, 0), OSSL_PARAM_construct_end()};
    return EVP_RAND_instantiate(r, 0, 0, NULL, 0, list);
}

EVP_RAND_CTX *rand_source(OSSL_LIB_CTX *from, unsigned int strength)
{
    EVP_RAND_CTX *source = rand_other(from, "TEST-RAND", "provider=default", NULL);
    OSSL_PARAM list[] = {OSSL_PARAM_construct_uint("strength", &strength), OSSL_PARAM_construct_end()};
    CHECK(EVP_RAND_instantiate(source, strength, 0, NULL, 0, list) == 1);
    return source;
}

int rand_feed(EVP_RAND_CTX *source, const uint8_t *entropy, size_t entropy_len, const uint8_t *nonce,
              size_t nonce_len)
{
    OSSL_PARAM list[3], *p = list;
    *p++ = OSSL_PARAM_construct_octet_string("test_entropy", (void *)(uintptr_t)entropy, entropy_len);
    if (nonce_len != 0)
        *p++ = OSSL_PARAM_construct_octet_string("test_nonce", (void *)(uintptr_t)nonce, nonce_len);
    *p = OSSL_PARAM_construct_end();
    return EVP_RAND_CTX_set_params(source, list);
}

uint64_t rand_number(EVP_RAND_CTX *r, const char *key)
{
    uint64_t value = UINT64_MAX;
    OSSL_PARAM list[] = {OSSL_PARAM_construct_uint64(key, &value), OSSL_PARAM_construct_end()};
    return EVP_RAND_CTX_get_params(r, list) == 1 ? value : UINT64_MAX;
}

int rand_set_uint(EVP_RAND_CTX *r, const char *key, unsigned int value)
{
    OSSL_PARAM list[] = {OSSL_PARAM_construct_uint(key, &value), OSSL_PARAM_construct_end()};
    return EVP_RAND_CTX_set_params(r, list);
}

const char *rand_provider(EVP_RAND_CTX *r)
{
    return r == NULL ? "none" : OSSL_PROVIDER_get0_name(EVP_RAND_get0_provider(EVP_RAND_CTX_get0_rand(r)));
}

bool rand_works(EVP_RAND_CTX *r, size_t n)
{
    uint8_t *out = calloc(n + 1, 1);
    bool good = EVP_RAND_generate(r, out, n, 256, 0, NULL, 0) == 1 && (n < 16 || !all_bytes(out, n, out[0]));
    good &= out[n] == 0;
    free(out);
    return good;
}

static int compare_blocks(const void *a, const void *b)
{
    return memcmp(a, b, 16);
}

bool rand_any_shared(uint8_t *strings, size_t count, size_t n)
{
    const size_t blocks = count * (n / 16);
    qsort(strings, blocks, 16, compare_blocks);
    for (size_t i = 1; i < blocks; i++)
        if (memcmp(strings + 16 * (i - 1), strings + 16 * i, 16) == 0)
            return true;
    return false;
}
