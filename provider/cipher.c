/* SPDX-License-Identifier: Apache-2.0 */
#include "cipher.h"

#include <stdlib.h>
#include <string.h>

#include "secret.h"

/* row->arg is the place of an unsigned int in the object. */
static int get_unsigned(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    unsigned int value;
    memcpy(&value, (const char *)obj + row->arg, sizeof value);
    return param_put_uint(p, value);
}

#define SIZE OSSL_PARAM_UNSIGNED_INTEGER, sizeof(size_t)
#define UINT OSSL_PARAM_UNSIGNED_INTEGER, sizeof(unsigned int)
#define INT OSSL_PARAM_INTEGER, sizeof(int)
#define AT(field) get_unsigned, NULL, offsetof(struct cipher_alg, field)

const struct param_row cipher_constants[] = {
    { "blocksize", SIZE, AT(block_size) },
    { "ivlen", SIZE, AT(iv_len) },
    { "keylen", SIZE, AT(key_len) },
    { "mode", UINT, AT(mode) },
    { "aead", INT, AT(aead) },
    { "custom-iv", INT, AT(custom_iv) },
    { "cts", INT, AT(cts) },
    { "tls-multi", INT, AT(tls_multi) },
    { "has-randkey", INT, AT(has_randkey) },
    { "decrypt-only", INT, AT(decrypt_only) },
    { .key = NULL },
};
_Static_assert(sizeof cipher_constants / sizeof *cipher_constants <= PARAM_ROWS_MAX, "PARAM_ROWS_MAX");

int cipher_get_constants(const struct cipher_alg *alg, OSSL_PARAM params[])
{
    struct cipher_alg copy = *alg;
    return params_get(cipher_constants, &copy, params);
}

const OSSL_PARAM *cipher_gettable_constants(void *vprov)
{
    return ((struct provider *)vprov)->cipher_gettable;
}

enum { CACHE_LINE = 64 };

static size_t rounded(size_t n)
{
    return (n + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

void *cipher_ctx_alloc(const struct provider *prov, size_t n)
{
    void *ctx = aligned_alloc(CACHE_LINE, rounded(n));
    if (ctx == NULL)
        (void)FAIL(prov, R_MEMORY);
    else
        memset(ctx, 0, n);
    return ctx;
}

void *cipher_ctx_dup(const struct provider *prov, const void *ctx, size_t n)
{
    void *copy = cipher_ctx_alloc(prov, n);
    if (copy != NULL)
        memcpy(copy, ctx, n);
    return copy;
}

void cipher_ctx_free(void *ctx, size_t n)
{
    if (ctx == NULL)
        return;
    secret_wipe(ctx, n);
    free(ctx);
}
