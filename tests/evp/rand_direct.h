/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator without libcrypto: its functions out of the provider's table, and a parent that is made here, whose
 * every answer a test can choose.
 */
#ifndef HWAEAD_TESTS_RAND_DIRECT_H
#define HWAEAD_TESTS_RAND_DIRECT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "direct.h"

struct direct_rand {
    OSSL_FUNC_rand_newctx_fn *newctx;
    OSSL_FUNC_rand_freectx_fn *freectx;
    OSSL_FUNC_rand_instantiate_fn *instantiate;
    OSSL_FUNC_rand_uninstantiate_fn *uninstantiate;
    OSSL_FUNC_rand_generate_fn *generate;
    OSSL_FUNC_rand_reseed_fn *reseed;
    OSSL_FUNC_rand_nonce_fn *nonce;
    OSSL_FUNC_rand_enable_locking_fn *enable_locking;
    OSSL_FUNC_rand_lock_fn *lock;
    OSSL_FUNC_rand_unlock_fn *unlock;
    OSSL_FUNC_rand_gettable_ctx_params_fn *gettable;
    OSSL_FUNC_rand_settable_ctx_params_fn *settable;
    OSSL_FUNC_rand_get_ctx_params_fn *get;
    OSSL_FUNC_rand_set_ctx_params_fn *set;
    OSSL_FUNC_rand_verify_zeroization_fn *verify_zeroization;
    OSSL_FUNC_rand_get_seed_fn *get_seed;
    OSSL_FUNC_rand_clear_seed_fn *clear_seed;
    const OSSL_DISPATCH *table;
};

/* The functions of the algorithm with the name; 0 when there is none. */
int direct_rand_find(const struct direct *d, const char *name, struct direct_rand *r);

/* A number among the parameters; UINT64_MAX when there is none. */
uint64_t direct_rand_number(const struct direct_rand *r, void *ctx, const char *key);
int direct_rand_set(const struct direct_rand *r, void *ctx, const char *key, uint64_t value);

/* The parent. It counts its seeds into what it gives, so that no two are alike. */
struct parent {
    /* how it answers */
    bool fails, cannot_lock, gives_nothing, keeps; /* keeps: seeds stay in room, for a table without clear_seed */
    long longer;                        /* than asked for: get_seed's answer, in bytes */
    size_t nonce_len, second_nonce_len; /* nonce's first and second answer; 0: the least that is asked for */
    unsigned int strength, seedings;
    uint64_t seeded_at;                 /* s since 1970; 0: it does not say */
    size_t lockable;                    /* so many times, if not 0, then no more */
    void (*in_get_seed)(void);          /* called in get_seed */
    /* what it saw */
    size_t locks, unlocks, get_seeds, clear_seeds, generates, nonces, enable_lockings, asked;
    bool held;                          /* the lock */
    bool called_unlocked;               /* something other than lock, unlock, enable_locking */
    size_t min, max, last_len;
    int entropy, pr;
    unsigned int seed_number;
    unsigned char room[256];
};

/* Its table: everything, or without some. */
enum { WITHOUT_NONCE = 1, WITHOUT_GET_SEED = 2, WITHOUT_CLEAR_SEED = 4, WITHOUT_LOCK = 8 };
const OSSL_DISPATCH *parent_table(int without);

/* Strength 256, nothing wrong. */
void parent_init(struct parent *p);

#endif
