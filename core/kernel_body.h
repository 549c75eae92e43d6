/* SPDX-License-Identifier: Apache-2.0
 *
 * The algorithms, once, over vectors of LANES blocks. A tier file defines `vec`, its verbs, LANES and NVEC
 * (vectors in flight), includes this, and lists what it needs in its table.
 *
 * Verbs: vec_load_n and vec_store_n touch only the first n bytes, vec_keep zeroes all others; lane 0 is the
 * first block in memory; *1 verbs work on one block, with the other lanes zero.
 */
#ifndef HWAEAD_CORE_KERNEL_BODY_H
#define HWAEAD_CORE_KERNEL_BODY_H

#include "gf128.h"

enum { VEC = LANES * BLOCK, BATCH = NVEC * VEC };

enum direction { ENCRYPT, DECRYPT };

/* ---- AES (FIPS 197) ------------------------------------------------------------------------------------- */

INLINE vec round_key(const struct aes_schedule *aes, unsigned i)
{
    return vec_dup(aes->rk + BLOCK * i);
}

/* x[v] = E(K, x[v]) + text[v] for n vectors in flight. */
INLINE void aes_crypt(const struct aes_schedule *aes, unsigned rounds, vec *x, const vec *text, unsigned n)
{
    vec k = round_key(aes, 0);
    for (unsigned v = 0; v < n; v++)
        x[v] = aes_first(x[v], k);
    for (unsigned r = 1; r < rounds; r++) {
        vec k_prev = k;
        k = round_key(aes, r);
        for (unsigned v = 0; v < n; v++)
            x[v] = aes_round(x[v], k_prev, k);
    }
    vec last = round_key(aes, rounds);
    for (unsigned v = 0; v < n; v++)
        x[v] = aes_last(x[v], k, vec_xor(last, text[v]));
}

/* ---- Counters ------------------------------------------------------------------------------------------- */

/* Counters are kept byte-reversed, so that inc32 adds to the first 32 bits. */
INLINE vec counters_after(const uint8_t block[BLOCK])
{
    return vec_add32(vec_byterev(vec_dup(block)), vec_add32(vec_lane_numbers(), vec_dup_u32(1)));
}

INLINE vec next_counters(vec *counters)
{
    vec block = vec_byterev(*counters);
    *counters = vec_add32(*counters, vec_dup_u32(LANES));
    return block;
}

/* inc32 (SP 800-38D, 6.2) done n times, n taken modulo 2^32. */
INLINE void advance_counter(uint8_t block[BLOCK], uint64_t n)
{
    store_be32(block + 12, load_be32(block + 12) + (uint32_t)n);
}

/* ---- GHASH (SP 800-38D, 6.4) ---------------------------------------------------------------------------- */

/* H^n, H^(n-1), ...: as many powers as a vector has lanes, read on past H^1 where n < LANES. */
INLINE vec powers_from(const struct gf_powers *powers, size_t n)
{
    return vec_load(powers->h + BLOCK * (GF_POWERS - n));
}

INLINE vec power(const struct gf_powers *powers, size_t n)
{
    return vec_load1(powers->h + BLOCK * (GF_POWERS - n));
}

/* y for n <= 8 blocks in byte-reversed vectors x[], whose lanes past the n-th block are zero. */
INLINE vec hash_vectors(const struct gf_powers *powers, vec y, const vec *x, size_t n)
{
    if (n == 0)
        return y;
    struct gf_sum s = gf_product(vec_xor(x[0], y), powers_from(powers, n));
#pragma GCC unroll 8
    for (size_t v = 1; v < GF_POWERS / LANES; v++) {
        if (v * LANES >= n)
            break;
        gf_add_product(&s, x[v], powers_from(powers, n - v * LANES));
    }
    return vec_sum_lanes(gf_reduce(s));
}

INLINE vec hash_block(const struct gf_powers *powers, vec y, const uint8_t block[BLOCK])
{
    return gf_mul(vec_xor(y, vec_byterev(vec_load1(block))), power(powers, 1));
}

static void ghash(const struct gf_powers *powers, uint8_t y_block[BLOCK], const uint8_t *in, size_t nblocks)
{
    enum { GROUP = GF_POWERS / LANES };
    vec y = vec_load1(y_block), x[GROUP];

    for (; nblocks >= GF_POWERS; nblocks -= GF_POWERS, in += GF_POWERS * BLOCK) {
        for (unsigned v = 0; v < GROUP; v++)
            x[v] = vec_byterev(vec_load(in + VEC * v));
        y = hash_vectors(powers, y, x, GF_POWERS);
    }
    if (nblocks != 0) {
        size_t left = nblocks * BLOCK;
        for (unsigned v = 0; v < GROUP; v++) {
            size_t n = left < VEC ? left : VEC;
            x[v] = n == 0 ? vec_zero() : vec_byterev(vec_load_n(in + VEC * v, n));
            left -= n;
        }
        y = hash_vectors(powers, y, x, nblocks);
    }
    vec_store1(y_block, y);
}

/* ---- The stitched bulk loop ----------------------------------------------------------------------------- */

/* The powers for a whole batch, highest first, and the sums of their halves for Karatsuba's product. */
struct batch_powers {
    vec h[NVEC], sum[NVEC];
};

/* Those above H^8 are made here. */
INLINE struct batch_powers make_batch_powers(const struct gf_powers *powers)
{
    enum { GROUP = GF_POWERS / LANES, ABOVE = NVEC - GROUP };
    struct batch_powers p;
    for (unsigned v = 0; v < GROUP; v++)
        p.h[ABOVE + v] = powers_from(powers, GF_POWERS - v * LANES);
    vec h8 = vec_dup0(p.h[ABOVE]);
    for (unsigned v = 0; v + GROUP < NVEC; v++)
        p.h[v] = gf_mul(p.h[ABOVE + v], h8);
    for (unsigned v = 0; v < NVEC; v++)
        p.sum[v] = vec_xor(p.h[v], vec_swap64(p.h[v]));
    return p;
}

/* Vector v of a batch, in memory order; y goes in with the first. */
INLINE void add_to_batch(struct gf_sum *s, vec sealed, vec y, const struct batch_powers *p, unsigned v)
{
    vec x = vec_byterev(sealed);
    gf_add_product_karatsuba(s, v == 0 ? vec_xor(x, y) : x, p->h[v], p->sum[v]);
}

/* x[] = E(K, x[]) + text[], and in the gaps between its rounds y absorbs sealed[]. */
INLINE void stitched_batch(const struct aes_schedule *aes, const unsigned rounds, vec x[NVEC],
                           const vec text[NVEC], vec *y, const vec sealed[NVEC],
                           const struct batch_powers *p)
{
    enum { STRIDE = 8 / NVEC }; /* rounds from one product to the next */
    struct gf_sum s = {vec_zero(), vec_zero(), vec_zero()};
    vec k = round_key(aes, 0);

    for (unsigned v = 0; v < NVEC; v++)
        x[v] = aes_first(x[v], k);
#pragma GCC unroll 13
    for (unsigned r = 1; r < rounds; r++) {
        vec k_prev = k;
        k = round_key(aes, r);
#pragma GCC unroll 8
        for (unsigned v = 0; v < NVEC; v++)
            x[v] = aes_round(x[v], k_prev, k);
        if (r < 9 && (r - 1) % STRIDE == 0)
            add_to_batch(&s, sealed[(r - 1) / STRIDE], *y, p, (r - 1) / STRIDE);
        if (r == 9) {
            gf_karatsuba_end(&s);
            gf_reduce_lo(&s);
        }
    }
    *y = vec_sum_lanes(gf_reduce_mid(&s));
    vec last = round_key(aes, rounds);
#pragma GCC unroll 8
    for (unsigned v = 0; v < NVEC; v++)
        x[v] = aes_last(x[v], k, vec_xor(last, text[v]));
}

INLINE void load_batch(vec x[NVEC], const uint8_t *in)
{
#pragma GCC unroll 8
    for (unsigned v = 0; v < NVEC; v++)
        x[v] = vec_load(in + VEC * v);
}

INLINE void store_batch(uint8_t *out, const vec x[NVEC])
{
#pragma GCC unroll 8
    for (unsigned v = 0; v < NVEC; v++)
        vec_store(out + VEC * v, x[v]);
}

INLINE void counter_batch(vec x[NVEC], vec *counters)
{
#pragma GCC unroll 8
    for (unsigned v = 0; v < NVEC; v++)
        x[v] = next_counters(counters);
}

/* nbatches >= 1. Sealing hashes a batch of ciphertext one batch late, opening hashes it as it comes. */
INLINE void crypt_batches(const struct gcm_key *key, const unsigned rounds, vec *y, vec *counters, uint8_t *out,
                          const uint8_t *in, size_t nbatches, const enum direction dir)
{
    vec x[NVEC], text[NVEC], sealed[NVEC];
    struct batch_powers p = make_batch_powers(&key->powers);

    if (dir == ENCRYPT) {
        counter_batch(x, counters);
        load_batch(text, in);
        aes_crypt(&key->aes, rounds, x, text, NVEC);
        store_batch(out, x);
        nbatches--;
        in += BATCH;
        out += BATCH;
    }
    for (; nbatches != 0; nbatches--, in += BATCH, out += BATCH) {
        load_batch(text, in);
        for (unsigned v = 0; v < NVEC; v++)
            sealed[v] = dir == ENCRYPT ? x[v] : text[v];
        counter_batch(x, counters);
        stitched_batch(&key->aes, rounds, x, text, y, sealed, &p);
        store_batch(out, x);
    }
    if (dir == ENCRYPT) {
        struct gf_sum s = {vec_zero(), vec_zero(), vec_zero()};
        for (unsigned v = 0; v < NVEC; v++)
            add_to_batch(&s, x[v], *y, &p, v);
        gf_karatsuba_end(&s);
        *y = vec_sum_lanes(gf_reduce(s));
    }
}

/* ---- The rest: 1 to BATCH - 1 bytes --------------------------------------------------------------------- */

/* n vectors, the last one maybe partial; ciphertext past the last whole block is left in msg. */
INLINE vec crypt_vectors(const struct gcm_key *key, struct gcm_msg *msg, vec y, vec counters, uint8_t *out,
                         const uint8_t *in, size_t len, const unsigned n, const enum direction dir)
{
    vec x[NVEC], text[NVEC], hashed[NVEC];
    const size_t last_len = len - VEC * (n - 1), part = last_len % BLOCK;

    for (unsigned v = 0; v < n; v++)
        x[v] = next_counters(&counters);
    for (unsigned v = 0; v < n - 1; v++)
        text[v] = vec_load(in + VEC * v);
    text[n - 1] = vec_load_n(in + VEC * (n - 1), last_len);
    aes_crypt(&key->aes, key->rounds, x, text, n);
    for (unsigned v = 0; v < n - 1; v++)
        vec_store(out + VEC * v, x[v]);
    vec_store_n(out + VEC * (n - 1), x[n - 1], last_len);

    const vec *sealed = dir == ENCRYPT ? x : text;
    for (unsigned v = 0; v < n - 1; v++)
        hashed[v] = vec_byterev(sealed[v]);
    hashed[n - 1] = vec_byterev(vec_keep(sealed[n - 1], last_len - part));
    if (part != 0) {
        size_t lane = last_len / BLOCK;
        vec_store1(msg->block, vec_keep(vec_lane(sealed[n - 1], lane), part));
        vec_store1(msg->ks, vec_lane(vec_xor(x[n - 1], text[n - 1]), lane));
    }

    size_t whole = len / BLOCK;
    if (BATCH / BLOCK > GF_POWERS && whole > GF_POWERS) {
        y = hash_vectors(&key->powers, y, hashed, GF_POWERS);
        return hash_vectors(&key->powers, y, hashed + GF_POWERS / LANES, whole - GF_POWERS);
    }
    return hash_vectors(&key->powers, y, hashed, whole);
}

INLINE vec crypt_rest(const struct gcm_key *key, struct gcm_msg *msg, vec y, vec counters, uint8_t *out,
                      const uint8_t *in, size_t len, const enum direction dir)
{
    switch ((len - 1) / VEC) {
    case 0: return crypt_vectors(key, msg, y, counters, out, in, len, 1, dir);
    case 1: return crypt_vectors(key, msg, y, counters, out, in, len, 2, dir);
    case 2: return crypt_vectors(key, msg, y, counters, out, in, len, 3, dir);
    case 3: return crypt_vectors(key, msg, y, counters, out, in, len, 4, dir);
    case 4: return crypt_vectors(key, msg, y, counters, out, in, len, NVEC < 5 ? NVEC : 5, dir);
    case 5: return crypt_vectors(key, msg, y, counters, out, in, len, NVEC < 6 ? NVEC : 6, dir);
    case 6: return crypt_vectors(key, msg, y, counters, out, in, len, NVEC < 7 ? NVEC : 7, dir);
    default: return crypt_vectors(key, msg, y, counters, out, in, len, NVEC < 8 ? NVEC : 8, dir);
    }
}

/* ---- The table's entries -------------------------------------------------------------------------------- */

/* y absorbs the aad block that is still waiting, and ej0 is made. */
INLINE vec begin_text(const struct gcm_key *key, struct gcm_msg *msg, vec y)
{
    vec j0 = vec_load1(msg->ctr), zero = vec_zero();
    aes_crypt(&key->aes, key->rounds, &j0, &zero, 1);
    vec_store1(msg->ej0, j0);
    return msg->aad_len % BLOCK == 0 ? y : hash_block(&key->powers, y, msg->block);
}

INLINE void crypt_text(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                       size_t len, const enum direction dir)
{
    vec y = vec_load1(msg->y), counters = counters_after(msg->ctr);
    if (msg->text_len == 0)
        y = begin_text(key, msg, y);
    advance_counter(msg->ctr, (len + BLOCK - 1) / BLOCK);
    if (len >= BATCH) {
        size_t nbatches = len / BATCH;
        if (key->rounds == 14)
            crypt_batches(key, 14, &y, &counters, out, in, nbatches, dir);
        else if (key->rounds == 12)
            crypt_batches(key, 12, &y, &counters, out, in, nbatches, dir);
        else
            crypt_batches(key, 10, &y, &counters, out, in, nbatches, dir);
        in += len & ~(size_t)(BATCH - 1);
        out += len & ~(size_t)(BATCH - 1);
        len %= BATCH;
    }
    if (len != 0)
        y = crypt_rest(key, msg, y, counters, out, in, len, dir);
    vec_store1(msg->y, y);
}

static void gcm_encrypt_text(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len)
{
    crypt_text(key, msg, out, in, len, ENCRYPT);
}

static void gcm_decrypt_text(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len)
{
    crypt_text(key, msg, out, in, len, DECRYPT);
}

/* SP 800-38D, algorithm 4, steps 5 and 6: the lengths in bits close the hash, E(K, J0) covers it. */
static void gcm_make_tag(const struct gcm_key *key, struct gcm_msg *msg, uint8_t tag[BLOCK])
{
    vec y = vec_load1(msg->y);
    if (msg->text_len == 0)
        y = begin_text(key, msg, y);
    vec lengths = vec_u64x2(8 * msg->text_len, 8 * msg->aad_len);
    struct gf_sum s;
    if (msg->text_len % BLOCK == 0) {
        s = gf_product(vec_xor(y, lengths), power(&key->powers, 1));
    } else {
        s = gf_product(vec_xor(y, vec_byterev(vec_load1(msg->block))), power(&key->powers, 2));
        gf_add_product(&s, lengths, power(&key->powers, 1));
    }
    vec_store1(tag, vec_xor(vec_byterev(gf_reduce(s)), vec_load1(msg->ej0)));
}

/* H = E(K, 0) in POLYVAL form (gf128.h, 6), and its powers by doubling: from H^1 .. H^k come H^(k+1) .. H^2k. */
static void gcm_key_setup(struct gcm_key *key, const uint8_t *key_bytes)
{
    aes_expand(key->aes.rk, key_bytes, key->rounds);

    vec h = vec_zero(), zero = vec_zero();
    aes_crypt(&key->aes, key->rounds, &h, &zero, 1);
    h = gf_mul(vec_byterev(h), vec_u64x2(GF_X129_LO, GF_X129_HI));

    uint8_t *end = key->powers.h + sizeof key->powers;
    vec_store1(end - BLOCK, h);
    for (unsigned k = 1; k < GF_POWERS; k *= 2) {
        vec hk = vec_dup(end - BLOCK * k);
        for (unsigned i = 0; i < k; i += LANES) {
            unsigned n = BLOCK * (k - i < LANES ? k - i : LANES);
            vec low = vec_load_n(end - BLOCK * (k - i), n);
            vec_store_n(end - BLOCK * (2 * k - i), gf_mul(low, hk), n);
        }
    }
}

#endif
