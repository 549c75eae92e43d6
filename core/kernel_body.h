/* SPDX-License-Identifier: Apache-2.0
 *
 * The algorithms, once, over vectors of LANES blocks. A tier file defines `vec`, its verbs, LANES and NVEC
 * (vectors in flight), includes this, and lists what it needs in its table.
 *
 * Verbs: vec_load_n and vec_store_n touch only the first n bytes, vec_keep zeroes all others; lane 0 is the
 * first block in memory; *1 verbs work on one block, with the other lanes zero; vec_low_halves(x, i) joins the low
 * halves of blocks 2i and 2i + 1 of x[] in lane 0, whatever the other lanes; vec_join(a, b, k) has the first k lanes
 * of a, then those of b. vec_tie does nothing but keep the
 * compiler from moving what makes its arguments past it.
 */
#ifndef HWAEAD_CORE_KERNEL_BODY_H
#define HWAEAD_CORE_KERNEL_BODY_H

#include "gf128.h"

enum { VEC = LANES * BLOCK, BATCH = NVEC * VEC };

/* What a pass over the text does. GCM counts and hashes in big-endian order, GCM-SIV in little-endian. */
enum pass { GCM_ENCRYPT, GCM_DECRYPT, SIV_DECRYPT, SIV_ENCRYPT, KEY_STREAM };

INLINE int hashes_output(const enum pass pass) { return pass == GCM_ENCRYPT || pass == SIV_DECRYPT; }
INLINE int hashes_input(const enum pass pass) { return pass == GCM_DECRYPT; }

enum order { GCM_ORDER, SIV_ORDER };

INLINE enum order order_of(const enum pass pass)
{
    return pass == SIV_ENCRYPT || pass == SIV_DECRYPT ? SIV_ORDER : GCM_ORDER;
}

INLINE int has_input(const enum pass pass) { return pass != KEY_STREAM; }

/* A block as a field element or a counter, and back. */
INLINE vec reorder(vec v, const enum order order)
{
    return order == GCM_ORDER ? vec_byterev(v) : v;
}

/* ---- AES (FIPS 197) ------------------------------------------------------------------------------------- */

INLINE vec round_key(const struct aes_schedule *aes, unsigned i)
{
    return vec_dup(aes->rk + BLOCK * i);
}

/* Round r of n vectors in flight. */
INLINE void aes_round_of(const struct aes_schedule *aes, unsigned r, vec *x, const unsigned n)
{
    vec k_prev = round_key(aes, r - 1), k = round_key(aes, r);
    for (unsigned v = 0; v < n; v++)
        x[v] = aes_round(x[v], k_prev, k);
}

/* What follows round 9: 192 and 256-bit keys have more, and the last one takes the text. */
INLINE void aes_last_rounds(const struct aes_schedule *aes, unsigned rounds, vec *x, const vec *text,
                            const unsigned n)
{
    if (rounds > 10) {
        aes_round_of(aes, 10, x, n);
        aes_round_of(aes, 11, x, n);
    }
    if (rounds > 12) {
        aes_round_of(aes, 12, x, n);
        aes_round_of(aes, 13, x, n);
    }
    vec k_prev = round_key(aes, rounds - 1), last = round_key(aes, rounds);
    for (unsigned v = 0; v < n; v++)
        x[v] = aes_last(x[v], k_prev, vec_xor(last, text[v]));
}

/* x[v] = E(K, x[v]) + text[v] for n vectors in flight. */
INLINE void aes_crypt(const struct aes_schedule *aes, unsigned rounds, vec *x, const vec *text, const unsigned n)
{
    vec first = round_key(aes, 0);
    for (unsigned v = 0; v < n; v++)
        x[v] = aes_first(x[v], first);
#pragma GCC unroll 9
    for (unsigned r = 1; r <= 9; r++)
        aes_round_of(aes, r, x, n);
    aes_last_rounds(aes, rounds, x, text, n);
}

/* x = E(K, x). */
INLINE vec aes_encrypt(const struct aes_schedule *aes, unsigned rounds, vec x)
{
    vec zero = vec_zero();
    aes_crypt(aes, rounds, &x, &zero, 1);
    return x;
}

/* ---- Counters ------------------------------------------------------------------------------------------- */

/* A block that scalar code may just have written. */
INLINE vec vec_load_halves(const uint8_t *p)
{
    struct u64x2 x = load_halves(p);
    return vec_u64x2(x.lo, x.hi);
}

/* The counters `skip` and more after block, kept in the order in which inc32 adds to the first 32 bits. */
INLINE vec counters_from(vec block, uint32_t skip, const enum order order)
{
    return vec_add32(reorder(vec_dup0(block), order), vec_add32(vec_lane_numbers(), vec_dup_u32(skip)));
}

INLINE vec next_counters(vec *counters, const enum order order)
{
    vec block = reorder(*counters, order);
    *counters = vec_add32(*counters, vec_dup_u32(LANES));
    return block;
}

/* inc32 (SP 800-38D, 6.2) done n times, n taken modulo 2^32. */
INLINE void advance_counter(uint8_t block[BLOCK], uint64_t n)
{
    uint64_t hi = load_le64(block + 8);
    uint32_t count = __builtin_bswap32((uint32_t)(hi >> 32)) + (uint32_t)n;
    store_le64(block + 8, (hi & UINT32_MAX) | (uint64_t)__builtin_bswap32(count) << 32);
}

/* ---- GHASH (SP 800-38D, 6.4) and POLYVAL (RFC 8452, 3) -------------------------------------------------- */

/* Powers of H stand highest first, H^1 last; `end` points just behind it.
 * H^n, H^(n-1), ...: as many powers as a vector has lanes, read on past H^1 where n < LANES. */
INLINE vec powers_from(const uint8_t *end, size_t n)
{
    return vec_load(end - BLOCK * n);
}

INLINE vec power(const struct gf_powers *powers, size_t n)
{
    return vec_load1(powers->h + BLOCK * (GF_POWERS - n));
}

INLINE const uint8_t *end_of(const struct gf_powers *powers)
{
    return powers->h + sizeof powers->h;
}

/* H^8 .. H^1, by doubling: first within one vector, then vector by vector. */
INLINE void fill_powers(struct gf_powers *powers, vec h)
{
    enum { GROUP = GF_POWERS / LANES };
    vec p[GROUP];
    for (unsigned k = 1; k < LANES; k *= 2)
        h = vec_join(gf_mul(h, vec_dup0(h)), h, k);
    p[GROUP - 1] = h;
    for (unsigned n = 1; n < GROUP; n *= 2)
        for (unsigned v = 0; v < n; v++)
            p[GROUP - 2 * n + v] = gf_mul(p[GROUP - n + v], vec_dup0(p[GROUP - n]));
    for (unsigned v = 0; v < GROUP; v++)
        vec_store(powers->h + VEC * v, p[v]);
}

/* The powers for a whole batch, highest first, and the sums of their halves for Karatsuba's product. */
struct batch_powers {
    vec h[NVEC], sum[NVEC];
};

/* H^1 to at least H^want, want <= BATCH / BLOCK; those above H^8 are made here. */
INLINE const uint8_t *make_batch_powers(struct batch_powers *p, const struct gf_powers *powers, size_t want)
{
    enum { GROUP = GF_POWERS / LANES };
    size_t have = GF_POWERS;
    for (unsigned v = 0; v < GROUP; v++)
        p->h[NVEC - GROUP + v] = powers_from(end_of(powers), GF_POWERS - v * LANES);
    if (BATCH / BLOCK > GF_POWERS) {
        vec h8 = vec_dup0(p->h[NVEC - GROUP]);
        for (; have < want; have += GF_POWERS) {
            vec *top = p->h + NVEC - have / LANES;
            for (unsigned v = 0; v < GROUP; v++)
                (top - GROUP)[v] = gf_mul(top[v], h8);
        }
    }
    return (const uint8_t *)(p->h + NVEC);
}

/* What batches of n vectors need. */
INLINE const uint8_t *make_whole_batch(struct batch_powers *p, const struct gf_powers *powers, const unsigned n)
{
    const uint8_t *end = make_batch_powers(p, powers, n * LANES);
    for (unsigned v = NVEC - n; v < NVEC; v++)
        p->sum[v] = vec_xor(p->h[v], vec_swap64(p->h[v]));
    return end;
}

/* Vector v of a batch of n, a field element in each lane; y goes in with the first. */
INLINE void add_to_batch(struct gf_sum *s, vec x, vec y, const struct batch_powers *p, unsigned v, const unsigned n)
{
    gf_add_product_karatsuba(s, v == 0 ? vec_xor(x, y) : x, p->h[NVEC - n + v], p->sum[NVEC - n + v]);
}

INLINE vec hash_batch(vec y, const vec *blocks, const struct batch_powers *p, const unsigned n,
                      const enum order order)
{
    struct gf_sum s = {vec_zero(), vec_zero(), vec_zero()};
    for (unsigned v = 0; v < n; v++)
        add_to_batch(&s, reorder(blocks[v], order), y, p, v, n);
    gf_karatsuba_end(&s);
    return vec_sum_lanes(gf_reduce(s));
}

/* y after n field elements in x[0 .. nvec), whose lanes past the n-th are zero; powers from H^n on. */
INLINE vec hash_vectors(const uint8_t *end, vec y, const vec *x, size_t n, const unsigned nvec)
{
    if (n == 0)
        return y;
    struct gf_sum s = gf_product(vec_xor(x[0], y), powers_from(end, n));
    for (unsigned v = 1; v < nvec; v++) {
        if (v * LANES >= n)
            break;
        gf_add_product(&s, x[v], powers_from(end, n - v * LANES));
    }
    return vec_sum_lanes(gf_reduce(s));
}

INLINE void load_text(vec *text, const uint8_t *in, const unsigned n, const enum pass pass)
{
    for (unsigned v = 0; v < n; v++)
        text[v] = has_input(pass) ? vec_load(in + VEC * v) : vec_zero();
}

/* y after in[0 .. len), the last block zero padded; powers up to the number of blocks or H^8 are there. */
INLINE vec hash_bytes(const struct gf_powers *powers, vec y, const uint8_t *in, size_t len,
                      const enum order order)
{
    enum { GROUP = GF_POWERS / LANES, GROUP_BYTES = GF_POWERS * BLOCK };
    if (len >= 2 * BATCH) {
        struct batch_powers p;
        make_whole_batch(&p, powers, NVEC);
        for (; len >= BATCH; len -= BATCH, in += BATCH) {
            vec x[NVEC];
            for (unsigned v = 0; v < NVEC; v++)
                x[v] = vec_load(in + VEC * v);
            y = hash_batch(y, x, &p, NVEC, order);
        }
        secret_wipe(&p, sizeof p);
    }
    while (len != 0) {
        const size_t group = len < GROUP_BYTES ? len : GROUP_BYTES, last = (group - 1) / VEC;
        vec x[GROUP];
        for (size_t v = 0; v < last; v++)
            x[v] = reorder(vec_load(in + VEC * v), order);
        x[last] = reorder(vec_load_n(in + VEC * last, group - VEC * last), order);
        y = hash_vectors(end_of(powers), y, x, (group + BLOCK - 1) / BLOCK, GROUP);
        in += group;
        len -= group;
    }
    return y;
}

/* ---- The stitched bulk loop ----------------------------------------------------------------------------- */

/* x[] = E(K, x[]) + text[] for n = 4 or 8 vectors, and in the gaps between its rounds y absorbs hashed[]. */
INLINE void stitched_batch(const struct aes_schedule *aes, const unsigned rounds, vec *x, const vec *text, vec *y,
                           const vec *hashed, const struct batch_powers *p, const unsigned n,
                           const enum order order)
{
    const unsigned stride = 8 / n; /* rounds from one product to the next */
    struct gf_sum s = {vec_zero(), vec_zero(), vec_zero()};
    vec first = round_key(aes, 0);

    for (unsigned v = 0; v < n; v++)
        x[v] = aes_first(x[v], first);
#pragma GCC unroll 9
    for (unsigned r = 1; r <= 9; r++) {
        aes_round_of(aes, r, x, n);
        if (r < 9 && (r - 1) % stride == 0)
            add_to_batch(&s, reorder(hashed[(r - 1) / stride], order), *y, p, (r - 1) / stride, n);
        vec_tie(&x[0], &s.mid);
    }
    gf_karatsuba_end(&s);
    gf_reduce_lo(&s);
    *y = vec_sum_lanes(gf_reduce_mid(&s));
    aes_last_rounds(aes, rounds, x, text, n);
}

INLINE void store_batch(uint8_t *out, const vec *x, const unsigned n)
{
    for (unsigned v = 0; v < n; v++)
        vec_store(out + VEC * v, x[v]);
}

INLINE void counter_batch(vec *x, vec *counters, const unsigned n, const enum order order)
{
    for (unsigned v = 0; v < n; v++)
        x[v] = next_counters(counters, order);
}

/* nbatches >= 1 of n vectors, *p is whole for n. What is hashed is the input as it comes, or the output one batch
 * late. */
INLINE void crypt_batches(const struct aes_schedule *aes, const unsigned rounds, const struct batch_powers *p,
                          vec *y, vec *counters, uint8_t *out, const uint8_t *in, size_t nbatches,
                          const unsigned n, const enum pass pass)
{
    const enum order order = order_of(pass);
    const size_t step = n * VEC;
    vec x[NVEC], text[NVEC], hashed[NVEC];

    if (!hashes_input(pass)) {
        counter_batch(x, counters, n, order);
        load_text(text, in, n, pass);
        aes_crypt(aes, rounds, x, text, n);
        store_batch(out, x, n);
        nbatches--;
        in += step;
        out += step;
    }
    for (; nbatches != 0; nbatches--, in += step, out += step) {
        load_text(text, in, n, pass);
        for (unsigned v = 0; v < n; v++)
            hashed[v] = hashes_output(pass) ? x[v] : text[v];
        counter_batch(x, counters, n, order);
        if (hashes_output(pass) || hashes_input(pass))
            stitched_batch(aes, rounds, x, text, y, hashed, p, n, order);
        else
            aes_crypt(aes, rounds, x, text, n);
        store_batch(out, x, n);
    }
    if (hashes_output(pass))
        *y = hash_batch(*y, x, p, n, order);
}

/* ---- The rest: 1 to BATCH - 1 bytes --------------------------------------------------------------------- */

/* What a pass leaves of its last block when that is partial: GCM goes on with it, GCM-SIV is done. */
struct leftover {
    vec sealed, key_stream;
};

/* n vectors, the last one maybe partial. GCM hashes whole blocks only, GCM-SIV pads the last one. */
INLINE vec crypt_vectors(const struct aes_schedule *aes, unsigned rounds, const uint8_t *end, vec y,
                         vec counters, uint8_t *out, const uint8_t *in, size_t len, struct leftover *left,
                         const unsigned n, const enum pass pass)
{
    const enum order order = order_of(pass);
    const size_t last_len = len - VEC * (n - 1), part = last_len % BLOCK;
    const size_t hashed_len = order == GCM_ORDER ? last_len - part : last_len;
    vec x[NVEC], text[NVEC], hashed[NVEC];

    counter_batch(x, &counters, n, order);
    load_text(text, in, n - 1, pass);
    text[n - 1] = has_input(pass) ? vec_load_n(in + VEC * (n - 1), last_len) : vec_zero();
    aes_crypt(aes, rounds, x, text, n);
    store_batch(out, x, n - 1);
    vec_store_n(out + VEC * (n - 1), x[n - 1], last_len);

    if (!hashes_output(pass) && !hashes_input(pass))
        return y;
    const vec *source = hashes_output(pass) ? x : text;
    for (unsigned v = 0; v < n - 1; v++)
        hashed[v] = reorder(source[v], order);
    hashed[n - 1] = reorder(vec_keep(source[n - 1], hashed_len), order);
    if (order == GCM_ORDER && part != 0) {
        left->sealed = vec_keep(vec_lane(source[n - 1], last_len / BLOCK), part);
        left->key_stream = vec_lane(vec_xor(x[n - 1], text[n - 1]), last_len / BLOCK);
    }

    size_t nblocks = (VEC * (n - 1) + hashed_len + BLOCK - 1) / BLOCK;
    return hash_vectors(end, y, hashed, nblocks, n);
}

INLINE vec crypt_rest(const struct aes_schedule *aes, unsigned rounds, const uint8_t *end, vec y,
                      vec counters, uint8_t *out, const uint8_t *in, size_t len, struct leftover *left,
                      const enum pass pass)
{
    enum { LAST = NVEC - 1 };
    switch ((len - 1) / VEC) {
    case 0: return crypt_vectors(aes, rounds, end, y, counters, out, in, len, left, 1, pass);
    case 1: return crypt_vectors(aes, rounds, end, y, counters, out, in, len, left, 2, pass);
    case 2: return crypt_vectors(aes, rounds, end, y, counters, out, in, len, left, 3, pass);
    case 3: return crypt_vectors(aes, rounds, end, y, counters, out, in, len, left, 4, pass);
    case 4: return crypt_vectors(aes, rounds, end, y, counters, out, in, len, left, NVEC < 5 ? NVEC : 5, pass);
    case 5: return crypt_vectors(aes, rounds, end, y, counters, out, in, len, left, NVEC < 6 ? NVEC : 6, pass);
    case 6: return crypt_vectors(aes, rounds, end, y, counters, out, in, len, left, NVEC < 7 ? NVEC : 7, pass);
    default: return crypt_vectors(aes, rounds, end, y, counters, out, in, len, left, LAST + 1, pass);
    }
}

/* ---- A whole pass: len > 0 bytes from the first counter on ----------------------------------------------- */

/* As many batches of n vectors as fit; returns the bytes done. */
INLINE size_t crypt_whole_batches(const struct aes_schedule *aes, unsigned rounds, const struct batch_powers *p,
                                  vec *y, vec *counters, uint8_t *out, const uint8_t *in, size_t len,
                                  const unsigned n, const enum pass pass)
{
    const size_t step = n * VEC, nbatches = len / step;
    if (rounds == 14)
        crypt_batches(aes, 14, p, y, counters, out, in, nbatches, n, pass);
    else if (rounds == 12)
        crypt_batches(aes, 12, p, y, counters, out, in, nbatches, n, pass);
    else
        crypt_batches(aes, 10, p, y, counters, out, in, nbatches, n, pass);
    return nbatches * step;
}

/* Large batches have fewer reductions and more to do before they begin. */
INLINE vec crypt_bytes(const struct aes_schedule *aes, unsigned rounds, const struct gf_powers *powers, vec y,
                       vec counters, uint8_t *out, const uint8_t *in, size_t len, struct leftover *left,
                       const enum pass pass)
{
    enum { HALF = NVEC / 2, LARGE = 5 * BATCH, WIPE = GF_POWERS * BLOCK }; /* from there on p may be in use */
    const int hashes = hashes_output(pass) || hashes_input(pass);
    struct batch_powers p;
    const uint8_t *end = hashes ? end_of(powers) : NULL;
    size_t done = 0;

    if (HALF * LANES >= 2 * GF_POWERS && len < LARGE && len >= HALF * VEC) {
        if (hashes)
            end = make_whole_batch(&p, powers, HALF);
        done = crypt_whole_batches(aes, rounds, &p, &y, &counters, out, in, len, HALF, pass);
    } else if (len >= BATCH) {
        if (hashes)
            end = make_whole_batch(&p, powers, NVEC);
        done = crypt_whole_batches(aes, rounds, &p, &y, &counters, out, in, len, NVEC, pass);
    } else if (hashes && BATCH / BLOCK > GF_POWERS && len > GF_POWERS * BLOCK) {
        end = make_batch_powers(&p, powers, (len + BLOCK - 1) / BLOCK);
    }
    if (done != len)
        y = crypt_rest(aes, rounds, end, y, counters, out + done, in + done, len - done, left, pass);
    if (hashes && len >= WIPE)
        secret_wipe(&p, sizeof p);
    return y;
}

/* ---- AES alone ------------------------------------------------------------------------------------------- */

static void expand(struct aes_schedule *aes, const uint8_t *key_bytes, uint32_t rounds)
{
    aes_expand(aes->rk, key_bytes, rounds);
}

static void encrypt_block(const struct aes_schedule *aes, uint32_t rounds, uint8_t out[BLOCK],
                          const uint8_t in[BLOCK])
{
    vec_store1(out, aes_encrypt(aes, rounds, vec_load_halves(in)));
}

static void key_stream(const struct aes_schedule *aes, uint32_t rounds, uint8_t *out, const uint8_t first[BLOCK],
                       size_t len)
{
    struct leftover none;
    crypt_bytes(aes, rounds, NULL, vec_zero(), counters_from(vec_load_halves(first), 0, GCM_ORDER), out, out, len,
                &none, KEY_STREAM);
}

#include "kernel_gcm.h"
#include "kernel_siv.h"

#endif
