/* SPDX-License-Identifier: Apache-2.0 */
#include "rand_direct.h"

#include <stdlib.h>
#include <string.h>

int direct_rand_find(const struct direct *d, const char *name, struct direct_rand *r)
{
    int no_cache = 1;
    const OSSL_ALGORITHM *a = d->query(d->prov, OSSL_OP_RAND, &no_cache);
    memset(r, 0, sizeof *r);
    while (a != NULL && a->algorithm_names != NULL && strcmp(a->algorithm_names, name) != 0)
        a++;
    if (a == NULL || a->algorithm_names == NULL)
        return 0;
    r->table = a->implementation;
    for (const OSSL_DISPATCH *f = a->implementation; f->function_id != 0; f++)
        switch (f->function_id) {
        case OSSL_FUNC_RAND_NEWCTX:
            r->newctx = OSSL_FUNC_rand_newctx(f);
            break;
        case OSSL_FUNC_RAND_FREECTX:
            r->freectx = OSSL_FUNC_rand_freectx(f);
            break;
        case OSSL_FUNC_RAND_INSTANTIATE:
            r->instantiate = OSSL_FUNC_rand_instantiate(f);
            break;
        case OSSL_FUNC_RAND_UNINSTANTIATE:
            r->uninstantiate = OSSL_FUNC_rand_uninstantiate(f);
            break;
        case OSSL_FUNC_RAND_GENERATE:
            r->generate = OSSL_FUNC_rand_generate(f);
            break;
        case OSSL_FUNC_RAND_RESEED:
            r->reseed = OSSL_FUNC_rand_reseed(f);
            break;
        case OSSL_FUNC_RAND_NONCE:
            r->nonce = OSSL_FUNC_rand_nonce(f);
            break;
        case OSSL_FUNC_RAND_ENABLE_LOCKING:
            r->enable_locking = OSSL_FUNC_rand_enable_locking(f);
            break;
        case OSSL_FUNC_RAND_LOCK:
            r->lock = OSSL_FUNC_rand_lock(f);
            break;
        case OSSL_FUNC_RAND_UNLOCK:
            r->unlock = OSSL_FUNC_rand_unlock(f);
            break;
        case OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS:
            r->gettable = OSSL_FUNC_rand_gettable_ctx_params(f);
            break;
        case OSSL_FUNC_RAND_SETTABLE_CTX_PARAMS:
            r->settable = OSSL_FUNC_rand_settable_ctx_params(f);
            break;
        case OSSL_FUNC_RAND_GET_CTX_PARAMS:
            r->get = OSSL_FUNC_rand_get_ctx_params(f);
            break;
        case OSSL_FUNC_RAND_SET_CTX_PARAMS:
            r->set = OSSL_FUNC_rand_set_ctx_params(f);
            break;
        case OSSL_FUNC_RAND_VERIFY_ZEROIZATION:
            r->verify_zeroization = OSSL_FUNC_rand_verify_zeroization(f);
            break;
        case OSSL_FUNC_RAND_GET_SEED:
            r->get_seed = OSSL_FUNC_rand_get_seed(f);
            break;
        case OSSL_FUNC_RAND_CLEAR_SEED:
            r->clear_seed = OSSL_FUNC_rand_clear_seed(f);
            break;
        default:
            break;
        }
    return 1;
}

uint64_t direct_rand_number(const struct direct_rand *r, void *ctx, const char *key)
{
    uint64_t value = UINT64_MAX;
    OSSL_PARAM list[2] = {
        {.key = key, .data_type = OSSL_PARAM_UNSIGNED_INTEGER, .data = &value, .data_size = sizeof value},
        {.key = NULL},
    };
    return r->get(ctx, list) == 1 ? value : UINT64_MAX;
}

int direct_rand_set(const struct direct_rand *r, void *ctx, const char *key, uint64_t value)
{
    OSSL_PARAM list[2] = {
        {.key = key, .data_type = OSSL_PARAM_UNSIGNED_INTEGER, .data = &value, .data_size = sizeof value},
        {.key = NULL},
    };
    return r->set(ctx, list);
}

/* ---- The parent ---- */

static int p_lock(void *ctx)
{
    struct parent *p = ctx;
    p->locks++;
    if (p->cannot_lock || p->held || (p->lockable != 0 && p->locks > p->lockable))
        return 0;
    p->held = true;
    return 1;
}

static void p_unlock(void *ctx)
{
    struct parent *p = ctx;
    p->unlocks++;
    p->held = false;
}

static int p_enable_locking(void *ctx)
{
    struct parent *p = ctx;
    p->enable_lockings++;
    return !p->cannot_lock;
}

static int p_get(void *ctx, OSSL_PARAM params[])
{
    struct parent *p = ctx;
    p->called_unlocked |= !p->held;
    for (; params->key != NULL; params++) {
        if (strcmp(params->key, "reseed_time") == 0) {
            if (p->seeded_at != 0)
                memcpy(params->data, &p->seeded_at, sizeof p->seeded_at);
            continue;
        }
        const unsigned int value = strcmp(params->key, "strength") == 0 ? p->strength : p->seedings;
        p->asked++;
        memcpy(params->data, &value, sizeof value);
    }
    return 1;
}

static void fill(struct parent *p, unsigned char *out, size_t n)
{
    p->seed_number++;
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)(i + p->seed_number * 37);
}

static int p_generate(void *ctx, unsigned char *out, size_t n, unsigned int strength, int pr,
                      const unsigned char *addin, size_t addin_len)
{
    struct parent *p = ctx;
    (void)strength, (void)addin, (void)addin_len;
    p->called_unlocked |= !p->held;
    p->generates++;
    p->pr = pr;
    p->last_len = n;
    if (p->fails)
        return 0;
    fill(p, out, n);
    return 1;
}

static size_t p_nonce(void *ctx, unsigned char *out, unsigned int strength, size_t min, size_t max)
{
    struct parent *p = ctx;
    const size_t n = out == NULL ? p->nonce_len : p->second_nonce_len;
    (void)strength, (void)max;
    p->called_unlocked |= !p->held;
    p->nonces++;
    if (out != NULL)
        fill(p, out, min);
    return n != 0 ? n : min;
}

static size_t p_get_seed(void *ctx, unsigned char **out, int entropy, size_t min, size_t max, int pr,
                         const unsigned char *addin, size_t addin_len)
{
    struct parent *p = ctx;
    (void)addin, (void)addin_len;
    p->called_unlocked |= !p->held;
    p->get_seeds++;
    p->entropy = entropy;
    p->min = min;
    p->max = max;
    p->pr = pr;
    if (p->in_get_seed != NULL)
        p->in_get_seed();
    if (p->fails)
        return 0;
    const size_t n = (size_t)((long)min + p->longer);
    if (p->gives_nothing)
        return n;
    p->last_len = n;
    *out = p->keeps ? p->room : malloc(n);
    fill(p, *out, n);
    return n;
}

static void p_clear_seed(void *ctx, unsigned char *seed, size_t n)
{
    struct parent *p = ctx;
    p->called_unlocked |= !p->held;
    p->clear_seeds += n == p->last_len;
    free(seed);
}

const OSSL_DISPATCH *parent_table(int without)
{
    static OSSL_DISPATCH table[16];
    size_t n = 0;
    table[n++] = (OSSL_DISPATCH){OSSL_FUNC_RAND_GENERATE, (void (*)(void))p_generate};
    table[n++] = (OSSL_DISPATCH){OSSL_FUNC_RAND_GET_CTX_PARAMS, (void (*)(void))p_get};
    table[n++] = (OSSL_DISPATCH){OSSL_FUNC_RAND_ENABLE_LOCKING, (void (*)(void))p_enable_locking};
    if (!(without & WITHOUT_NONCE))
        table[n++] = (OSSL_DISPATCH){OSSL_FUNC_RAND_NONCE, (void (*)(void))p_nonce};
    if (!(without & WITHOUT_GET_SEED))
        table[n++] = (OSSL_DISPATCH){OSSL_FUNC_RAND_GET_SEED, (void (*)(void))p_get_seed};
    if (!(without & WITHOUT_CLEAR_SEED))
        table[n++] = (OSSL_DISPATCH){OSSL_FUNC_RAND_CLEAR_SEED, (void (*)(void))p_clear_seed};
    if (!(without & WITHOUT_LOCK)) {
        table[n++] = (OSSL_DISPATCH){OSSL_FUNC_RAND_LOCK, (void (*)(void))p_lock};
        table[n++] = (OSSL_DISPATCH){OSSL_FUNC_RAND_UNLOCK, (void (*)(void))p_unlock};
    }
    table[n] = (OSSL_DISPATCH){0, NULL};
    return table;
}

void parent_init(struct parent *p)
{
    memset(p, 0, sizeof *p);
    p->strength = 256;
    p->seedings = 1;
}
