/* SPDX-License-Identifier: Apache-2.0
 *
 * CTR_DRBG with AES-256 (NIST SP 800-90A Rev. 1, 10.2.1), with and without derivation function. It has no
 * entropy source, no clock and no lock: the caller brings seed material and decides when to reseed.
 */
#ifndef HWAEAD_CORE_DRBG_H
#define HWAEAD_CORE_DRBG_H

#include "kernel.h"

enum {
    DRBG_KEY_LEN = 32,
    DRBG_SEED_LEN = DRBG_KEY_LEN + BLOCK,    /* 10.2.1, table 3 */
    DRBG_STRENGTH = 256,                     /* bits */
    DRBG_MIN_ENTROPY = DRBG_STRENGTH / 8,    /* bytes, with derivation function; exactly SEED_LEN without */
    DRBG_MIN_NONCE = DRBG_MIN_ENTROPY / 2,   /* bytes, with derivation function; none without */
    DRBG_MAX_REQUEST = 1 << 16,              /* bytes: 2^19 bits */
    DRBG_MAX_INPUT = 1 << 30                 /* bytes of each input, with derivation function */
};
#define DRBG_MAX_REQUESTS (UINT64_C(1) << 48) /* between reseeds */

/* Some bytes; len may be 0. */
struct drbg_input {
    const uint8_t *bytes;
    size_t len;
};

/* Copyable by assignment, but two copies give out the same bytes. */
struct drbg {
    const struct kernel *kernel; /* NULL: not instantiated */
    int use_df;
    uint64_t reseed_counter;     /* 1 after a seeding, one more at each request */
    uint8_t v[BLOCK];            /* V */
    struct aes_schedule key;     /* Key */
};

/* Instantiates (9.1): ARGUMENT, and *d wiped, when entropy, nonce or personalisation string has a length that
 * the standard does not allow. Inputs may not overlap *d. */
hwaead_err drbg_instantiate(struct drbg *d, const struct kernel *kernel, int use_df, struct drbg_input entropy,
                            struct drbg_input nonce, struct drbg_input pers);

/* Reseeds (9.2). NO_KEY when not instantiated, ARGUMENT for bad lengths: then *d is as it was. */
hwaead_err drbg_reseed(struct drbg *d, struct drbg_input entropy, struct drbg_input addin);

/* Writes len <= DRBG_MAX_REQUEST bytes (9.3). NO_KEY when not instantiated, ARGUMENT for a bad length, ENTROPY
 * when a reseed is due (reseed_counter > DRBG_MAX_REQUESTS): then out and *d are as they were. */
hwaead_err drbg_generate(struct drbg *d, uint8_t *out, size_t len, struct drbg_input addin);

/* Wipes (9.4). */
void drbg_uninstantiate(struct drbg *d);

#endif
