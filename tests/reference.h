/* SPDX-License-Identifier: Apache-2.0
 *
 * AES, GCM and GCM-SIV as slow and obvious as their standards: one bit or one byte at a time, every table
 * computed. What the core is compared with; it lives in tests/ only and is in nothing that is shipped.
 */
#ifndef HWAEAD_TESTS_REFERENCE_H
#define HWAEAD_TESTS_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum { REF_BLOCK = 16 };

/* ---- AES, FIPS 197 ---- */

struct ref_aes {
    uint8_t rk[15 * REF_BLOCK]; /* rounds + 1 round keys; zeros behind them */
    unsigned rounds;
};

void ref_aes_init(struct ref_aes *aes, const uint8_t *key, size_t key_len); /* 16, 24 or 32 bytes */
void ref_aes_encrypt(const struct ref_aes *aes, uint8_t out[REF_BLOCK], const uint8_t in[REF_BLOCK]);
/* The state after round n, 0 to aes->rounds. */
void ref_aes_state(const struct ref_aes *aes, unsigned n, uint8_t out[REF_BLOCK], const uint8_t in[REF_BLOCK]);

/* ---- GF(2^128) as in SP 800-38D, 6.3: the first bit of the first byte is the coefficient of x^0 ---- */

void ref_gf_mul(uint8_t out[REF_BLOCK], const uint8_t a[REF_BLOCK], const uint8_t b[REF_BLOCK]);
void ref_gf_inverse(uint8_t out[REF_BLOCK], const uint8_t a[REF_BLOCK]); /* of 0: 0 */

/* y = (y + block) * h for each of nblocks blocks. */
void ref_ghash(uint8_t y[REF_BLOCK], const uint8_t h[REF_BLOCK], const uint8_t *in, size_t nblocks);

/* ---- GCM, SP 800-38D ---- */

struct ref_gcm {
    struct ref_aes aes;
    uint8_t h[REF_BLOCK];
};

void ref_gcm_init(struct ref_gcm *key, const uint8_t *key_bytes, size_t key_len);

/* The pre-counter block (7.1, step 2). */
void ref_gcm_j0(const struct ref_gcm *key, uint8_t j0[REF_BLOCK], const uint8_t *nonce, size_t nonce_len);

/* The one 16-byte nonce that has this pre-counter block. */
void ref_gcm_nonce_for_j0(const struct ref_gcm *key, uint8_t nonce[REF_BLOCK], const uint8_t j0[REF_BLOCK]);

/* out[0 .. in_len) and the full tag; shorter tags are its first bytes. out may be in. */
void ref_gcm_seal(const struct ref_gcm *key, uint8_t *out, uint8_t tag[REF_BLOCK], const uint8_t *nonce,
                  size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t in_len);

/* The same text as a stream: key stream blocks first, first + 1, ... of the counter block j0 (inc32: 6.2). */
void ref_gcm_keystream(const struct ref_gcm *key, uint8_t *out, size_t nblocks, const uint8_t j0[REF_BLOCK],
                       uint32_t first);

/* ---- POLYVAL and GCM-SIV, RFC 8452 ---- */

/* dot(a, b) = a * b * x^-128, section 3. */
void ref_dot(uint8_t out[REF_BLOCK], const uint8_t a[REF_BLOCK], const uint8_t b[REF_BLOCK]);

/* out = a * x: mulX_POLYVAL of appendix A. */
void ref_mulx_polyval(uint8_t out[REF_BLOCK], const uint8_t a[REF_BLOCK]);

void ref_polyval(uint8_t y[REF_BLOCK], const uint8_t h[REF_BLOCK], const uint8_t *in, size_t nblocks);

/* h^n .. h^1 in POLYVAL form, 16 bytes each, of the GHASH key h. */
void ref_polyval_powers(uint8_t *out, size_t n, const uint8_t ghash_key[REF_BLOCK]);

/* Key-generating key of 16 or 32 bytes, or 24 as OpenSSL 3.2 extends the RFC to AES-192. out may be in. */
void ref_siv_seal(uint8_t *out, uint8_t tag[REF_BLOCK], const uint8_t *key, size_t key_len,
                  const uint8_t nonce[12], const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t in_len);

#endif
