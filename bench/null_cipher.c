/* SPDX-License-Identifier: Apache-2.0 */
#include "null_provider.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

/* The integer parameters are few and libcrypto asks for size_t, unsigned or int. */
static int put(OSSL_PARAM *p, size_t value)
{
    p->return_size = p->data_size;
    if (p->data_size == sizeof value)
        memcpy(p->data, &value, sizeof value);
    else if (p->data_size == sizeof(unsigned))
        memcpy(p->data, &(unsigned){ (unsigned)value }, sizeof(unsigned));
    else
        return 0;
    return 1;
}

/* Its name is younger than OpenSSL 3.0. */
enum { GCM_SIV_MODE = 0x10005 };

static int get_params(OSSL_PARAM params[], size_t key_len, unsigned mode)
{
    for (OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
        int ok = 1;

        if (strcmp(p->key, OSSL_CIPHER_PARAM_MODE) == 0)
            ok = put(p, mode);
        else if (strcmp(p->key, OSSL_CIPHER_PARAM_KEYLEN) == 0)
            ok = put(p, key_len);
        else if (strcmp(p->key, OSSL_CIPHER_PARAM_IVLEN) == 0)
            ok = put(p, 12);
        else if (strcmp(p->key, OSSL_CIPHER_PARAM_BLOCK_SIZE) == 0)
            ok = put(p, 1);
        else if (strcmp(p->key, OSSL_CIPHER_PARAM_AEAD) == 0
                 || strcmp(p->key, OSSL_CIPHER_PARAM_CUSTOM_IV) == 0)
            ok = put(p, 1);
        if (!ok)
            return 0;
    }
    return 1;
}

#define GET_PARAMS(name, key_len, mode)                                                                    \
    static int get_params_##name(OSSL_PARAM params[])                                                      \
    {                                                                                                      \
        return get_params(params, key_len, mode);                                                          \
    }

GET_PARAMS(gcm_16, 16, EVP_CIPH_GCM_MODE)
GET_PARAMS(gcm_24, 24, EVP_CIPH_GCM_MODE)
GET_PARAMS(gcm_32, 32, EVP_CIPH_GCM_MODE)
GET_PARAMS(siv_16, 16, GCM_SIV_MODE)
GET_PARAMS(siv_24, 24, GCM_SIV_MODE)
GET_PARAMS(siv_32, 32, GCM_SIV_MODE)

/* The context is nothing but its key length. */
static void *newctx(size_t key_len)
{
    size_t *ctx = malloc(sizeof *ctx);

    if (ctx != NULL)
        *ctx = key_len;
    return ctx;
}

static void *newctx_16(void *provctx)
{
    (void)provctx;
    return newctx(16);
}

static void *newctx_24(void *provctx)
{
    (void)provctx;
    return newctx(24);
}

static void *newctx_32(void *provctx)
{
    (void)provctx;
    return newctx(32);
}

static void freectx(void *ctx)
{
    free(ctx);
}

static int init(void *ctx, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
                const OSSL_PARAM params[])
{
    (void)ctx, (void)key, (void)key_len, (void)iv, (void)iv_len, (void)params;
    return 1;
}

static int update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                  size_t in_len)
{
    (void)ctx, (void)out, (void)out_size, (void)in;
    *out_len = in_len;
    return 1;
}

static int final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    (void)ctx, (void)out, (void)out_size;
    *out_len = 0;
    return 1;
}

/* "tag", "taglen", "ivlen", "keylen": told apart by what little it takes. */
static int get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    for (OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
        switch (p->key[0]) {
        case 't':
            if (p->key[3] == '\0')
                p->return_size = p->data_size;
            else if (strcmp(p->key, OSSL_CIPHER_PARAM_AEAD_TAGLEN) == 0)
                put(p, 16);
            break;
        case 'i':
            if (strcmp(p->key, OSSL_CIPHER_PARAM_IVLEN) == 0)
                put(p, 12);
            break;
        case 'k':
            if (strcmp(p->key, OSSL_CIPHER_PARAM_KEYLEN) == 0)
                put(p, *(const size_t *)ctx);
            break;
        default:
            break;
        }
    }
    return 1;
}

static int set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
    (void)ctx, (void)params;
    return 1;
}

static const OSSL_PARAM *gettable(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = { OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
                                       OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
                                       OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),
                                       OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
                                       OSSL_PARAM_END };

    (void)ctx, (void)provctx;
    return list;
}

static const OSSL_PARAM *settable(void *ctx, void *provctx)
{
    static const OSSL_PARAM list[] = { OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
                                       OSSL_PARAM_END };

    (void)ctx, (void)provctx;
    return list;
}

#define CIPHER(mode, key_len)                                                                              \
    static const OSSL_DISPATCH mode##_##key_len[] = {                                                      \
        { OSSL_FUNC_CIPHER_NEWCTX, (void (*)(void))newctx_##key_len },                                     \
        { OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))freectx },                                             \
        { OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))init },                                           \
        { OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))init },                                           \
        { OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))update },                                               \
        { OSSL_FUNC_CIPHER_FINAL, (void (*)(void))final },                                                 \
        { OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))update },                                               \
        { OSSL_FUNC_CIPHER_GET_PARAMS, (void (*)(void))get_params_##mode##_##key_len },                    \
        { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))get_ctx_params },                               \
        { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))set_ctx_params },                               \
        { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))gettable },                                \
        { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))settable },                                \
        { 0, NULL },                                                                                       \
    }

CIPHER(gcm, 16);
CIPHER(gcm, 24);
CIPHER(gcm, 32);
CIPHER(siv, 16);
CIPHER(siv, 24);
CIPHER(siv, 32);

const OSSL_ALGORITHM null_ciphers[] = {
    { "AES-128-GCM", "provider=bench-null", gcm_16, NULL },
    { "AES-192-GCM", "provider=bench-null", gcm_24, NULL },
    { "AES-256-GCM", "provider=bench-null", gcm_32, NULL },
    { "AES-128-GCM-SIV", "provider=bench-null", siv_16, NULL },
    { "AES-192-GCM-SIV", "provider=bench-null", siv_24, NULL },
    { "AES-256-GCM-SIV", "provider=bench-null", siv_32, NULL },
    { NULL, NULL, NULL, NULL },
};
