/* SPDX-License-Identifier: Apache-2.0
 *
 * HWAEAD-SEED-SRC: seeds from the operating system and the CPU, for generators of any provider, and for ours without
 * parent. It has no state of its own but what the health tests of the CPU's samples remember, so there is nothing that
 * a fork or a snapshot could duplicate.
 */
#include <stdlib.h>

#include "cipher.h"
#include "rand.h"
#include "secret.h"

/* ---- The bytes -------------------------------------------------------------------------------------------- */

/* Each 32 bytes are conditioned, by a CTR_DRBG of their own, out of 48 bytes of the operating system's; the CPU's
 * samples are that one's personalisation string. */
static int draw(const struct provider *prov, struct health *health, uint8_t *out, size_t n)
{
    static const struct drbg_input none;
    struct entropy_seed seed;
    struct drbg drbg;
    if (!entropy_draw(&entropy_machine, health, &seed))
        return 0;
    const struct drbg_input entropy = { seed.os, DRBG_MIN_ENTROPY };
    const struct drbg_input nonce = { seed.os + DRBG_MIN_ENTROPY, DRBG_MIN_NONCE };
    const struct drbg_input extra = { (const uint8_t *)seed.extra, sizeof seed.extra };
    const int good = drbg_instantiate(&drbg, prov->kernel, 1, entropy, nonce, extra) == HWAEAD_OK
                     && drbg_generate(&drbg, out, n, none) == HWAEAD_OK;
    drbg_uninstantiate(&drbg);
    secret_wipe(&seed, sizeof seed);
    return good;
}

int rand_seed_bytes(const struct provider *prov, struct health *health, uint8_t *out, size_t n)
{
    enum { PIECE = DRBG_MIN_ENTROPY };
    for (size_t done = 0; done < n; done += PIECE) {
        if (!draw(prov, health, out + done, n - done < PIECE ? n - done : PIECE)) {
            secret_wipe(out, n);
            return FAIL(prov, R_ENTROPY);
        }
    }
    return 1;
}

/* ---- Seeds for children, of any of our generators ---------------------------------------------------------- */

size_t rand_give_seed(const struct provider *prov, void *ctx, OSSL_FUNC_rand_generate_fn *generate,
                      unsigned char **out, int entropy, size_t min, size_t max, int pr, const unsigned char *addin,
                      size_t addin_len)
{
    size_t n = entropy > 0 ? ((size_t)entropy + 7) / 8 : 0;
    if (n < min)
        n = min;
    if (n == 0 || n > max)
        return (size_t)FAIL(prov, R_PARAM);
    uint8_t *seed = malloc(n);
    if (seed == NULL)
        return (size_t)FAIL(prov, R_MEMORY);
    if (!generate(ctx, seed, n, 0, pr, addin, addin_len)) {
        free(seed);
        return 0;
    }
    *out = seed;
    return n;
}

void rand_clear_seed(void *ctx, unsigned char *seed, size_t n)
{
    (void)ctx;
    if (seed == NULL)
        return;
    secret_wipe(seed, n);
    free(seed);
}

/* ---- Contexts --------------------------------------------------------------------------------------------- */

struct seed_ctx {
    struct provider *prov;
    int locking; /* threads share this context */
    struct fork_lock lock;
    _Atomic int state;
    struct health health;
};

static OSSL_FUNC_rand_newctx_fn new_ctx;
static OSSL_FUNC_rand_freectx_fn free_ctx;
static OSSL_FUNC_rand_instantiate_fn instantiate;
static OSSL_FUNC_rand_uninstantiate_fn uninstantiate;
static OSSL_FUNC_rand_generate_fn generate;
static OSSL_FUNC_rand_reseed_fn reseed;
static OSSL_FUNC_rand_enable_locking_fn enable_locking;
static OSSL_FUNC_rand_lock_fn lock;
static OSSL_FUNC_rand_unlock_fn unlock;
static OSSL_FUNC_rand_gettable_ctx_params_fn gettable;
static OSSL_FUNC_rand_get_ctx_params_fn get_ctx_params;
static OSSL_FUNC_rand_verify_zeroization_fn verify_zeroization;
static OSSL_FUNC_rand_get_seed_fn get_seed;

static void *new_ctx(void *vprov, void *parent, const OSSL_DISPATCH *parents_functions)
{
    struct provider *prov = vprov;
    (void)parents_functions;
    if (!provider_can_run(prov) || !(parent == NULL || FAIL(prov, R_SEED_PARENT)))
        return NULL;
    struct seed_ctx *c = cipher_ctx_alloc(prov, sizeof *c);
    if (c == NULL)
        return NULL;
    fork_watch_start(&prov->forks);
    c->prov = prov;
    return c;
}

static void free_ctx(void *vctx)
{
    cipher_ctx_free(vctx, sizeof(struct seed_ctx));
}

static int instantiate(void *vctx, unsigned int strength, int pr, const unsigned char *pers, size_t pers_len,
                       const OSSL_PARAM params[])
{
    struct seed_ctx *c = vctx;
    (void)pr, (void)pers, (void)pers_len, (void)params;
    if (strength > DRBG_STRENGTH)
        return FAIL(c->prov, R_RAND_STRENGTH);
    c->state = RAND_READY;
    return 1;
}

static int uninstantiate(void *vctx)
{
    ((struct seed_ctx *)vctx)->state = RAND_UNINSTANTIATED;
    return 1;
}

/* The state is not that of a generator: there is nothing to seed and nothing to wipe. */
static int reseed(void *vctx, int pr, const unsigned char *entropy, size_t entropy_len, const unsigned char *addin,
                  size_t addin_len)
{
    struct seed_ctx *c = vctx;
    (void)pr, (void)entropy, (void)entropy_len, (void)addin, (void)addin_len;
    return c->state == RAND_READY || FAIL(c->prov, R_RAND_NOT_INSTANTIATED);
}

static int verify_zeroization(void *vctx)
{
    (void)vctx;
    return 1;
}

static int enable_locking(void *vctx)
{
    ((struct seed_ctx *)vctx)->locking = 1;
    return 1;
}

static int lock(void *vctx)
{
    (void)vctx;
    return 1;
}

static void unlock(void *vctx)
{
    (void)vctx;
}

/* ---- Output ----------------------------------------------------------------------------------------------- */

static int generate(void *vctx, unsigned char *out, size_t len, unsigned int strength, int pr,
                    const unsigned char *addin, size_t addin_len)
{
    struct seed_ctx *c = vctx;
    (void)pr, (void)addin, (void)addin_len; /* each draw is new, and needs no help */
    if (c->state != RAND_READY)
        return FAIL(c->prov, R_RAND_NOT_INSTANTIATED);
    if (strength > DRBG_STRENGTH)
        return FAIL(c->prov, R_RAND_STRENGTH);
    if (len > DRBG_MAX_REQUEST)
        return FAIL(c->prov, R_RAND_REQUEST);
    const uint32_t generation = fork_generation(&c->prov->forks);
    if (c->locking && !fork_lock_take(&c->lock, generation))
        secret_wipe(&c->health, sizeof c->health); /* another thread of our parent was in the middle of it */
    const int good = rand_seed_bytes(c->prov, &c->health, out, len);
    if (c->locking)
        fork_lock_give(&c->lock, generation);
    return good;
}

static size_t get_seed(void *vctx, unsigned char **out, int entropy, size_t min, size_t max, int pr,
                       const unsigned char *addin, size_t addin_len)
{
    struct seed_ctx *c = vctx;
    return rand_give_seed(c->prov, vctx, generate, out, entropy, min, max, pr, addin, addin_len);
}

/* ---- Parameters ------------------------------------------------------------------------------------------- */

static int or_fail(const struct seed_ctx *c, int result)
{
    return result || FAIL(c->prov, R_PARAM);
}

static int get_state(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct seed_ctx *c = obj;
    (void)row;
    return or_fail(c, param_put_uint(p, (uint64_t)c->state));
}

static int get_constant(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    return or_fail(obj, param_put_uint(p, row->arg));
}

const struct param_row rand_seed_params[] = {
    { "max_request", OSSL_PARAM_UNSIGNED_INTEGER, sizeof(size_t), get_constant, NULL, DRBG_MAX_REQUEST },
    { "state", OSSL_PARAM_INTEGER, sizeof(int), get_state, NULL, 0 },
    { "strength", OSSL_PARAM_UNSIGNED_INTEGER, sizeof(unsigned int), get_constant, NULL, DRBG_STRENGTH },
    { .key = NULL },
};

static int get_ctx_params(void *vctx, OSSL_PARAM params[])
{
    return params_get(rand_seed_params, vctx, params);
}

static const OSSL_PARAM *gettable(void *ctx, void *vprov)
{
    (void)ctx;
    return ((struct provider *)vprov)->seed_gettable;
}

const OSSL_DISPATCH rand_seed_src[] = {
    { OSSL_FUNC_RAND_NEWCTX, (void (*)(void))new_ctx },
    { OSSL_FUNC_RAND_FREECTX, (void (*)(void))free_ctx },
    { OSSL_FUNC_RAND_INSTANTIATE, (void (*)(void))instantiate },
    { OSSL_FUNC_RAND_UNINSTANTIATE, (void (*)(void))uninstantiate },
    { OSSL_FUNC_RAND_GENERATE, (void (*)(void))generate },
    { OSSL_FUNC_RAND_RESEED, (void (*)(void))reseed },
    { OSSL_FUNC_RAND_ENABLE_LOCKING, (void (*)(void))enable_locking },
    { OSSL_FUNC_RAND_LOCK, (void (*)(void))lock },
    { OSSL_FUNC_RAND_UNLOCK, (void (*)(void))unlock },
    { OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS, (void (*)(void))gettable },
    { OSSL_FUNC_RAND_GET_CTX_PARAMS, (void (*)(void))get_ctx_params },
    { OSSL_FUNC_RAND_VERIFY_ZEROIZATION, (void (*)(void))verify_zeroization },
    { OSSL_FUNC_RAND_GET_SEED, (void (*)(void))get_seed },
    { OSSL_FUNC_RAND_CLEAR_SEED, (void (*)(void))rand_clear_seed },
    { 0, NULL },
};
