/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cipher_siv.h"

static int get_key_len(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct siv_ctx *c = obj;
    (void)row;
    return param_put_uint(p, c->alg->key_len) || FAIL(c->prov, R_PARAM);
}

/* row->arg is the number. */
static int get_fixed(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct siv_ctx *c = obj;
    return param_put_uint(p, row->arg) || FAIL(c->prov, R_PARAM);
}

/* A length can be set to what it is. */
static int must_be(const struct siv_ctx *c, const OSSL_PARAM *p, size_t fixed, enum reason reason)
{
    uint64_t len;
    if (!param_uint(&len, p))
        return FAIL(c->prov, R_PARAM);
    return len == fixed ? 1 : FAIL(c->prov, reason);
}

static int set_key_len(void *obj, const OSSL_PARAM *p)
{
    const struct siv_ctx *c = obj;
    return must_be(c, p, c->alg->key_len, R_KEY_LENGTH_FIXED);
}

static int set_iv_len(void *obj, const OSSL_PARAM *p)
{
    return must_be(obj, p, SIV_NONCE, R_NONCE_LENGTH);
}

static int get_iv(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct siv_ctx *c = obj;
    (void)row;
    if (c->state == SIV_NO_NONCE)
        return FAIL(c->prov, R_NO_IV);
    return param_put_bytes(p, c->nonce, SIV_NONCE) || FAIL(c->prov, R_PARAM);
}

static int set_speed(void *obj, const OSSL_PARAM *p)
{
    struct siv_ctx *c = obj;
    uint64_t on;
    if (!param_uint(&on, p))
        return FAIL(c->prov, R_PARAM);
    c->speed = on != 0;
    return 1;
}

static int get_tag(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct siv_ctx *c = obj;
    (void)row;
    if (!c->enc || !c->tag_made)
        return FAIL(c->prov, R_NO_TAG_OF_TEXT);
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return FAIL(c->prov, R_PARAM);
    if (p->data != NULL && p->data_size != BLOCK)
        return FAIL(c->prov, R_SIV_TAG_LENGTH);
    return param_put_bytes(p, c->made, BLOCK);
}

/* While sealing its length is looked at, and no more: programs announce the length so (EVP_CTRL_AEAD_SET_TAG with NULL),
 * as other modes need it and as libcrypto's own cipher allows it. */
static int set_tag(void *obj, const OSSL_PARAM *p)
{
    struct siv_ctx *c = obj;
    if (p->data_type != OSSL_PARAM_OCTET_STRING || (p->data == NULL && !c->enc))
        return FAIL(c->prov, R_PARAM);
    if (p->data_size != BLOCK)
        return FAIL(c->prov, R_SIV_TAG_LENGTH);
    if (c->enc)
        return 1;
    memcpy(c->want, p->data, BLOCK);
    c->has_want = 1;
    return 1;
}

#define BYTES OSSL_PARAM_OCTET_STRING, 0
#define SIZE OSSL_PARAM_UNSIGNED_INTEGER, sizeof(size_t)
#define UINT OSSL_PARAM_UNSIGNED_INTEGER, sizeof(unsigned int)

const struct param_row siv_params[] = {
    { "tag", BYTES, get_tag, set_tag, 0 },
    { "ivlen", SIZE, get_fixed, set_iv_len, SIV_NONCE },
    { "keylen", SIZE, get_key_len, set_key_len, 0 },
    { "speed", UINT, NULL, set_speed, 0 },
    { "taglen", SIZE, get_fixed, NULL, BLOCK },
    { "iv", BYTES, get_iv, NULL, 0 },
    { "updated-iv", BYTES, get_iv, NULL, 0 },
    { .key = NULL },
};
_Static_assert(sizeof siv_params / sizeof *siv_params <= PARAM_ROWS_MAX, "PARAM_ROWS_MAX");

int siv_get_params(void *c, OSSL_PARAM params[])
{
    return param_alone(params, "tag") ? get_tag(NULL, c, params) : params_get(siv_params, c, params);
}

int siv_set_params(void *c, const OSSL_PARAM params[])
{
    return param_alone(params, "tag") ? set_tag(c, params) : params_set(siv_params, c, params);
}

/* Asked with and without a context. */
const OSSL_PARAM *siv_gettable(void *ctx, void *prov)
{
    (void)ctx;
    return ((struct provider *)prov)->siv_gettable;
}

const OSSL_PARAM *siv_settable(void *ctx, void *prov)
{
    (void)ctx;
    return ((struct provider *)prov)->siv_settable;
}
