/* SPDX-License-Identifier: Apache-2.0 */
#include "rand.h"

#include <string.h>
#include <time.h>

#include "cipher.h"
#include "secret.h"

/* ---- Entry and exit --------------------------------------------------------------------------------------- */

static void wipe(struct rand_ctx *c)
{
    if (c->fast != NULL)
        fast_uninstantiate(c->fast);
    else
        drbg_uninstantiate(c->drbg);
    secret_wipe(&c->health, sizeof c->health);
}

/* Wipes; a source has failed, or a fork left us half written. The next call starts over. */
static void give_up(struct rand_ctx *c)
{
    wipe(c);
    c->state = RAND_FAILED;
}

/* Each function that touches more than an atomic field begins with enter and ends with leave. */
static uint32_t enter(struct rand_ctx *c)
{
    const uint32_t generation = fork_generation(&c->prov->forks);
    if (c->locking && !fork_lock_take(&c->lock, generation))
        give_up(c);
    return generation;
}

static int leave(struct rand_ctx *c, uint32_t generation, int result)
{
    if (c->locking)
        fork_lock_give(&c->lock, generation);
    return result;
}

/* ---- Seedings --------------------------------------------------------------------------------------------- */

/* The wall clock: reading it is cheapest, and it is the one that jumps when a machine goes on from a snapshot. */
static int is_stale(const struct rand_ctx *c)
{
    return (uint64_t)time(NULL) - c->seeded_at >= c->serves_seconds;
}

void rand_limits_changed(struct rand_ctx *c)
{
    const uint32_t requests = c->requests;
    const uint64_t seconds = c->seconds, most = c->prov->config.reseed_seconds;
    c->serves = requests != 0 ? requests : DRBG_MAX_REQUESTS; /* one of ours is at most one of the DRBG's */
    c->serves_seconds = seconds != 0 && seconds < most ? seconds : most;
}

static int seeded(struct rand_ctx *c, uint32_t generation)
{
    const uint32_t seedings = c->seedings + 1;
    if (c->fast != NULL)
        fast_discard(c->fast);
    c->served = 0;
    c->seeded_in = generation;
    c->seeded_at = c->drawn_at;
    atomic_store_explicit(&c->seedings, seedings != 0 ? seedings : 1, memory_order_release);
    c->state = RAND_READY;
    return 1;
}

static int start(struct rand_ctx *c, uint32_t generation, int pr, struct drbg_input pers)
{
    static const uint8_t default_pers[] = "hwaead SP 800-90A CTR_DRBG";
    struct rand_seed seed;
    if (pers.bytes == NULL)
        pers = (struct drbg_input){ default_pers, sizeof default_pers - 1 };
    give_up(c); /* what we are until the end of this */
    if (!rand_source_draw(c, &seed, 1, pr))
        return 0;
    const hwaead_err err = drbg_instantiate(c->drbg, c->prov->kernel, c->use_df, seed.entropy, seed.nonce, pers);
    rand_source_drop(c, &seed);
    return err == HWAEAD_OK ? seeded(c, generation) : FAIL(c->prov, R_RAND_INPUT_LENGTH);
}

/* Entropy of the caller's, if any, goes in first; the source is always asked, too. */
static int reseed_from(struct rand_ctx *c, uint32_t generation, int pr, struct drbg_input entropy,
                       struct drbg_input addin)
{
    static const struct drbg_input none;
    struct rand_seed seed;
    hwaead_err err = HWAEAD_OK;
    if (!rand_source_draw(c, &seed, 0, pr)) {
        give_up(c);
        return 0;
    }
    if (entropy.len != 0) {
        err = drbg_reseed(c->drbg, entropy, addin);
        addin = none;
    }
    if (err == HWAEAD_OK)
        err = drbg_reseed(c->drbg, seed.entropy, addin);
    rand_source_drop(c, &seed);
    if (err != HWAEAD_OK) {
        give_up(c);
        return FAIL(c->prov, R_RAND_INPUT_LENGTH);
    }
    return seeded(c, generation);
}

/* In another process, or when our time is up and so may be that of all before us: they shall draw anew, too. */
static int is_copy(const struct rand_ctx *c, uint32_t generation)
{
    return c->seeded_in != generation || is_stale(c);
}

/* Ready, maybe after a new start. */
static int ready(struct rand_ctx *c, uint32_t generation)
{
    static const struct drbg_input no_pers;
    if (c->state == RAND_UNINSTANTIATED)
        return FAIL(c->prov, R_RAND_NOT_INSTANTIATED);
    return c->state == RAND_READY || start(c, generation, is_copy(c, generation), no_pers);
}

static int is_due(const struct rand_ctx *c, uint32_t generation)
{
    return c->seeded_in != generation || c->served >= c->serves
           || rand_source_seedings(c) != c->seeded_at_parents
           || is_stale(c);
}

/* ---- Contexts --------------------------------------------------------------------------------------------- */

static OSSL_FUNC_rand_newctx_fn new_plain;
static OSSL_FUNC_rand_newctx_fn new_fast;
static OSSL_FUNC_rand_freectx_fn free_ctx;
static OSSL_FUNC_rand_instantiate_fn instantiate;
static OSSL_FUNC_rand_uninstantiate_fn uninstantiate;
static OSSL_FUNC_rand_generate_fn generate;
static OSSL_FUNC_rand_reseed_fn reseed;
static OSSL_FUNC_rand_nonce_fn nonce;
static OSSL_FUNC_rand_enable_locking_fn enable_locking;
static OSSL_FUNC_rand_lock_fn lock;
static OSSL_FUNC_rand_unlock_fn unlock;
static OSSL_FUNC_rand_get_ctx_params_fn get_ctx_params;
static OSSL_FUNC_rand_set_ctx_params_fn set_ctx_params;
static OSSL_FUNC_rand_verify_zeroization_fn verify_zeroization;
static OSSL_FUNC_rand_get_seed_fn get_seed;

/* A context and what stands behind it. */
struct plain_ctx {
    struct rand_ctx rand;
    struct drbg drbg;
};
struct fast_ctx {
    struct rand_ctx rand;
    struct fast_drbg fast;
};

/* No entropy is drawn and no function of the parent called here: libcrypto 3.0 holds a lock of its own. */
static void *new_ctx(struct provider *prov, size_t size, void *parent, const OSSL_DISPATCH *parents_functions)
{
    if (!provider_can_run(prov))
        return NULL;
    struct rand_ctx *c = cipher_ctx_alloc(prov, size);
    if (c == NULL)
        return NULL;
    fork_watch_start(&prov->forks);
    c->prov = prov;
    c->size = size;
    rand_source_take(&c->parent, parent, parents_functions);
    c->use_df = 1;
    c->seedings = UINT32_MAX; /* one before 1 */
    c->requests = RAND_DEFAULT_REQUESTS;
    c->seconds = RAND_DEFAULT_SECONDS;
    rand_limits_changed(c);
    return c;
}

static void *new_plain(void *prov, void *parent, const OSSL_DISPATCH *parents_functions)
{
    struct plain_ctx *c = new_ctx(prov, sizeof *c, parent, parents_functions);
    if (c != NULL)
        c->rand.drbg = &c->drbg;
    return c;
}

static void *new_fast(void *prov, void *parent, const OSSL_DISPATCH *parents_functions)
{
    struct fast_ctx *c = new_ctx(prov, sizeof *c, parent, parents_functions);
    if (c != NULL) {
        c->rand.fast = &c->fast;
        c->rand.drbg = &c->fast.drbg;
    }
    return c;
}

static void free_ctx(void *vctx)
{
    struct rand_ctx *c = vctx;
    if (c != NULL)
        cipher_ctx_free(c, c->size);
}

/* libcrypto calls lock and unlock around pairs of our functions; each of these locks by itself. A parent that we
 * share with others locks from then on, too. */
static int enable_locking(void *vctx)
{
    struct rand_ctx *c = vctx;
    if (c->parent.ctx != NULL && c->parent.enable_locking != NULL && !c->parent.enable_locking(c->parent.ctx))
        return FAIL(c->prov, R_RAND_PARENT_LOCK);
    c->locking = 1;
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

/* What libcrypto asks before each request. */
static int is_max_request(const OSSL_PARAM *p)
{
    return p != NULL && p->key != NULL && strcmp(p->key, "max_request") == 0
           && p->data_type == OSSL_PARAM_UNSIGNED_INTEGER && p->data_size == sizeof(size_t) && p->data != NULL
           && p[1].key == NULL;
}

static int get_ctx_params(void *vctx, OSSL_PARAM params[])
{
    if (is_max_request(params)) {
        memcpy(params->data, &(size_t){ DRBG_MAX_REQUEST }, sizeof(size_t));
        params->return_size = sizeof(size_t);
        return 1;
    }
    return params_get(rand_params, vctx, params);
}

static int set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
    struct rand_ctx *c = vctx;
    const uint32_t generation = enter(c);
    return leave(c, generation, params_set(rand_params, c, params));
}

/* ---- States ----------------------------------------------------------------------------------------------- */

/* NULL is no input, whatever its length says. */
static struct drbg_input input(const unsigned char *bytes, size_t len)
{
    return (struct drbg_input){ bytes, bytes != NULL ? len : 0 };
}

static int strength_ok(const struct rand_ctx *c, unsigned int strength)
{
    return strength <= DRBG_STRENGTH || FAIL(c->prov, R_RAND_STRENGTH);
}

static int input_ok(const struct rand_ctx *c, struct drbg_input in)
{
    return in.len <= rand_max_input(c) || FAIL(c->prov, R_RAND_INPUT_LENGTH);
}

static int entropy_ok(const struct rand_ctx *c, struct drbg_input entropy)
{
    const size_t min = c->use_df ? (size_t)DRBG_MIN_ENTROPY : (size_t)DRBG_SEED_LEN;
    return entropy.len == 0 || (entropy.len >= min && entropy.len <= rand_max_input(c))
           || FAIL(c->prov, R_RAND_INPUT_LENGTH);
}

static int instantiate(void *vctx, unsigned int strength, int pr, const unsigned char *pers, size_t pers_len,
                       const OSSL_PARAM params[])
{
    struct rand_ctx *c = vctx;
    const struct drbg_input in = input(pers, pers_len);
    if (!strength_ok(c, strength))
        return 0;
    const uint32_t generation = enter(c);
    const int good = (c->state != RAND_READY || FAIL(c->prov, R_RAND_INSTANTIATED))
                     && params_set(rand_params, c, params) && input_ok(c, in) && start(c, generation, pr, in);
    return leave(c, generation, good);
}

static int uninstantiate(void *vctx)
{
    struct rand_ctx *c = vctx;
    const uint32_t generation = enter(c);
    wipe(c);
    c->state = RAND_UNINSTANTIATED;
    return leave(c, generation, 1);
}

static int verify_zeroization(void *vctx)
{
    struct rand_ctx *c = vctx;
    const uint32_t generation = enter(c);
    const uint8_t *bytes = (const uint8_t *)c->drbg;
    const size_t n = c->fast != NULL ? sizeof *c->fast : sizeof *c->drbg;
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= bytes[i];
    return leave(c, generation, any == 0);
}

static int reseed(void *vctx, int pr, const unsigned char *entropy, size_t entropy_len, const unsigned char *addin,
                  size_t addin_len)
{
    struct rand_ctx *c = vctx;
    const struct drbg_input e = input(entropy, entropy_len), a = input(addin, addin_len);
    const uint32_t generation = enter(c);
    const int good = entropy_ok(c, e) && input_ok(c, a) && ready(c, generation)
                     && reseed_from(c, generation, pr, e, a);
    return leave(c, generation, good);
}

/* ---- Output ----------------------------------------------------------------------------------------------- */

static inline hwaead_err serve(struct rand_ctx *c, uint8_t *out, size_t len, struct drbg_input addin)
{
    c->served++;
    return c->fast != NULL ? fast_generate(c->fast, out, len, addin) : drbg_generate(c->drbg, out, len, addin);
}

static int output(struct rand_ctx *c, uint32_t generation, uint8_t *out, size_t len, int pr, struct drbg_input addin)
{
    static const struct drbg_input none;
    if (!ready(c, generation))
        return 0;
    if (pr || is_due(c, generation)) {
        if (!reseed_from(c, generation, pr || is_copy(c, generation), none, addin))
            return 0;
        addin = none;
    }
    if (serve(c, out, len, addin) != HWAEAD_OK) {
        give_up(c);
        return FAIL(c->prov, R_RAND_INPUT_LENGTH);
    }
    return 1;
}

/* Nothing to check, to lock or to seed: so are nearly all requests. */
static inline int is_usual(struct rand_ctx *c, size_t len, unsigned int strength, int pr, const unsigned char *addin)
{
    return strength <= DRBG_STRENGTH && len <= DRBG_MAX_REQUEST && !pr && addin == NULL && !c->locking
           && c->state == RAND_READY && !is_due(c, fork_generation(&c->prov->forks));
}

/* A fork meanwhile, in a signal handler or in a parent of ours, must not leave both processes with the same bytes: the
 * new one gives them up. */
static inline int is_duplicate(struct rand_ctx *c, uint32_t generation, uint8_t *out, size_t len)
{
    if (fork_generation(&c->prov->forks) == generation)
        return 0;
    secret_wipe(out, len);
    return 1;
}

/* All other requests, and those that fail. */
static int generate_unusual(struct rand_ctx *c, unsigned char *out, size_t len, unsigned int strength, int pr,
                            struct drbg_input addin)
{
    uint32_t generation;
    int good;
    if (!strength_ok(c, strength))
        return 0;
    if (len > DRBG_MAX_REQUEST)
        return FAIL(c->prov, R_RAND_REQUEST);
    do {
        generation = enter(c);
        good = leave(c, generation, input_ok(c, addin) && output(c, generation, out, len, pr, addin));
    } while (good && is_duplicate(c, generation, out, len));
    return good;
}

static int generate(void *vctx, unsigned char *out, size_t len, unsigned int strength, int pr,
                    const unsigned char *addin, size_t addin_len)
{
    static const struct drbg_input none;
    struct rand_ctx *c = vctx;
    if (is_usual(c, len, strength, pr, addin) && serve(c, out, len, none) == HWAEAD_OK
        && !is_duplicate(c, c->seeded_in, out, len))
        return 1;
    return generate_unusual(c, out, len, strength, pr, input(addin, addin_len));
}

/* ---- What children ask for -------------------------------------------------------------------------------- */

/* out NULL: only the length. */
static size_t nonce(void *vctx, unsigned char *out, unsigned int strength, size_t min, size_t max)
{
    struct rand_ctx *c = vctx;
    if (min == 0 || min > max)
        return (size_t)FAIL(c->prov, R_PARAM);
    if (out == NULL)
        return min;
    return generate(c, out, min, strength, 0, NULL, 0) ? min : 0;
}

static size_t get_seed(void *vctx, unsigned char **out, int entropy, size_t min, size_t max, int pr,
                       const unsigned char *addin, size_t addin_len)
{
    struct rand_ctx *c = vctx;
    return rand_give_seed(c->prov, c, generate, out, entropy, min, max, pr, addin, addin_len);
}

#define FUNCTIONS(new)                                                                            \
    { OSSL_FUNC_RAND_NEWCTX, (void (*)(void))new },                                               \
    { OSSL_FUNC_RAND_FREECTX, (void (*)(void))free_ctx },                                         \
    { OSSL_FUNC_RAND_INSTANTIATE, (void (*)(void))instantiate },                                  \
    { OSSL_FUNC_RAND_UNINSTANTIATE, (void (*)(void))uninstantiate },                              \
    { OSSL_FUNC_RAND_GENERATE, (void (*)(void))generate },                                        \
    { OSSL_FUNC_RAND_RESEED, (void (*)(void))reseed },                                            \
    { OSSL_FUNC_RAND_NONCE, (void (*)(void))nonce },                                              \
    { OSSL_FUNC_RAND_ENABLE_LOCKING, (void (*)(void))enable_locking },                            \
    { OSSL_FUNC_RAND_LOCK, (void (*)(void))lock },                                                \
    { OSSL_FUNC_RAND_UNLOCK, (void (*)(void))unlock },                                            \
    { OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS, (void (*)(void))rand_gettable },                        \
    { OSSL_FUNC_RAND_SETTABLE_CTX_PARAMS, (void (*)(void))rand_settable },                        \
    { OSSL_FUNC_RAND_GET_CTX_PARAMS, (void (*)(void))get_ctx_params },                            \
    { OSSL_FUNC_RAND_SET_CTX_PARAMS, (void (*)(void))set_ctx_params },                            \
    { OSSL_FUNC_RAND_VERIFY_ZEROIZATION, (void (*)(void))verify_zeroization },                    \
    { OSSL_FUNC_RAND_GET_SEED, (void (*)(void))get_seed },                                        \
    { OSSL_FUNC_RAND_CLEAR_SEED, (void (*)(void))rand_clear_seed },                                    \
    { 0, NULL }

const OSSL_DISPATCH rand_ctr_drbg[] = { FUNCTIONS(new_plain) };
const OSSL_DISPATCH rand_fast_drbg[] = { FUNCTIONS(new_fast) };
