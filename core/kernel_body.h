/* SPDX-License-Identifier: Apache-2.0
 *
 * The algorithms, once, over vectors of LANES blocks. A tier file defines `vec`, its verbs, LANES and NVEC
 * (vectors in flight), includes this, and lists what it needs in its table.
 *
 * Verbs: vec_load_n and vec_store_n touch only the first n bytes, vec_keep zeroes all others;
 * vec_load_up and vec_store_up skip the first block of the vector, and n bytes from the second on lie at p; lane 0 is
 * the first block in memory; *1 verbs work on one block, with the other lanes zero; vec_at_lane(v, i) is block 0 of v
 * in lane i and zeros, vec_put_first(v, x) is v with block 0 of x; vec_low_halves(x, i) joins the low halves of blocks
 * 2i and 2i + 1 of x[] in lane 0, whatever the other lanes; vec_join(a, b, k) has the first k lanes of a, then those
 * of b; vec_be_count turns the bytes of each block so that its last four are a 32-bit word, in which
 * vec_be_count_of(n) has n. vec_tie does nothing but keep the compiler from moving what makes its arguments past it.
 */
#ifndef HWAEAD_CORE_KERNEL_BODY_H
#define HWAEAD_CORE_KERNEL_BODY_H

#include "gf128.h"

enum { VEC = LANES * BLOCK, BATCH = NVEC * VEC, GROUP = GF_POWERS / LANES, FLIGHT = 9 };

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

/* What was loaded from *p is loaded again from here on: round keys that the compiler would keep for a second use, it
 * keeps on the stack. */
INLINE void forget(void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

/* Round r of n vectors in flight. */
INLINE void aes_round_of(const struct aes_schedule *aes, unsigned r, vec *x, const unsigned n)
{
    vec k_prev = round_key(aes, r - 1), k = round_key(aes, r);
    UNROLL
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
    UNROLL
    for (unsigned v = 0; v < n; v++)
        x[v] = aes_last(x[v], k_prev, vec_xor(last, text[v]));
}

/* x[v] = E(K, x[v]) + text[v] for n vectors in flight. */
INLINE void aes_crypt(const struct aes_schedule *aes, unsigned rounds, vec *x, const vec *text, const unsigned n)
{
    vec first = round_key(aes, 0);
    UNROLL
    for (unsigned v = 0; v < n; v++)
        x[v] = aes_first(x[v], first);
    UNROLL
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

/* A counter block as 32-bit words of which one is the count, and back. */
INLINE vec count_order(vec v, const enum order order)
{
    return order == GCM_ORDER ? vec_be_count(v) : v;
}

/* n in the place of the count. */
INLINE vec count_of(uint32_t n, const enum order order)
{
    return order == GCM_ORDER ? vec_be_count_of(n) : vec_dup_u32(n);
}

/* The counters `skip` and more after block, kept in count_order. */
INLINE vec counters_from(vec block, uint32_t skip, const enum order order)
{
    return vec_add32(count_order(vec_dup0(block), order), vec_add32(vec_lane_numbers(), count_of(skip, order)));
}

INLINE vec next_counters(vec *counters, const enum order order)
{
    vec block = count_order(*counters, order);
    *counters = vec_add32(*counters, count_of(LANES, order));
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
    vec p[GROUP];
    for (unsigned k = 1; k < LANES; k *= 2)
        h = vec_join(gf_mul(h, vec_dup0(h)), h, k);
    p[GROUP - 1] = h;
    for (unsigned n = 1; n < GROUP; n *= 2)
        UNROLL
        for (unsigned v = 0; v < n; v++)
            p[GROUP - 2 * n + v] = gf_mul(p[GROUP - n + v], vec_dup0(p[GROUP - n]));
    UNROLL
    for (unsigned v = 0; v < GROUP; v++)
        vec_store(powers->h + VEC * v, p[v]);
}

/* A group is what one reduction is for: GROUP vectors, which the powers of the key suffice for, or more. These are
 * the powers of one, highest first, at the end of h[], and the sums of their halves for Karatsuba's product. */
struct group_powers {
    vec h[NVEC], sum[NVEC];
};

/* The powers of a group of n >= GROUP vectors; those above H^8 are made here. */
INLINE void make_group_powers(struct group_powers *p, const struct gf_powers *powers, const unsigned n)
{
    vec *last = p->h + NVEC - GROUP;
    UNROLL
    for (unsigned v = 0; v < GROUP; v++)
        last[v] = powers_from(end_of(powers), GF_POWERS - v * LANES);
    vec h8 = vec_dup0(last[0]);
    UNROLL
    for (unsigned have = GROUP; have < n; have += GROUP)
        UNROLL
        for (unsigned v = 0; v < GROUP; v++)
            p->h[NVEC - have - GROUP + v] = gf_mul(p->h[NVEC - have + v], h8);
    UNROLL
    for (unsigned v = NVEC - n; v < NVEC; v++)
        p->sum[v] = vec_xor(p->h[v], vec_swap64(p->h[v]));
}

/* The v-th vector of a group of n; y goes in with the first. */
INLINE void add_to_group(struct gf_sum *s, vec x, vec y, const struct group_powers *p, unsigned v, const unsigned n)
{
    const unsigned i = NVEC - n + v;
    if (v == 0) {
        *s = (struct gf_sum){vec_zero(), vec_zero(), vec_zero()};
        x = vec_xor(x, y);
    }
    gf_add_product_karatsuba(s, x, p->h[i], p->sum[i]);
}

INLINE vec end_group(struct gf_sum *s)
{
    gf_karatsuba_end(s);
    return vec_sum_lanes(gf_reduce(*s));
}

/* Those above H^8 are not in the key, and are kept from lying about. */
INLINE void wipe_group_powers(struct group_powers *p, const unsigned n)
{
    UNROLL
    for (unsigned v = NVEC - n; v < NVEC; v++)
        p->h[v] = p->sum[v] = vec_zero();
    __asm__ volatile("" : : "r"(p) : "memory");
}

INLINE vec hash_batch(vec y, const vec *blocks, const struct group_powers *p, const unsigned n,
                      const enum order order)
{
    struct gf_sum s;
    UNROLL
    for (unsigned v = 0; v < n; v++)
        add_to_group(&s, reorder(blocks[v], order), y, p, v, n);
    return end_group(&s);
}

/* y after n >= 1 field elements in x[0 .. nvec), whose lanes past the n-th are zero, and after one more, *closing,
 * if there is one. */
INLINE vec hash_vectors(const struct gf_powers *powers, vec y, const vec *x, size_t n, const unsigned nvec,
                        const vec *closing)
{
    const unsigned whole = (nvec - 1) / GROUP * GROUP; /* vectors in groups that are full for sure */
    struct gf_sum s;
    UNROLL
    for (unsigned v = 0; v < whole; v++) {
        vec h = powers_from(end_of(powers), GF_POWERS - v % GROUP * LANES);
        if (v % GROUP == 0)
            s = gf_product(vec_xor(x[v], y), h);
        else
            gf_add_product(&s, x[v], h);
        if (v % GROUP == GROUP - 1)
            y = vec_sum_lanes(gf_reduce(s));
    }
    n -= whole * LANES;
    if (closing == NULL && n == 0)
        return y;

    const int apart = nvec % GROUP == 0 && n == GF_POWERS; /* no power is left for *closing */
    const uint8_t *h = end_of(powers) - BLOCK * (n + (closing != NULL && !apart));
    UNROLL
    for (unsigned v = whole; v < nvec; v++, h += VEC) {
        vec b = x[v];
        if (v == nvec - 1 && closing != NULL && n / LANES < nvec - whole)
            b = vec_xor(b, vec_at_lane(*closing, n % LANES));
        if (v == whole)
            s = gf_product(vec_xor(b, y), vec_load(h));
        else
            gf_add_product(&s, b, vec_load(h));
    }
    if (closing != NULL && n / LANES == nvec - whole) {
        if (apart)
            s = gf_product(vec_xor(vec_sum_lanes(gf_reduce(s)), *closing), power(powers, 1));
        else
            gf_add_product(&s, *closing, power(powers, 1));
    }
    return vec_sum_lanes(gf_reduce(s));
}

/* y after n field elements, at most a group. */
INLINE vec hash_some(const uint8_t *end, vec y, const vec *x, size_t n)
{
    struct gf_sum s = gf_product(vec_xor(x[0], y), powers_from(end, n));
    UNROLL
    for (unsigned v = 1; v < GROUP; v++) {
        if (v * LANES >= n)
            break;
        gf_add_product(&s, x[v], powers_from(end, n - v * LANES));
    }
    return vec_sum_lanes(gf_reduce(s));
}

INLINE void load_text(vec *text, const uint8_t *in, const unsigned n, const enum pass pass)
{
    UNROLL
    for (unsigned v = 0; v < n; v++)
        text[v] = has_input(pass) ? vec_load(in + VEC * v) : vec_zero();
}

/* y after in[0 .. len), the last block zero padded; powers up to the number of blocks or H^8 are there. */
INLINE vec hash_bytes(const struct gf_powers *powers, vec y, const uint8_t *in, size_t len,
                      const enum order order)
{
    enum { GROUP_BYTES = GF_POWERS * BLOCK };
    if (len >= 2 * BATCH) {
        struct group_powers p;
        make_group_powers(&p, powers, NVEC);
        for (; len >= BATCH; len -= BATCH, in += BATCH) {
            vec x[NVEC];
            UNROLL
            for (unsigned v = 0; v < NVEC; v++)
                x[v] = vec_load(in + VEC * v);
            y = hash_batch(y, x, &p, NVEC, order);
        }
        wipe_group_powers(&p, NVEC);
    }
    while (len != 0) {
        const size_t group = len < GROUP_BYTES ? len : GROUP_BYTES, last = (group - 1) / VEC;
        vec x[GROUP];
        for (size_t v = 0; v < last; v++)
            x[v] = reorder(vec_load(in + VEC * v), order);
        x[last] = reorder(vec_load_n(in + VEC * last, group - VEC * last), order);
        y = hash_some(end_of(powers), y, x, (group + BLOCK - 1) / BLOCK);
        in += group;
        len -= group;
    }
    return y;
}

/* ---- The stitched bulk loop ----------------------------------------------------------------------------- */

/* x[] = E(K, x[]) + text[] for n = 4 or 8 vectors, and in the gaps between its rounds y absorbs hashed[]. */
INLINE void stitched_batch(const struct aes_schedule *aes, const unsigned rounds, vec *x, const vec *text, vec *y,
                           const vec *hashed, const struct group_powers *p, const unsigned n,
                           const enum order order)
{
    const unsigned stride = 8 / n; /* rounds from one product to the next */
    struct gf_sum s;
    vec first = round_key(aes, 0);

    UNROLL
    for (unsigned v = 0; v < n; v++)
        x[v] = aes_first(x[v], first);
    UNROLL
    for (unsigned r = 1; r <= 9; r++) {
        aes_round_of(aes, r, x, n);
        if (r < 9 && (r - 1) % stride == 0) {
            const unsigned v = (r - 1) / stride;
            add_to_group(&s, reorder(hashed[v], order), *y, p, v, n);
        }
        vec_tie(&x[0], &s.mid);
    }
    *y = end_group(&s);
    aes_last_rounds(aes, rounds, x, text, n);
}

INLINE void store_batch(uint8_t *out, const vec *x, const unsigned n)
{
    UNROLL
    for (unsigned v = 0; v < n; v++)
        vec_store(out + VEC * v, x[v]);
}

INLINE void counter_batch(vec *x, vec *counters, const unsigned n, const enum order order)
{
    UNROLL
    for (unsigned v = 0; v < n; v++)
        x[v] = next_counters(counters, order);
}

/* nbatches >= 1 of n vectors, each a group that *p is for. What is hashed is the input as it comes, or the output
 * one batch late. */
INLINE void crypt_batches(const struct aes_schedule *aes, const unsigned rounds, const struct group_powers *p,
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
        UNROLL
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

/* What a pass leaves of its last block when that is partial and the message goes on. */
struct leftover {
    vec sealed, key_stream;
};

/* How a pass ends: the message goes on, and a partial block is left; or it closes with a last block for the hash. */
struct ending {
    struct leftover *left;
    const vec *closing;
};

/* n vectors, the last one maybe partial. */
INLINE vec crypt_vectors(const struct aes_schedule *aes, unsigned rounds, const struct gf_powers *powers, vec y,
                         vec counters, uint8_t *out, const uint8_t *in, size_t len, struct ending ending,
                         const unsigned n, const enum pass pass)
{
    const enum order order = order_of(pass);
    const size_t last_len = len - VEC * (n - 1), part = last_len % BLOCK;
    const int keeps_part = ending.left != NULL && part != 0;
    const size_t hashed_len = keeps_part ? last_len - part : last_len;
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
    UNROLL
    for (unsigned v = 0; v < n - 1; v++)
        hashed[v] = reorder(source[v], order);
    hashed[n - 1] = reorder(vec_keep(source[n - 1], hashed_len), order);
    if (keeps_part) {
        ending.left->sealed = vec_keep(vec_lane(source[n - 1], last_len / BLOCK), part);
        ending.left->key_stream = vec_lane(vec_xor(x[n - 1], text[n - 1]), last_len / BLOCK);
    }
    size_t nblocks = (VEC * (n - 1) + hashed_len + BLOCK - 1) / BLOCK;
    return hash_vectors(powers, y, hashed, nblocks, n, ending.closing);
}

INLINE vec crypt_rest(const struct aes_schedule *aes, unsigned rounds, const struct gf_powers *powers, vec y,
                      vec counters, uint8_t *out, const uint8_t *in, size_t len, struct ending ending,
                      const enum pass pass)
{
    enum { LAST = NVEC - 1 };
    switch ((len - 1) / VEC) {
    case 0: return crypt_vectors(aes, rounds, powers, y, counters, out, in, len, ending, 1, pass);
    case 1: return crypt_vectors(aes, rounds, powers, y, counters, out, in, len, ending, 2, pass);
    case 2: return crypt_vectors(aes, rounds, powers, y, counters, out, in, len, ending, 3, pass);
    case 3: return crypt_vectors(aes, rounds, powers, y, counters, out, in, len, ending, 4, pass);
    case 4: return crypt_vectors(aes, rounds, powers, y, counters, out, in, len, ending, NVEC < 5 ? NVEC : 5, pass);
    case 5: return crypt_vectors(aes, rounds, powers, y, counters, out, in, len, ending, NVEC < 6 ? NVEC : 6, pass);
    case 6: return crypt_vectors(aes, rounds, powers, y, counters, out, in, len, ending, NVEC < 7 ? NVEC : 7, pass);
    default: return crypt_vectors(aes, rounds, powers, y, counters, out, in, len, ending, LAST + 1, pass);
    }
}

/* ---- A whole pass: len > 0 bytes from the first counter on ----------------------------------------------- */

/* As many batches of n vectors as fit. */
INLINE void crypt_whole_batches(const struct aes_schedule *aes, unsigned rounds, const struct group_powers *p,
                                vec *y, vec *counters, uint8_t *out, const uint8_t *in, size_t len,
                                const unsigned n, const enum pass pass)
{
    const size_t nbatches = len / (n * VEC);
    if (rounds == 14)
        crypt_batches(aes, 14, p, y, counters, out, in, nbatches, n, pass);
    else if (rounds == 12)
        crypt_batches(aes, 12, p, y, counters, out, in, nbatches, n, pass);
    else
        crypt_batches(aes, 10, p, y, counters, out, in, nbatches, n, pass);
}

/* Large groups have fewer reductions and more to do before they begin. */
enum { SMALL = (NVEC == GF_POWERS / LANES ? NVEC : NVEC / 2) * VEC, LARGE = 5 * BATCH };

/* How much of len bytes goes in batches. */
INLINE size_t len_in_batches(size_t len)
{
    return len >= LARGE ? len / BATCH * BATCH : len / SMALL * SMALL;
}

INLINE vec crypt_batches_of(const struct aes_schedule *aes, unsigned rounds, const struct gf_powers *powers, vec y,
                            vec counters, uint8_t *out, const uint8_t *in, size_t len, const unsigned n,
                            const enum pass pass)
{
    const int hashes = hashes_output(pass) || hashes_input(pass);
    struct group_powers p;
    if (hashes)
        make_group_powers(&p, powers, n);
    crypt_whole_batches(aes, rounds, &p, &y, &counters, out, in, len, n, pass);
    if (hashes && n > GROUP)
        wipe_group_powers(&p, n);
    return y;
}

/* The batches of len >= SMALL bytes; y after them. */
INLINE vec crypt_all_batches(const struct aes_schedule *aes, unsigned rounds, const struct gf_powers *powers, vec y,
                             vec counters, uint8_t *out, const uint8_t *in, size_t len, const enum pass pass)
{
    if ((int)SMALL != (int)BATCH && len >= LARGE)
        return crypt_batches_of(aes, rounds, powers, y, counters, out, in, len, NVEC, pass);
    return crypt_batches_of(aes, rounds, powers, y, counters, out, in, len, SMALL / VEC, pass);
}

INLINE vec crypt_bytes(const struct aes_schedule *aes, unsigned rounds, const struct gf_powers *powers, vec y,
                       vec counters, uint8_t *out, const uint8_t *in, size_t len, struct ending ending,
                       const enum pass pass)
{
    const size_t done = len_in_batches(len);
    if (done != 0)
        y = crypt_all_batches(aes, rounds, powers, y, counters, out, in, len, pass);
    if (done != len)
        return crypt_rest(aes, rounds, powers, y, vec_add32(counters, count_of((uint32_t)(done / BLOCK), order_of(pass))),
                          out + done, in + done, len - done, ending, pass);
    return ending.closing != NULL ? gf_mul(vec_xor(y, *ending.closing), power(powers, 1)) : y;
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
    crypt_bytes(aes, rounds, NULL, vec_zero(), counters_from(vec_load_halves(first), 0, GCM_ORDER), out, out, len,
                (struct ending){NULL, NULL}, KEY_STREAM);
}

#include "kernel_gcm.h"
#include "kernel_siv.h"

#endif
