/* SPDX-License-Identifier: Apache-2.0 */
#include "rand.h"

/* libcrypto also sets `cipher`, `digest`, `mac` and `properties`. They are not listed and skipped: the cipher is
 * always AES-256, and it is always ours. */

static int or_fail(const struct rand_ctx *c, int result)
{
    return result || FAIL(c->prov, R_PARAM);
}

size_t rand_max_input(const struct rand_ctx *c)
{
    return c->use_df ? (size_t)DRBG_MAX_INPUT : (size_t)DRBG_SEED_LEN;
}

static int get_max_request(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    (void)row;
    return or_fail(obj, param_put_uint(p, DRBG_MAX_REQUEST));
}

static int get_seedings(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct rand_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, atomic_load_explicit(&c->seedings, memory_order_acquire)));
}

static int get_state(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct rand_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, (uint64_t)c->state));
}

static int get_strength(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    (void)row;
    return or_fail(obj, param_put_uint(p, DRBG_STRENGTH));
}

static int get_requests(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct rand_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, c->requests));
}

static int set_requests(void *obj, const OSSL_PARAM *p)
{
    struct rand_ctx *c = obj;
    uint64_t requests;
    if (!or_fail(c, param_uint(&requests, p) && requests <= UINT32_MAX))
        return 0;
    c->requests = (uint32_t)requests;
    rand_limits_changed(c);
    return 1;
}

static int get_seconds(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct rand_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, c->seconds));
}

static int set_seconds(void *obj, const OSSL_PARAM *p)
{
    struct rand_ctx *c = obj;
    uint64_t seconds;
    if (!or_fail(c, param_uint(&seconds, p) && seconds <= INT64_MAX))
        return 0;
    c->seconds = seconds;
    rand_limits_changed(c);
    return 1;
}

static int get_seeded_at(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct rand_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, c->seeded_at));
}

static int get_use_df(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct rand_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, (uint64_t)c->use_df));
}

static int set_use_df(void *obj, const OSSL_PARAM *p)
{
    struct rand_ctx *c = obj;
    uint64_t on;
    if (!or_fail(c, param_uint(&on, p)))
        return 0;
    if (c->state == RAND_READY && c->use_df != (on != 0))
        return FAIL(c->prov, R_RAND_INSTANTIATED);
    c->use_df = on != 0;
    return 1;
}

static int get_cipher(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    (void)row;
    return or_fail(obj, param_put_string(p, "AES-256-CTR"));
}

/* Lengths in bytes; row->arg is the one with derivation function << 32 | the one without. */
static int get_length(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct rand_ctx *c = obj;
    return or_fail(c, param_put_uint(p, c->use_df ? row->arg >> 32 : row->arg & UINT32_MAX));
}

#define SIZE OSSL_PARAM_UNSIGNED_INTEGER, sizeof(size_t)
#define UINT OSSL_PARAM_UNSIGNED_INTEGER, sizeof(unsigned int)
#define INT OSSL_PARAM_INTEGER, sizeof(int)
#define SECONDS OSSL_PARAM_INTEGER, sizeof(int64_t)
#define TEXT OSSL_PARAM_UTF8_STRING, 0
#define LENGTHS(df, no_df) get_length, NULL, (size_t)(df) << 32 | (size_t)(no_df)

const struct param_row rand_params[] = {
    { "max_request", SIZE, get_max_request, NULL, 0 },
    { "reseed_counter", UINT, get_seedings, NULL, 0 },
    { "state", INT, get_state, NULL, 0 },
    { "strength", UINT, get_strength, NULL, 0 },
    { "reseed_requests", UINT, get_requests, set_requests, 0 },
    { "reseed_time_interval", SECONDS, get_seconds, set_seconds, 0 },
    { "reseed_time", SECONDS, get_seeded_at, NULL, 0 },
    { "use_derivation_function", INT, get_use_df, set_use_df, 0 },
    { "cipher", TEXT, get_cipher, NULL, 0 },
    { "min_entropylen", SIZE, LENGTHS(DRBG_MIN_ENTROPY, DRBG_SEED_LEN) },
    { "max_entropylen", SIZE, LENGTHS(DRBG_MAX_INPUT, DRBG_SEED_LEN) },
    { "min_noncelen", SIZE, LENGTHS(DRBG_MIN_NONCE, 0) },
    { "max_noncelen", SIZE, LENGTHS(DRBG_MAX_INPUT, 0) },
    { "max_perslen", SIZE, LENGTHS(DRBG_MAX_INPUT, DRBG_SEED_LEN) },
    { "max_adinlen", SIZE, LENGTHS(DRBG_MAX_INPUT, DRBG_SEED_LEN) },
    { .key = NULL },
};
_Static_assert(sizeof rand_params / sizeof *rand_params <= PARAM_ROWS_MAX, "PARAM_ROWS_MAX");

const OSSL_PARAM *rand_gettable(void *ctx, void *vprov)
{
    (void)ctx;
    return ((struct provider *)vprov)->rand_gettable;
}

const OSSL_PARAM *rand_settable(void *ctx, void *vprov)
{
    (void)ctx;
    return ((struct provider *)vprov)->rand_settable;
}
