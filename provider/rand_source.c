/* SPDX-License-Identifier: Apache-2.0 */
#include "rand.h"

#include <stdlib.h>
#include <time.h>

#include "secret.h"

/* Nobody but this image's rand.c makes contexts for these tables, and libcrypto passes on the table that it was given:
 * whose parent has one of them is the child of a struct rand_ctx. A copy of a table, or another image's, is not it. */
static int is_ours(const OSSL_DISPATCH *functions)
{
    return functions == rand_ctr_drbg || functions == rand_fast_drbg;
}

static const _Atomic uint32_t *seedings_of(const struct rand_ctx *parent, const OSSL_DISPATCH *functions)
{
    static const _Atomic uint32_t never;
    if (parent == NULL || functions == rand_seed_src)
        return &never;
    return is_ours(functions) ? &parent->seedings : NULL;
}

void rand_source_take(struct rand_parent *parent, void *ctx, const OSSL_DISPATCH *functions)
{
    parent->ctx = ctx;
    parent->seedings = seedings_of(ctx, functions);
    for (; ctx != NULL && functions != NULL && functions->function_id != 0; functions++) {
        switch (functions->function_id) {
        case OSSL_FUNC_RAND_GENERATE:
            parent->generate = OSSL_FUNC_rand_generate(functions);
            break;
        case OSSL_FUNC_RAND_NONCE:
            parent->nonce = OSSL_FUNC_rand_nonce(functions);
            break;
        case OSSL_FUNC_RAND_ENABLE_LOCKING:
            parent->enable_locking = OSSL_FUNC_rand_enable_locking(functions);
            break;
        case OSSL_FUNC_RAND_LOCK:
            parent->lock = OSSL_FUNC_rand_lock(functions);
            break;
        case OSSL_FUNC_RAND_UNLOCK:
            parent->unlock = OSSL_FUNC_rand_unlock(functions);
            break;
        case OSSL_FUNC_RAND_GET_CTX_PARAMS:
            parent->get_ctx_params = OSSL_FUNC_rand_get_ctx_params(functions);
            break;
        case OSSL_FUNC_RAND_GET_SEED:
            parent->get_seed = OSSL_FUNC_rand_get_seed(functions);
            break;
        case OSSL_FUNC_RAND_CLEAR_SEED:
            parent->clear_seed = OSSL_FUNC_rand_clear_seed(functions);
            break;
        default:
            break;
        }
    }
}

/* ---- The parent ------------------------------------------------------------------------------------------- */

static int lock_parent(const struct rand_ctx *c)
{
    return c->parent.lock == NULL || c->parent.lock(c->parent.ctx);
}

static void unlock_parent(const struct rand_ctx *c)
{
    if (c->parent.unlock != NULL)
        c->parent.unlock(c->parent.ctx);
}

/* One number of the parent, whose lock is held; *value stays as it is when it does not answer. */
static void ask_parent(const struct rand_ctx *c, const char *key, void *value, size_t size)
{
    OSSL_PARAM request[2] = {
        { .key = key, .data_type = OSSL_PARAM_UNSIGNED_INTEGER, .data = value, .data_size = size },
        { .key = NULL },
    };
    if (c->parent.get_ctx_params != NULL)
        (void)c->parent.get_ctx_params(c->parent.ctx, request);
}

static unsigned int seedings_of_parent(const struct rand_ctx *c)
{
    unsigned int seedings = 0;
    ask_parent(c, "reseed_counter", &seedings, sizeof seedings);
    return seedings;
}

/* Bytes of a parent that was seeded long ago are as old as its seed. */
static void age_with_parent(struct rand_ctx *c)
{
    uint64_t seeded_at = 0;
    ask_parent(c, "reseed_time", &seeded_at, sizeof seeded_at);
    if (seeded_at != 0 && seeded_at < c->drawn_at)
        c->drawn_at = seeded_at;
}

uint32_t rand_source_ask_seedings(const struct rand_ctx *c)
{
    if (!lock_parent(c))
        return 0;
    const uint32_t seedings = seedings_of_parent(c);
    unlock_parent(c);
    return seedings;
}

/* The parent's own nonce, min bytes or more. */
static int draw_nonce(struct rand_ctx *c, struct rand_seed *seed, size_t min)
{
    const struct rand_parent *parent = &c->parent;
    const size_t n = parent->nonce(parent->ctx, NULL, DRBG_STRENGTH, min, DRBG_MAX_INPUT);
    if (n < min || n > DRBG_MAX_INPUT)
        return 0;
    seed->parents_nonce = malloc(n);
    if (seed->parents_nonce == NULL)
        return 0;
    seed->parents_nonce_len = n;
    seed->nonce = (struct drbg_input){ seed->parents_nonce, n };
    return parent->nonce(parent->ctx, seed->parents_nonce, DRBG_STRENGTH, min, DRBG_MAX_INPUT) == n;
}

/* min to max bytes. Our address is additional input, so that two children of one parent differ in that, too. */
static int draw_entropy(struct rand_ctx *c, struct rand_seed *seed, size_t min, size_t max, int pr)
{
    const struct rand_parent *parent = &c->parent;
    const struct rand_ctx *self = c;
    const unsigned char *address = (const unsigned char *)&self;
    if (parent->get_seed == NULL) {
        seed->entropy = (struct drbg_input){ seed->own, min };
        return parent->generate != NULL
               && parent->generate(parent->ctx, seed->own, min, DRBG_STRENGTH, pr, address, sizeof self);
    }
    unsigned char *bytes = NULL;
    const size_t n = parent->get_seed(parent->ctx, &bytes, (int)(8 * min), min, max, pr, address, sizeof self);
    if (bytes == NULL)
        return 0;
    seed->from_parent = bytes;
    seed->from_parent_len = n;
    seed->entropy = (struct drbg_input){ bytes, n };
    return n >= min && n <= max;
}

static int draw_from_parent(struct rand_ctx *c, struct rand_seed *seed, size_t nonce_min, size_t min, size_t max,
                            int pr)
{
    unsigned int strength = 0;
    ask_parent(c, "strength", &strength, sizeof strength);
    if (strength < DRBG_STRENGTH)
        return FAIL(c->prov, R_RAND_PARENT_STRENGTH);
    /* before we draw: a seeding of the parent from now on is one draw too many for us, never one too few */
    c->seeded_at_parents = seedings_of_parent(c);
    if (!pr)
        age_with_parent(c);
    int good = 1;
    if (nonce_min != 0 && c->parent.nonce != NULL) {
        good = draw_nonce(c, seed, nonce_min);
        nonce_min = 0;
    }
    /* without a nonce of its own half as much again is entropy (SP 800-90A, 8.6.7) and its end is the nonce */
    good = good && draw_entropy(c, seed, min + nonce_min, max + nonce_min, pr);
    if (!good)
        return FAIL(c->prov, R_RAND_PARENT);
    if (nonce_min != 0) {
        seed->entropy.len -= nonce_min;
        seed->nonce = (struct drbg_input){ seed->entropy.bytes + seed->entropy.len, nonce_min };
    }
    return 1;
}

/* ---- Either source ---------------------------------------------------------------------------------------- */

static int draw_without_parent(struct rand_ctx *c, struct rand_seed *seed, size_t nonce_len, size_t len)
{
    _Static_assert(DRBG_MIN_ENTROPY + DRBG_MIN_NONCE <= DRBG_SEED_LEN, "seed->own has room for both");
    if (!rand_seed_bytes(c->prov, &c->health, seed->own, len + nonce_len))
        return 0;
    seed->entropy = (struct drbg_input){ seed->own, len };
    seed->nonce = (struct drbg_input){ seed->own + len, nonce_len };
    return 1;
}

int rand_source_draw(struct rand_ctx *c, struct rand_seed *seed, int with_nonce, int pr)
{
    const int df = c->use_df;
    const size_t nonce_min = df && with_nonce ? DRBG_MIN_NONCE : 0;
    const size_t min = df ? DRBG_MIN_ENTROPY : DRBG_SEED_LEN, max = df ? DRBG_MAX_INPUT : DRBG_SEED_LEN;
    int good;
    *seed = (struct rand_seed){ .from_parent = NULL };
    c->drawn_at = (uint64_t)time(NULL);
    if (c->parent.ctx == NULL) {
        good = draw_without_parent(c, seed, nonce_min, min);
    } else if (!lock_parent(c)) {
        good = FAIL(c->prov, R_RAND_PARENT_LOCK);
    } else {
        good = draw_from_parent(c, seed, nonce_min, min, max, pr);
        unlock_parent(c);
    }
    if (!good)
        rand_source_drop(c, seed);
    return good;
}

void rand_source_drop(struct rand_ctx *c, struct rand_seed *seed)
{
    /* With clear_seed the bytes are ours until then, and wiped even if the parent cannot be locked now and they are
     * lost. A parent without it, as libcrypto's TEST-RAND, lets us look into its own memory. */
    if (seed->from_parent != NULL && c->parent.clear_seed != NULL) {
        secret_wipe(seed->from_parent, seed->from_parent_len);
        if (lock_parent(c)) {
            c->parent.clear_seed(c->parent.ctx, seed->from_parent, seed->from_parent_len);
            unlock_parent(c);
        }
    }
    if (seed->parents_nonce != NULL)
        secret_wipe(seed->parents_nonce, seed->parents_nonce_len);
    free(seed->parents_nonce);
    secret_wipe(seed, sizeof *seed);
}
