/* SPDX-License-Identifier: Apache-2.0
 *
 * The algorithms, once, over vectors of LANES blocks. A tier file defines `vec`, its verbs, LANES and NVEC
 * (vectors in flight), includes this, and lists what it needs in its table. AMID is the AES round of a flight after which
 * it does what needs no result of AES: where there are registers for it that is faster than before the first, which is 0.
 * REGISTERS is how many of a vector's size the CPU has.
 *
 * Verbs: vec_load_n and vec_store_n touch only the first n bytes, vec_keep zeroes all others;
 * vec_load_up and vec_store_up skip the first block of the vector, and n bytes from the second on lie at p; lane 0 is
 * the first block in memory; *1 verbs work on one block, with the other lanes zero; vec_at_lane(v, i) is block 0 of v
 * in lane i and zeros, vec_dup_lane(v, i) has block i of v in all lanes, vec_put_first(v, x) is v with block 0 of x;
 * vec_low_halves(x, i) joins the low halves of blocks 2i and 2i + 1 of x[] in lane 0, whatever the other lanes;
 * vec_join(a, b, k) has the first k lanes of a, then those of b; vec_be_count turns the bytes of each block so that its
 * last four are a 32-bit word, in which vec_be_count_of(n) has n and vec_be_count_first(v) is that of block 0;
 * vec_last_bytes(n) has n in the last byte of each block; vec_counts_after_1(k) is zero but for the last bytes
 * of its blocks, which XORed into a block that ends in 0, 0, 0, 1 make it the k-th and the following counters behind it.
 * vec_dup_low(x) has x in the low halves, whatever the high ones. vec_tie does nothing but keep the compiler from
 * moving what makes its arguments past it.
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
INLINE void forget(const void *p)
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

/* Rounds 0 .. last of n vectors in flight, last <= 9. */
INLINE void aes_first_rounds(const struct aes_schedule *aes, unsigned last, vec *x, const unsigned n)
{
    vec first = round_key(aes, 0);
    UNROLL
    for (unsigned v = 0; v < n; v++)
        x[v] = aes_first(x[v], first);
    UNROLL
    for (unsigned r = 1; r <= last; r++)
        aes_round_of(aes, r, x, n);
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
    aes_first_rounds(aes, 9, x, n);
    aes_last_rounds(aes, rounds, x, text, n);
}

/* The same for a flight whose rounds up to AMID are done. */
INLINE void aes_crypt_from_amid(const struct aes_schedule *aes, unsigned rounds, vec *x, const vec *text,
                                const unsigned n)
{
    UNROLL
    for (unsigned r = AMID + 1; r <= 9; r++)
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

INLINE void counter_batch(vec *x, vec *counters, const unsigned n, const enum order order)
{
    UNROLL
    for (unsigned v = 0; v < n; v++)
        x[v] = next_counters(counters, order);
}

/* The same where many batches follow: while the count's last byte does not wrap, the next block is this one with that
 * byte raised, and no bytes need to be turned. Only GCM on wide vectors has use for it: the others have no register to
 * spare, or turn nothing. */
struct counter_run {
    vec next;     /* as it is; in count_order where there are no runs */
    unsigned low; /* the last byte of the first of them */
};

INLINE int runs(const enum order order) { return LANES == 4 && order == GCM_ORDER; }

INLINE struct counter_run start_counters(vec counters, const enum order order)
{
    if (!runs(order))
        return (struct counter_run){counters, 0};
    return (struct counter_run){count_order(counters, order), vec_be_count_first(counters) % 256};
}

/* From the one after j0 on, without a turn of bytes before the first of them is there. */
INLINE struct counter_run start_counters_after(vec j0, const enum order order)
{
    const vec ones = count_order(vec_add32(vec_lane_numbers(), vec_dup_u32(1)), order);
    struct counter_run run = start_counters(counters_from(j0, 1, order), order);
    if (runs(order) && run.low <= 256 - LANES && run.low != 0)
        run.next = vec_add32(vec_dup0(j0), ones);
    return run;
}

INLINE void run_counters(vec *x, struct counter_run *run, const unsigned n, const enum order order)
{
    const unsigned low = run->low + n * LANES;
    if (!runs(order)) {
        counter_batch(x, &run->next, n, order);
    } else if (low > 256 - LANES) { /* what is next then, too, must not have wrapped */
        vec counters = count_order(run->next, order);
        counter_batch(x, &counters, n, order);
        run->next = count_order(counters, order);
    } else {
        UNROLL
        for (unsigned v = 0; v < n; v++) {
            x[v] = run->next;
            run->next = vec_add32(run->next, vec_last_bytes(LANES));
        }
    }
    run->low = low % 256;
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

/* Lanes are hashed apart: with G = H^LANES in all of them, z = z G + x for each vector x of field elements, and only at
 * the end z times H^LANES .. H^1 adds them up to y. A group is what one reduction is for, n vectors:
 *
 *     z G^n + x[0] G^(n-1) + ... + x[n-2] G + x[n-1]
 *
 * for n up to GROUP by powers that the key has. These are G^n .. G at the end of h[], and the sums of their halves for
 * Karatsuba's product. */
struct group_powers {
    vec h[NVEC], sum[NVEC];
};

INLINE vec group_power(const struct gf_powers *powers, unsigned k) /* G^k, k = 1 .. GROUP */
{
    return vec_dup(end_of(powers) - VEC * k);
}

/* G^(2n) .. G^(n + 1) from low, which has G^n .. G in its lanes, as the returned vector has G^(2n) and so on. */
INLINE vec double_group(struct group_powers *p, vec low, const unsigned n)
{
    vec high = gf_mul(p->h[NVEC - n], low);
    UNROLL
    for (unsigned i = 0; i < n; i++)
        p->h[NVEC - 2 * n + i] = vec_dup_lane(high, i);
    return vec_join(high, low, n);
}

/* The powers of a group of n vectors; those above H^8 are made here. */
INLINE void make_group_powers(struct group_powers *p, const struct gf_powers *powers, const unsigned n)
{
    UNROLL
    for (unsigned k = 1; k <= (GROUP < n ? GROUP : n); k++)
        p->h[NVEC - k] = group_power(powers, k);
    if (n > GROUP) {
        vec low = double_group(p, vec_join(p->h[NVEC - 2], p->h[NVEC - 1], 1), 2);
        if (n > 2 * GROUP)
            double_group(p, low, 4);
    }
    UNROLL
    for (unsigned v = NVEC - n; v < NVEC; v++)
        p->sum[v] = vec_xor(p->h[v], vec_swap64(p->h[v]));
}

/* The v-th summand of a group of n vectors, of which z is the first. */
INLINE void add_to_group(struct gf_sum *s, vec x, const struct group_powers *p, unsigned v, const unsigned n)
{
    const unsigned i = NVEC - n + v;
    if (v == 0)
        *s = (struct gf_sum){vec_zero(), vec_zero(), vec_zero()};
    gf_add_product_karatsuba(s, x, p->h[i], p->sum[i]);
}

/* The last summand has no factor. Returns z. */
INLINE vec end_group(struct gf_sum *s, vec last)
{
    gf_karatsuba_end(s);
    return vec_xor(gf_reduce(*s), last);
}

/* z after blocks[0 .. n). */
INLINE vec hash_batch(vec z, const vec *blocks, const struct group_powers *p, const unsigned n,
                      const enum order order)
{
    struct gf_sum s;
    add_to_group(&s, z, p, 0, n);
    UNROLL
    for (unsigned v = 1; v < n; v++)
        add_to_group(&s, reorder(blocks[v - 1], order), p, v, n);
    return end_group(&s, reorder(blocks[n - 1], order));
}

INLINE vec add_lanes_up(const struct gf_powers *powers, vec z)
{
    return vec_sum_lanes(gf_mul(z, powers_from(end_of(powers), LANES)));
}

/* z after x[0 .. n), n = 1 to GROUP, by the powers of the key. */
INLINE vec absorb_group(const struct gf_powers *powers, vec z, const vec *x, const unsigned n)
{
    struct gf_sum s = gf_product(z, group_power(powers, n));
    UNROLL
    for (unsigned v = 1; v < n; v++)
        gf_add_product(&s, x[v - 1], group_power(powers, n - v));
    return vec_xor(gf_reduce(s), x[n - 1]);
}

/* The same for any n. */
INLINE vec absorb_vectors(const struct gf_powers *powers, vec z, const vec *x, const unsigned n)
{
    if (n % GROUP != 0)
        z = absorb_group(powers, z, x, n % GROUP);
    UNROLL
    for (unsigned v = n % GROUP; v < n; v += GROUP)
        z = absorb_group(powers, z, x + v, GROUP);
    return z;
}

/* y after the field elements of x[0 .. n), n <= GROUP + 1; the last vector has `last` of them, 0 to LANES, with zeros
 * behind; and after one more, *closing, if there is one. All together they are at most 8 + LANES: the key has powers for
 * 8, and those of one vector more are made here, while AES is still busy. */
INLINE vec hash_end(const struct gf_powers *powers, const vec *x, size_t last, const unsigned n, const vec *closing)
{
    const uint8_t *h = end_of(powers) - BLOCK * (LANES * (n - 1) + last + (closing != NULL));
    vec first = n <= GROUP ? vec_load(h) : gf_mul(vec_load(h + VEC), group_power(powers, 1));
    struct gf_sum s = {first, first, first};
    UNROLL
    for (unsigned v = 0; v < n; v++) {
        vec b = x[v];
        if (LANES > 1 && v == n - 1 && closing != NULL && last < LANES)
            b = vec_xor(b, vec_at_lane(*closing, last));
        if (v == 0)
            s = gf_product(b, first);
        else
            gf_add_product(&s, b, vec_load(h + VEC * v));
    }
    if (closing != NULL && last == LANES)
        gf_add_product(&s, *closing, power(powers, 1));
    return vec_sum_lanes(gf_reduce(s));
}

/* The same for any number of vectors: groups come first, of which a last one of a single vector is not worth it. */
INLINE vec hash_vectors(const struct gf_powers *powers, const vec *x, size_t last, const unsigned nvec,
                        const vec *closing)
{
    const unsigned n = nvec <= GROUP ? nvec : GROUP == 2 && nvec % 2 == 0 ? GROUP : GROUP + 1;
    vec end[GROUP + 1];
    end[0] = absorb_vectors(powers, x[0], x + 1, nvec - n);
    UNROLL
    for (unsigned v = 1; v < n; v++)
        end[v] = x[nvec - n + v];
    if (closing == NULL || n < GROUP || last < LANES)
        return hash_end(powers, end, last, n, closing);
    /* one more than there are powers for */
    const unsigned more = n - GROUP + 1;
    end[0] = absorb_vectors(powers, end[0], end + 1, more);
    UNROLL
    for (unsigned v = 1; v < GROUP - 1; v++)
        end[v] = end[v + more];
    return hash_end(powers, end, LANES, GROUP - 1, closing);
}

/* y after in[0 .. len), the last block zero padded; powers up to the number of blocks or H^8 are there. */
INLINE vec hash_bytes(const struct gf_powers *powers, vec y, const uint8_t *in, size_t len,
                      const enum order order)
{
    enum { GROUP_BYTES = GF_POWERS * BLOCK };
    if (len >= 2 * BATCH) {
        struct group_powers p;
        vec z = vec_zero();
        make_group_powers(&p, powers, NVEC);
        for (; len >= BATCH; len -= BATCH, in += BATCH) {
            vec x[NVEC];
            UNROLL
            for (unsigned v = 0; v < NVEC; v++)
                x[v] = vec_load(in + VEC * v);
            x[0] = vec_xor(x[0], reorder(y, order));
            z = hash_batch(z, x, &p, NVEC, order);
            y = vec_zero();
        }
        y = add_lanes_up(powers, z);
    }
    while (len != 0) {
        const size_t group = len < GROUP_BYTES ? len : GROUP_BYTES, last = (group - 1) / VEC;
        const uint8_t *h = end_of(powers) - (group + BLOCK - 1) / BLOCK * BLOCK;
        struct gf_sum s = {vec_zero(), vec_zero(), vec_zero()};
        for (size_t v = 0; v <= last; v++, h += VEC) {
            vec x = reorder(v == last ? vec_load_n(in + VEC * v, group - VEC * v) : vec_load(in + VEC * v), order);
            gf_add_product(&s, vec_xor(x, y), vec_load(h));
            y = vec_zero();
        }
        y = vec_sum_lanes(gf_reduce(s));
        in += group;
        len -= group;
    }
    return y;
}

INLINE void load_text(vec *text, const uint8_t *in, const unsigned n, const enum pass pass)
{
    UNROLL
    for (unsigned v = 0; v < n; v++)
        text[v] = has_input(pass) ? vec_load(in + VEC * v) : vec_zero();
}

/* n vectors, the last one of last_len bytes. */
INLINE void load_text_end(vec *text, const uint8_t *in, size_t last_len, const unsigned n, const enum pass pass)
{
    load_text(text, in, n - 1, pass);
    text[n - 1] = has_input(pass) ? vec_load_n(in + VEC * (n - 1), last_len) : vec_zero();
}

/* ---- The stitched bulk loop ----------------------------------------------------------------------------- */

/* x[] = E(K, x[]) + text[] for n vectors, and in the gaps between its rounds z absorbs hashed[0 .. m), m <= 8, in groups
 * of g. */
INLINE void stitched_batch(const struct aes_schedule *aes, const unsigned rounds, vec *x, const vec *text, vec *z,
                           const vec *hashed, const struct group_powers *p, const unsigned n, const unsigned m,
                           const unsigned g, const enum order order)
{
    struct gf_sum s;
    vec first = round_key(aes, 0);
    unsigned v = 0; /* products so far, one in 8 / m rounds */

    UNROLL
    for (unsigned i = 0; i < n; i++)
        x[i] = aes_first(x[i], first);
    UNROLL
    for (unsigned r = 1; r <= 9; r++) {
        aes_round_of(aes, r, x, n);
        if (v < m && 8 * v <= m * (r - 1)) {
            add_to_group(&s, v % g == 0 ? *z : reorder(hashed[v - 1], order), p, v % g, g);
            if (v % g == g - 1 && v != m - 1)
                *z = end_group(&s, reorder(hashed[v], order));
            v++;
        }
        vec_tie(&x[0], &s.mid);
    }
    *z = end_group(&s, reorder(hashed[m - 1], order));
    aes_last_rounds(aes, rounds, x, text, n);
}

INLINE void store_batch(uint8_t *out, const vec *x, const unsigned n)
{
    UNROLL
    for (unsigned v = 0; v < n; v++)
        vec_store(out + VEC * v, x[v]);
}

/* nbatches >= 1 of n vectors, each a group that *p is for; z after them, y before. What is hashed is the input as it
 * comes, or the output one batch late. */
INLINE vec crypt_batches(const struct aes_schedule *aes, const unsigned rounds, const struct group_powers *p, vec y,
                         vec counters, uint8_t *out, const uint8_t *in, size_t nbatches, const unsigned n,
                         const enum pass pass)
{
    const enum order order = order_of(pass);
    const size_t step = n * VEC;
    vec x[NVEC], text[NVEC], hashed[NVEC], z = vec_zero();
    struct counter_run run = start_counters(counters, order);

    y = reorder(y, order);
    if (!hashes_input(pass)) {
        run_counters(x, &run, n, order);
        load_text(text, in, n, pass);
        aes_crypt(aes, rounds, x, text, n);
        store_batch(out, x, n);
        nbatches--;
        in += step;
        out += step;
        x[0] = vec_xor(x[0], y);
    }
    for (; nbatches != 0; nbatches--, in += step, out += step) {
        load_text(text, in, n, pass);
        UNROLL
        for (unsigned v = 0; v < n; v++)
            hashed[v] = hashes_input(pass) ? text[v] : x[v];
        if (hashes_input(pass)) {
            hashed[0] = vec_xor(hashed[0], y);
            y = vec_zero();
        }
        run_counters(x, &run, n, order);
        if (hashes_output(pass) || hashes_input(pass))
            stitched_batch(aes, rounds, x, text, &z, hashed, p, n, n, n, order);
        else
            aes_crypt(aes, rounds, x, text, n);
        store_batch(out, x, n);
    }
    if (hashes_output(pass))
        z = hash_batch(z, x, p, n, order);
    return z;
}

/* ---- The rest: 1 to BATCH - 1 bytes --------------------------------------------------------------------- */

/* What a pass leaves of its last block when that is partial and the message goes on. */
struct leftover {
    vec sealed, key_stream;
};

/* The last vector as it was sealed, before and after its key stream; of its len bytes, some are in a partial block. */
INLINE void leave_part(struct leftover *left, vec sealed, vec x, vec text, size_t len)
{
    left->sealed = vec_keep(vec_lane(sealed, len / BLOCK), len % BLOCK);
    left->key_stream = vec_lane(vec_xor(x, text), len / BLOCK);
}

/* How a pass ends: the message goes on, and a partial block is left; or it closes with a last block for the hash. */
struct ending {
    struct leftover *left;
    const vec *closing;
};

/* With few registers, opening hashes many vectors before AES and loads them anew: otherwise gcc lays blocks of round 8
 * on the stack, and one of those and the key stream that it becomes give an AES-128 key away. */
INLINE int hashes_first(const enum pass pass, const unsigned n)
{
    return REGISTERS == 16 && hashes_input(pass) && n >= 6;
}

/* What the hash is after n vectors, of which hashed_len bytes of the last one count. */
INLINE vec hash_rest(const struct gf_powers *powers, vec y, const vec *z, const vec *sealed, size_t hashed_len,
                     const vec *closing, const unsigned n, const enum order order)
{
    const unsigned first = z != NULL;
    vec hashed[NVEC + 1];
    if (z != NULL)
        hashed[0] = *z;
    UNROLL
    for (unsigned v = 0; v < n; v++)
        hashed[first + v] = reorder(v == n - 1 ? vec_keep(sealed[v], hashed_len) : sealed[v], order);
    if (z == NULL) {
        if (closing == NULL && n == 1 && hashed_len == 0)
            return y;
        hashed[0] = vec_xor(hashed[0], y);
    }
    return hash_vectors(powers, hashed, (hashed_len + BLOCK - 1) / BLOCK, first + n, closing);
}

/* n vectors, the last one maybe partial; before them the hash is y, or what *z makes it, if there is one: then n may be
 * 0. */
INLINE vec crypt_vectors(const struct aes_schedule *aes, unsigned rounds, const struct gf_powers *powers, vec y,
                         const vec *z, vec counters, uint8_t *out, const uint8_t *in, size_t len, struct ending ending,
                         const unsigned n, const enum pass pass)
{
    const enum order order = order_of(pass);
    const size_t last_len = n == 0 ? VEC : len - VEC * (n - 1), part = last_len % BLOCK;
    const int keeps_part = ending.left != NULL && part != 0;
    const size_t hashed_len = keeps_part ? last_len - part : last_len;
    vec x[NVEC], text[NVEC];

    if (hashes_first(pass, n)) {
        load_text_end(text, in, last_len, n, pass);
        y = hash_rest(powers, y, z, text, hashed_len, ending.closing, n, order);
        forget(in);
    }
    if (n != 0) {
        counter_batch(x, &counters, n, order);
        load_text_end(text, in, last_len, n, pass);
        aes_crypt(aes, rounds, x, text, n);
        store_batch(out, x, n - 1);
        vec_store_n(out + VEC * (n - 1), x[n - 1], last_len);
    }
    if (!hashes_output(pass) && !hashes_input(pass))
        return y;
    const vec *source = hashes_output(pass) ? x : text;
    if (keeps_part)
        leave_part(ending.left, source[n - 1], x[n - 1], text[n - 1], last_len);
    return hashes_first(pass, n) ? y : hash_rest(powers, y, z, source, hashed_len, ending.closing, n, order);
}

INLINE vec crypt_rest(const struct aes_schedule *aes, unsigned rounds, const struct gf_powers *powers, vec y,
                      const vec *z, vec counters, uint8_t *out, const uint8_t *in, size_t len, struct ending ending,
                      const enum pass pass)
{
    if (z != NULL && len == 0)
        return crypt_vectors(aes, rounds, powers, y, z, counters, out, in, len, ending, 0, pass);
    switch ((len - 1) / VEC + 1) {
    case 1: return crypt_vectors(aes, rounds, powers, y, z, counters, out, in, len, ending, 1, pass);
    case 2: return crypt_vectors(aes, rounds, powers, y, z, counters, out, in, len, ending, 2, pass);
    case 3: return crypt_vectors(aes, rounds, powers, y, z, counters, out, in, len, ending, 3, pass);
    case 4: return crypt_vectors(aes, rounds, powers, y, z, counters, out, in, len, ending, 4, pass);
    case 5: return crypt_vectors(aes, rounds, powers, y, z, counters, out, in, len, ending, NVEC < 5 ? NVEC : 5, pass);
    case 6: return crypt_vectors(aes, rounds, powers, y, z, counters, out, in, len, ending, NVEC < 6 ? NVEC : 6, pass);
    case 7: return crypt_vectors(aes, rounds, powers, y, z, counters, out, in, len, ending, NVEC < 7 ? NVEC : 7, pass);
    default: return crypt_vectors(aes, rounds, powers, y, z, counters, out, in, len, ending, NVEC, pass);
    }
}

/* ---- A whole pass: len > 0 bytes from the first counter on ----------------------------------------------- */

/* As many batches of n vectors as fit. */
INLINE vec crypt_whole_batches(const struct aes_schedule *aes, unsigned rounds, const struct group_powers *p, vec y,
                               vec counters, uint8_t *out, const uint8_t *in, size_t len, const unsigned n,
                               const enum pass pass)
{
    const size_t nbatches = len / (n * VEC);
    if (rounds == 14)
        return crypt_batches(aes, 14, p, y, counters, out, in, nbatches, n, pass);
    if (rounds == 12)
        return crypt_batches(aes, 12, p, y, counters, out, in, nbatches, n, pass);
    return crypt_batches(aes, 10, p, y, counters, out, in, nbatches, n, pass);
}

/* Large groups have fewer reductions and more to do before they begin. */
enum { SMALL = (NVEC == GF_POWERS / LANES ? NVEC : NVEC / 2) * VEC, LARGE = 3 * BATCH };

/* How much of len bytes goes in batches. */
INLINE size_t len_in_batches(size_t len)
{
    return len >= LARGE ? len / BATCH * BATCH : len / SMALL * SMALL;
}

INLINE vec crypt_batches_of(const struct aes_schedule *aes, unsigned rounds, const struct gf_powers *powers, vec y,
                            vec counters, uint8_t *out, const uint8_t *in, size_t len, const unsigned n,
                            const enum pass pass)
{
    struct group_powers p;
    if (hashes_output(pass) || hashes_input(pass))
        make_group_powers(&p, powers, n);
    return crypt_whole_batches(aes, rounds, &p, y, counters, out, in, len, n, pass);
}

/* The batches of len >= SMALL bytes; z after them. */
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
    const int hashes = hashes_output(pass) || hashes_input(pass);
    if (done != 0) {
        vec z = crypt_all_batches(aes, rounds, powers, y, counters, out, in, len, pass);
        if (hashes && done == len && ending.closing != NULL)
            return hash_end(powers, &z, LANES, 1, ending.closing);
        if (hashes)
            y = add_lanes_up(powers, z);
        if (done == len)
            return y;
    }
    counters = vec_add32(counters, count_of((uint32_t)(done / BLOCK), order_of(pass)));
    return crypt_rest(aes, rounds, powers, y, NULL, counters, out + done, in + done, len - done, ending, pass);
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
