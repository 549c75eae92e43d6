/* SPDX-License-Identifier: Apache-2.0
 *
 * One instance of the provider. libcrypto may start several on one loaded image, in one process and even from
 * two copies of itself, so everything that is not constant lives here.
 */
#ifndef HWAEAD_PROVIDER_PROV_H
#define HWAEAD_PROVIDER_PROV_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include "fork.h"
#include "kernel.h"
#include "params.h"
#include "reasons.h"

#define PROVIDER_NAME "hwaead"

/* The algorithms, for counting. */
enum alg_id {
    ALG_AES_128_GCM,
    ALG_AES_192_GCM,
    ALG_AES_256_GCM,
    ALG_AES_128_GCM_SIV,
    ALG_AES_192_GCM_SIV,
    ALG_AES_256_GCM_SIV,
    ALG_COUNT
};

/* What is counted with `stats = 1`: messages sealed, and opened with the right tag; of both, how many were
 * TLS 1.2 records. */
enum event { EVENT_SEALED, EVENT_OPENED, EVENT_TLS_RECORD, EVENT_COUNT };

/* The names of the generators and of the seed source, and the one of libcrypto's. */
enum { RAND_NAMES = 4 };

struct stats {
    _Atomic uint64_t count[ALG_COUNT][EVENT_COUNT];
};

/* The keys of our section in openssl.cnf. */
struct config {
    hwaead_tier tier;     /* tier = auto | a tier's name */
    int strict;           /* strict: on a CPU that cannot run us, offer the ciphers and fail each use */
    int replace_ctr_drbg; /* replace_ctr_drbg: register the name CTR-DRBG, too; see config_read for its default */
    int stats;            /* stats: count messages */
    size_t min_tag;       /* min_tag = 1 .. 16: shorter tags are refused, both made and verified */
    size_t reseed_seconds; /* reseed_seconds = 1 .. 3600: no generator goes longer without a new seed */
};

struct provider {
    const OSSL_CORE_HANDLE *handle;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    OSSL_FUNC_core_get_params_fn *core_get_params;

    struct config config;
    const struct kernel *kernel; /* NULL: this CPU cannot run us, and `refusal` says why */
    struct stats stats;
    struct fork_watch forks; /* since the first generator */
    atomic_int gave_random_bytes;

    char refusal[160];
    char buildinfo[384];
    char properties[64];
    OSSL_ALGORITHM ciphers[ALG_COUNT + 1];
    OSSL_ALGORITHM rands[RAND_NAMES + 1];
    OSSL_ITEM reasons[REASON_END];
    OSSL_PARAM gettable[PARAM_ROWS_MAX];
    OSSL_PARAM cipher_gettable[PARAM_ROWS_MAX];
    OSSL_PARAM gcm_gettable[PARAM_ROWS_MAX];
    OSSL_PARAM gcm_settable[PARAM_ROWS_MAX];
    OSSL_PARAM siv_gettable[PARAM_ROWS_MAX];
    OSSL_PARAM siv_settable[PARAM_ROWS_MAX];
    OSSL_PARAM rand_gettable[PARAM_ROWS_MAX];
    OSSL_PARAM rand_settable[PARAM_ROWS_MAX];
    OSSL_PARAM seed_gettable[PARAM_ROWS_MAX];
};

/* Fills prov->config from libcrypto's configuration. 0, with one error queued, for a value that is malformed.
 *
 * replace_ctr_drbg is off where a configuration activated us: that file brings `default` along, whose generator serves
 * all who did not ask for ours. It is on where a program loaded us by name, as `openssl ... -provider hwaead` does:
 * then nobody else may be there, and without a CTR-DRBG each RAND_bytes would fail. The sign is that neither of the
 * keys `activate` and `module` is there. */
int config_read(struct provider *prov);

/* Seals and opens known messages with each key size on the tier in use. 0, with one error queued, when an answer
 * is wrong. */
int self_test(const struct provider *prov);

/* 0, with the sentence that says why queued, when this CPU cannot run us (`strict = 1`). */
int provider_can_run(const struct provider *prov);

static inline void count(struct provider *prov, enum alg_id alg, enum event event)
{
    if (prov->config.stats)
        atomic_fetch_add_explicit(&prov->stats.count[alg][event], 1, memory_order_relaxed);
}

#endif
