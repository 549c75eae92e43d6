/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cipher_gcm.h"

static int or_fail(const struct gcm_ctx *c, int done)
{
    return done ? 1 : FAIL(c->prov, R_PARAM);
}

static int get_key_len(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct gcm_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, c->alg->key_len));
}

static int get_iv_len(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct gcm_ctx *c = obj;
    (void)row;
    return param_put_size(p, c->iv_len) || or_fail(c, param_put_uint(p, c->iv_len));
}

static int set_iv_len(void *obj, const OSSL_PARAM *p)
{
    struct gcm_ctx *c = obj;
    uint64_t len;
    if (!param_uint(&len, p))
        return FAIL(c->prov, R_PARAM);
    if (len < 1 || len > GCM_MAX_IV)
        return FAIL(c->prov, R_IV_LENGTH);
    if (len == c->iv_len)
        return 1;
    c->iv_len = (size_t)len;
    c->iv_counts = 0;
    gcm_drop(c);
    if (c->iv_state != IV_NONE)
        c->iv_state = IV_SPENT;
    return 1;
}

/* Who asks while sealing, and has given none, gets the one that the message will have (as with OpenSSL 4). */
static int get_iv(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct gcm_ctx *c = obj;
    (void)row;
    if (c->iv_state == IV_NONE && !c->enc)
        return FAIL(c->prov, R_NO_IV);
    if (c->iv_state == IV_NONE && !gcm_make_iv(c))
        return 0;
    return or_fail(c, param_put_bytes(p, c->iv, c->iv_len));
}

static int get_iv_random(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct gcm_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, c->iv_random));
}

static int tag_len_ok(const struct gcm_ctx *c, size_t len)
{
    return len >= c->prov->config.min_tag && len <= BLOCK;
}

/* The length that was set for opening; sealing makes full tags. */
static int get_tag_len(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct gcm_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, c->enc || c->want_len == 0 ? BLOCK : c->want_len));
}

static inline int get_tag(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct gcm_ctx *c = obj;
    (void)row;
    if (!c->enc || !c->tag_made)
        return FAIL(c->prov, R_NO_TAG_YET);
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return FAIL(c->prov, R_PARAM);
    if (p->data == NULL) {
        p->return_size = BLOCK;
        return 1;
    }
    if (!tag_len_ok(c, p->data_size))
        return FAIL(c->prov, R_TAG_LENGTH);
    if (p->data_size == BLOCK)
        memcpy(p->data, c->made, BLOCK); /* the usual case, inline */
    else
        memcpy(p->data, c->made, p->data_size);
    p->return_size = p->data_size;
    return 1;
}

static int set_tag(void *obj, const OSSL_PARAM *p)
{
    struct gcm_ctx *c = obj;
    if (c->enc)
        return FAIL(c->prov, R_TAG_WHEN_SEALING);
    if (p->data_type != OSSL_PARAM_OCTET_STRING || p->data == NULL)
        return FAIL(c->prov, R_PARAM);
    if (!tag_len_ok(c, p->data_size))
        return FAIL(c->prov, R_TAG_LENGTH);
    memcpy(c->want, p->data, p->data_size);
    c->want_len = p->data_size;
    return 1;
}

static int get_tls_pad(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct gcm_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, c->tls_pad));
}

#define BYTES OSSL_PARAM_OCTET_STRING, 0
#define SIZE OSSL_PARAM_UNSIGNED_INTEGER, sizeof(size_t)
#define UINT OSSL_PARAM_UNSIGNED_INTEGER, sizeof(unsigned int)

const struct param_row gcm_params[] = {
    { "tag", BYTES, get_tag, set_tag, 0 },
    { "ivlen", SIZE, get_iv_len, set_iv_len, 0 },
    { "tlsaad", BYTES, NULL, gcm_set_tls_aad, 0 },
    { "tlsaadpad", SIZE, get_tls_pad, NULL, 0 },
    { "tlsivgen", BYTES, gcm_get_next_iv, NULL, 0 },
    { "keylen", SIZE, get_key_len, NULL, 0 },
    { "taglen", SIZE, get_tag_len, NULL, 0 },
    { "iv", BYTES, get_iv, NULL, 0 },
    { "updated-iv", BYTES, get_iv, NULL, 0 },
    { "iv-generated", UINT, get_iv_random, NULL, 0 },
    { "tlsivfixed", BYTES, NULL, gcm_set_fixed_iv, 0 },
    { "tlsivinv", BYTES, NULL, gcm_set_iv_end, 0 },
    { .key = NULL },
};
_Static_assert(sizeof gcm_params / sizeof *gcm_params <= PARAM_ROWS_MAX, "PARAM_ROWS_MAX");

int gcm_get_params(void *c, OSSL_PARAM params[])
{
    if (param_alone(params, "tag"))
        return get_tag(NULL, c, params);
    if (param_alone(params, "ivlen"))
        return get_iv_len(NULL, c, params);
    return params_get(gcm_params, c, params);
}

int gcm_set_params(void *c, const OSSL_PARAM params[])
{
    return param_alone(params, "tag") ? set_tag(c, params) : params_set(gcm_params, c, params);
}

/* Asked with and without a context. */
const OSSL_PARAM *gcm_gettable(void *ctx, void *prov)
{
    (void)ctx;
    return ((struct provider *)prov)->gcm_gettable;
}

const OSSL_PARAM *gcm_settable(void *ctx, void *prov)
{
    (void)ctx;
    return ((struct provider *)prov)->gcm_settable;
}
