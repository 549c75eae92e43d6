/* SPDX-License-Identifier: Apache-2.0
 *
 * SP 800-90A CTR_DRBG as a generator of libcrypto (EVP_RAND), with and without a buffer of output made ahead of time:
 * the context that rand.c (states and requests), rand_source.c (where seeds come from) and rand_params.c (parameters)
 * share.
 *
 * Two counters must not be confused. drbg.reseed_counter is that of SP 800-90A: requests since the last seeding.
 * `seedings` is what libcrypto calls `reseed_counter`: how often we were seeded, by which our children notice that
 * they should draw a new seed from us.
 */
#ifndef HWAEAD_PROVIDER_RAND_H
#define HWAEAD_PROVIDER_RAND_H

#include "entropy.h"
#include "fast_drbg.h"
#include "fork.h"
#include "prov.h"

/* The values of libcrypto's parameter `state`. */
enum { RAND_UNINSTANTIATED = 0, RAND_READY = 1, RAND_FAILED = 2 };

/* Unless the parameters say otherwise; libcrypto sets its own for the generators that it makes. */
enum { RAND_DEFAULT_REQUESTS = 256, RAND_DEFAULT_SECONDS = 60 };

/* Writes n bytes of the operating system's and the CPU's entropy, 32 bytes from each draw of both. 0, with one error
 * queued and out wiped, when the operating system gives none. (rand_seed.c) */
int rand_seed_bytes(const struct provider *prov, struct health *health, uint8_t *out, size_t n);

/* A generator of any provider. It is called through these functions, each NULL where the parent lacks it. */
struct rand_parent {
    void *ctx; /* NULL: no parent, seeds come from rand_seed_bytes */
    OSSL_FUNC_rand_generate_fn *generate;
    OSSL_FUNC_rand_nonce_fn *nonce;
    OSSL_FUNC_rand_enable_locking_fn *enable_locking;
    OSSL_FUNC_rand_lock_fn *lock;
    OSSL_FUNC_rand_unlock_fn *unlock;
    OSSL_FUNC_rand_get_ctx_params_fn *get_ctx_params;
    OSSL_FUNC_rand_get_seed_fn *get_seed;
    OSSL_FUNC_rand_clear_seed_fn *clear_seed;
    /* How often it was seeded: its own count, of a generator of ours; a 0 that stays, of our seed source and without
     * parent; NULL: it must be asked. */
    const _Atomic uint32_t *seedings;
};

/* What is atomic is read without the lock. */
struct rand_ctx {
    struct provider *prov;
    size_t size;            /* of this and what drbg and fast point to, which stands behind it */
    struct drbg *drbg;
    struct fast_drbg *fast; /* holds drbg; NULL: no buffer */
    struct rand_parent parent;

    int locking; /* threads share this context: each function takes the lock */
    struct fork_lock lock;
    _Atomic int state;

    /* A new seeding is due when one of these is not as it was at the last: */
    uint32_t seeded_in;          /* generation of the process */
    uint32_t seeded_at_parents;  /* seedings of the parent */
    uint64_t served, serves;     /* requests since then, less than so many */
    _Atomic uint64_t seeded_at;  /* s since 1970: when the entropy was drawn, here or above; and ... */
    uint64_t serves_seconds;     /* ... less than so many of them; a clock that was set back has gone too far, too */

    uint64_t drawn_at;           /* of the seed that is to be taken: what seeded_at will be */
    _Atomic uint32_t seedings;   /* libcrypto's reseed_counter: 1 after the first, never 0 */
    _Atomic uint32_t requests;   /* the limit as it was set, 0: that of SP 800-90A */
    _Atomic uint64_t seconds;    /* the limit as it was set, 0: none but the configuration's */
    _Atomic int use_df;
    struct health health;        /* of the CPU's entropy, without parent */
};

/* After `requests` or `seconds` were set. */
void rand_limits_changed(struct rand_ctx *c);

/* ---- Seeds (rand_source.c) ---- */

/* Material for one seeding. */
struct rand_seed {
    struct drbg_input entropy, nonce;
    uint8_t *from_parent; /* to be given back */
    size_t from_parent_len;
    uint8_t *parents_nonce; /* to be freed */
    size_t parents_nonce_len;
    uint8_t own[DRBG_SEED_LEN];
};

/* Takes the functions that we need out of the parent's table. */
void rand_source_take(struct rand_parent *parent, void *ctx, const OSSL_DISPATCH *functions);

/* Fills seed for an instantiation (with_nonce) or for a reseeding, from the parent or else from
 * rand_seed_bytes; pr: the parent shall draw on its own source. 0, with one error of ours queued and seed wiped, when there
 * is too little. */
int rand_source_draw(struct rand_ctx *c, struct rand_seed *seed, int with_nonce, int pr);

/* Wipes and gives back. */
void rand_source_drop(struct rand_ctx *c, struct rand_seed *seed);

uint32_t rand_source_ask_seedings(const struct rand_ctx *c);

/* How often the parent was seeded; 0 when it does not say, or there is none. */
static inline uint32_t rand_source_seedings(const struct rand_ctx *c)
{
    const _Atomic uint32_t *seedings = c->parent.seedings;
    return seedings != NULL ? atomic_load_explicit(seedings, memory_order_acquire) : rand_source_ask_seedings(c);
}

/* ---- Parameters (rand_params.c) ---- */

extern const struct param_row rand_params[];
OSSL_FUNC_rand_gettable_ctx_params_fn rand_gettable;
OSSL_FUNC_rand_settable_ctx_params_fn rand_settable;

/* The longest personalisation string or additional input, in bytes. */
size_t rand_max_input(const struct rand_ctx *c);

/* The dispatch tables (rand.c). */
extern const OSSL_DISPATCH rand_ctr_drbg[];
extern const OSSL_DISPATCH rand_fast_drbg[];

/* The seed source (rand_seed.c). */
extern const struct param_row rand_seed_params[];
extern const OSSL_DISPATCH rand_seed_src[];

/* What a generator of ours, or the seed source, gives its children: get_seed by way of its function generate, and
 * clear_seed. (rand_seed.c) */
size_t rand_give_seed(const struct provider *prov, void *ctx, OSSL_FUNC_rand_generate_fn *generate,
                      unsigned char **out, int entropy, size_t min, size_t max, int pr, const unsigned char *addin,
                      size_t addin_len);
OSSL_FUNC_rand_clear_seed_fn rand_clear_seed;

#endif
