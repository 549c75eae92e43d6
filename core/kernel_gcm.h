/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM's entries of the kernel table (kernel.h says what each does).
 */
#ifndef HWAEAD_CORE_KERNEL_GCM_H
#define HWAEAD_CORE_KERNEL_GCM_H

#include "gcm.h"

/* H' = E(K, 0) made ready by gf128.h (6), and its powers. */
static void gcm_setup_key(struct gcm_key *key, const uint8_t *key_bytes)
{
    aes_expand(key->aes.rk, key_bytes, key->rounds);
    vec h = aes_encrypt(&key->aes, key->rounds, vec_zero());
    h = gf_mul(vec_byterev(h), vec_u64x2(GF_X129_LO, GF_X129_HI));
    fill_powers(&key->powers, h);
}

static void gcm_ghash(const struct gf_powers *powers, uint8_t y[BLOCK], const uint8_t *in, size_t len)
{
    vec_store1(y, hash_bytes(powers, vec_load1(y), in, len, GCM_ORDER));
}

/* The lengths in bits that close the hash. */
INLINE vec gcm_lengths(uint64_t aad_len, uint64_t text_len)
{
    return vec_u64x2(8 * text_len, 8 * aad_len);
}

/* ---- One flight ------------------------------------------------------------------------------------------ */

/* J0 is of a nonce of 12 bytes, or any block. The ciphertext is copied to `copy`, too, if there is one, with zeros for
 * J0 and behind. */
struct manner {
    int usual_nonce;
    uint8_t *copy;
};

INLINE void gcm_counters(vec *x, vec j0, const struct manner *manner, const unsigned n)
{
    vec counters = counters_from(j0, 0, GCM_ORDER);
    if (manner->usual_nonce) {
        UNROLL
        for (unsigned v = 0; v < n; v++)
            x[v] = vec_xor(vec_dup0(j0), vec_counts_after_1(LANES * v));
        return;
    }
    counter_batch(x, &counters, n, GCM_ORDER);
}

/* The hash of n vectors of ciphertext, the last of which has last_len bytes; in the place of J0 is an aad block, maybe
 * zero. */
INLINE vec gcm_hash_flight(const struct gcm_key *key, vec aad, const vec *sealed, size_t last_len, uint8_t *copy,
                           const vec *closing, const unsigned n)
{
    vec x[FLIGHT];
    UNROLL
    for (unsigned v = 0; v < n; v++)
        x[v] = v == n - 1 ? vec_keep(sealed[v], last_len) : sealed[v];
    if (copy != NULL) {
        x[0] = vec_put_first(x[0], vec_zero());
        UNROLL
        for (unsigned v = 0; v < n; v++)
            vec_store(copy + VEC * v, x[v]);
    }
    UNROLL
    for (unsigned v = 0; v < n; v++)
        x[v] = vec_byterev(x[v]);
    x[0] = vec_put_first(x[0], aad);
    return hash_vectors(&key->powers, x, (last_len + BLOCK - 1) / BLOCK, n, closing);
}

INLINE void gcm_load_behind_j0(vec *text, const uint8_t *in, size_t first_len, size_t last_len, const unsigned n)
{
    text[0] = vec_load_up(in, first_len);
    UNROLL
    for (unsigned v = 1; v < n; v++)
        text[v] = v == n - 1 ? vec_load_n(in + (VEC * v - BLOCK), last_len) : vec_load(in + (VEC * v - BLOCK));
}

/* In n vectors: J0 and behind it len bytes of text, so that E(K, J0) and the key stream are made together. In the hash
 * J0's place is that of an aad block, and the closing block follows the text. Returns the hash; *j0 becomes
 * E(K, J0). */
INLINE vec gcm_flight_of(const struct gcm_key *key, vec *j0, vec aad, const struct manner manner, uint8_t *out,
                         const uint8_t *in, size_t len, struct ending ending, const unsigned n, const enum pass pass)
{
    const size_t first_len = n == 1 ? len : VEC - BLOCK;      /* of text in the first vector */
    const size_t last_len = len + BLOCK - VEC * (n - 1);      /* of the last vector, with J0 where it is the first */
    const size_t part = last_len % BLOCK, kept = ending.left != NULL ? part : 0;
    const int amid = hashes_input(pass) && AMID != 0;
    vec x[FLIGHT], text[FLIGHT], y = vec_zero();

    if (hashes_first(pass, n)) {
        gcm_load_behind_j0(text, in, first_len, last_len, n);
        y = gcm_hash_flight(key, aad, text, last_len - kept, manner.copy, ending.closing, n);
        forget(in);
    }
    gcm_counters(x, *j0, &manner, n);
    gcm_load_behind_j0(text, in, first_len, last_len, n);
    if (amid) {
        aes_first_rounds(&key->aes, AMID, x, n);
        y = gcm_hash_flight(key, aad, text, last_len - kept, manner.copy, ending.closing, n);
        vec_tie(&x[0], &y);
        aes_crypt_from_amid(&key->aes, key->rounds, x, text, n);
    } else {
        aes_crypt(&key->aes, key->rounds, x, text, n);
    }

    *j0 = x[0];
    vec_store_up(out, x[0], first_len);
    UNROLL
    for (unsigned v = 1; v < n - 1; v++)
        vec_store(out + (VEC * v - BLOCK), x[v]);
    if (n > 1)
        vec_store_n(out + (VEC * (n - 1) - BLOCK), x[n - 1], last_len);

    const vec *sealed = hashes_output(pass) ? x : text;
    if (kept != 0)
        leave_part(ending.left, sealed[n - 1], x[n - 1], text[n - 1], last_len);
    if (amid || hashes_first(pass, n))
        return y;
    return gcm_hash_flight(key, aad, sealed, last_len - kept, manner.copy, ending.closing, n);
}

/* Few vectors have a way of their own, on which little is saved and nothing is spilled. */
enum {
    GCM_FEW = 5,
    GCM_FEW_BYTES = GCM_FEW * VEC - BLOCK,
    WIDE = LANES == 4, /* many make flights in a row before batches are faster; else it is one flight */
    IN_FLIGHT = FLIGHT * VEC - BLOCK,
    GCM_SHORT = WIDE ? GCM_FEW_BYTES : IN_FLIGHT < 2 * SMALL ? IN_FLIGHT : 2 * SMALL - 1,
    GCM_LONG = WIDE ? 80 * VEC : GCM_SHORT /* more goes in batches */
};

INLINE vec gcm_few_vectors(const struct gcm_key *key, vec *j0, vec aad, const struct manner manner, uint8_t *out,
                           const uint8_t *in, size_t len, struct ending ending, const enum pass pass)
{
    switch (((len + BLOCK - 1) / BLOCK + LANES) / LANES) {
    case 1: return gcm_flight_of(key, j0, aad, manner, out, in, len, ending, 1, pass);
    case 2: return gcm_flight_of(key, j0, aad, manner, out, in, len, ending, 2, pass);
    case 3: return gcm_flight_of(key, j0, aad, manner, out, in, len, ending, 3, pass);
    case 4: return gcm_flight_of(key, j0, aad, manner, out, in, len, ending, 4, pass);
    default: return gcm_flight_of(key, j0, aad, manner, out, in, len, ending, GCM_FEW, pass);
    }
}

/* len <= GCM_SHORT. */
INLINE vec gcm_flight(const struct gcm_key *key, vec *j0, vec aad, const struct manner manner, uint8_t *out,
                      const uint8_t *in, size_t len, struct ending ending, const enum pass pass)
{
    if (WIDE || len <= GCM_FEW_BYTES)
        return gcm_few_vectors(key, j0, aad, manner, out, in, len, ending, pass);
    switch (((len + BLOCK - 1) / BLOCK + LANES) / LANES) {
    case 6: return gcm_flight_of(key, j0, aad, manner, out, in, len, ending, 6, pass);
    case 7: return gcm_flight_of(key, j0, aad, manner, out, in, len, ending, 7, pass);
    case 8: return gcm_flight_of(key, j0, aad, manner, out, in, len, ending, 8, pass);
    default: return gcm_flight_of(key, j0, aad, manner, out, in, len, ending, FLIGHT, pass);
    }
}

/* ---- Flights in a row ------------------------------------------------------------------------------------ */

/* A text on its way. */
struct on_way {
    uint8_t *out;
    const uint8_t *in;
    size_t len;
    struct counter_run run;
    vec z, x[NVEC]; /* the hash, and when sealing the last flight, which is not in it */
};

/* Flights of n vectors, hashed in groups of g, until less than one more is left. */
INLINE void gcm_middle_flights(const struct aes_schedule *aes, const unsigned rounds, struct on_way *t,
                               const struct group_powers *p, const unsigned n, const unsigned g, const enum pass pass)
{
    const size_t step = n * VEC;
    vec text[NVEC], hashed[NVEC];
    for (; t->len > step; t->len -= step, t->in += step, t->out += step) {
        load_text(text, t->in, n, pass);
        UNROLL
        for (unsigned v = 0; v < n; v++)
            hashed[v] = hashes_input(pass) ? text[v] : t->x[v];
        run_counters(t->x, &t->run, n, GCM_ORDER);
        stitched_batch(aes, rounds, t->x, text, &t->z, hashed, p, n, n, g, GCM_ORDER);
        store_batch(t->out, t->x, n);
    }
}

INLINE void gcm_middle_flights_any(const struct gcm_key *key, struct on_way *t, const struct group_powers *p,
                                   const unsigned n, const unsigned g, const enum pass pass)
{
    if (key->rounds == 14)
        gcm_middle_flights(&key->aes, 14, t, p, n, g, pass);
    else if (key->rounds == 12)
        gcm_middle_flights(&key->aes, 12, t, p, n, g, pass);
    else
        gcm_middle_flights(&key->aes, 10, t, p, n, g, pass);
}

/* The hash after z and x[0 .. n), the last `left` of them by the powers of the key, which have room for no more, and
 * those before it in groups of up to g by *p. */
INLINE vec gcm_hash_grouped(const struct gcm_key *key, vec z, const struct group_powers *p, const vec *x, size_t last,
                            const vec *closing, const unsigned n, const unsigned left, const unsigned g)
{
    vec end[2] = {z, vec_zero()};
    UNROLL
    for (unsigned v = 0; v < n - left; v += g)
        end[0] = hash_batch(end[0], x + v, p, n - left - v < g ? n - left - v : g, SIV_ORDER);
    if (left != 0)
        end[1] = x[n - 1];
    return hash_end(&key->powers, end, last, 1 + left, closing);
}

/* The hash after z and n vectors of ciphertext, the last of which has last_len bytes. */
INLINE vec gcm_hash_last(const struct gcm_key *key, vec z, const struct group_powers *p, const vec *sealed,
                         size_t last_len, const vec *closing, const unsigned n, const unsigned g)
{
    const size_t last = (last_len + BLOCK - 1) / BLOCK;
    vec x[NVEC];
    UNROLL
    for (unsigned v = 0; v < n; v++)
        x[v] = vec_byterev(v == n - 1 ? vec_keep(sealed[v], last_len) : sealed[v]);
    return last == LANES ? gcm_hash_grouped(key, z, p, x, last, closing, n, 0, g)
                         : gcm_hash_grouped(key, z, p, x, last, closing, n, 1, g);
}

/* The last flight, n vectors of text and J0. When sealing, the m vectors before it are still to be hashed: that is done
 * here, in groups of g. Returns the hash; *j0 becomes E(K, J0). */
INLINE vec gcm_last_flight(const struct gcm_key *key, vec *j0, const struct on_way *t, const struct group_powers *p,
                           struct ending ending, const unsigned n, const unsigned m, const unsigned g,
                           const enum pass pass)
{
    const size_t last_len = t->len - VEC * (n - 1), part = last_len % BLOCK, kept = ending.left != NULL ? part : 0;
    struct counter_run run = t->run;
    vec x[NVEC + 1], text[NVEC + 1], y = vec_zero(), z = t->z;

    run_counters(x, &run, n, GCM_ORDER);
    x[n] = *j0;
    load_text_end(text, t->in, last_len, n, pass);
    text[n] = vec_zero();
    if (hashes_input(pass)) {
        aes_first_rounds(&key->aes, AMID, x, n + 1);
        y = gcm_hash_last(key, z, p, text, last_len - kept, ending.closing, n, g);
        vec_tie(&x[0], &y);
        aes_crypt_from_amid(&key->aes, key->rounds, x, text, n + 1);
    } else {
        stitched_batch(&key->aes, key->rounds, x, text, &z, t->x, p, n + 1, m, g, GCM_ORDER);
    }

    store_batch(t->out, x, n - 1);
    vec_store_n(t->out + VEC * (n - 1), x[n - 1], last_len);
    *j0 = x[n];
    if (kept != 0)
        leave_part(ending.left, hashes_output(pass) ? x[n - 1] : text[n - 1], x[n - 1], text[n - 1], last_len);
    return hashes_input(pass) ? y : gcm_hash_last(key, z, p, x, last_len - kept, ending.closing, n, g);
}

/* What one flight is too small for: flights of n vectors, each of which hashes what the one before it has sealed, or its
 * own text when opening, in groups of g. The aad block comes before the text, in the last lane of a vector. */
INLINE vec gcm_flights_of(const struct gcm_key *key, vec *j0, vec aad, uint8_t *out, const uint8_t *in, size_t len,
                          struct ending ending, const unsigned n, const unsigned g, const enum pass pass)
{
    const size_t step = n * VEC;
    struct group_powers p;
    struct counter_run run = start_counters_after(*j0, GCM_ORDER);
    struct on_way t = {out, in, len, run, vec_at_lane(aad, LANES - 1), {vec_zero()}};

    if (hashes_output(pass)) {
        vec text[NVEC];
        run_counters(t.x, &t.run, n, GCM_ORDER);
        load_text(text, in, n, pass);
        aes_first_rounds(&key->aes, AMID, t.x, n);
        make_group_powers(&p, &key->powers, g);
        vec_tie(&t.x[0], &p.h[NVEC - g]);
        aes_crypt_from_amid(&key->aes, key->rounds, t.x, text, n);
        store_batch(out, t.x, n);
        t.in += step;
        t.out += step;
        t.len -= step;
    } else {
        make_group_powers(&p, &key->powers, g);
    }
    gcm_middle_flights_any(key, &t, &p, n, g, pass);
    const size_t last = (t.len - 1) / VEC;
    if (n > 4 && last >= 4)
        switch (last) {
        case 4: return gcm_last_flight(key, j0, &t, &p, ending, 5, n, g, pass);
        case 5: return gcm_last_flight(key, j0, &t, &p, ending, 6, n, g, pass);
        case 6: return gcm_last_flight(key, j0, &t, &p, ending, 7, n, g, pass);
        default: return gcm_last_flight(key, j0, &t, &p, ending, n, n, g, pass);
        }
    switch (last) {
    case 0: return gcm_last_flight(key, j0, &t, &p, ending, 1, n, g, pass);
    case 1: return gcm_last_flight(key, j0, &t, &p, ending, 2, n, g, pass);
    case 2: return gcm_last_flight(key, j0, &t, &p, ending, 3, n, g, pass);
    default: return gcm_last_flight(key, j0, &t, &p, ending, 4, n, g, pass);
    }
}

/* Small flights leave less to hash at the end. */
INLINE vec gcm_flights(const struct gcm_key *key, vec *j0, vec aad, uint8_t *out, const uint8_t *in, size_t len,
                       struct ending ending, const enum pass pass)
{
    return len <= 8 * VEC ? gcm_flights_of(key, j0, aad, out, in, len, ending, 4, 2, pass)
                          : gcm_flights_of(key, j0, aad, out, in, len, ending, 8, 4, pass);
}

/* A text from its first byte on, len <= GCM_LONG. */
INLINE vec gcm_text(const struct gcm_key *key, vec *j0, vec aad, const struct manner manner, uint8_t *out,
                    const uint8_t *in, size_t len, struct ending ending, const enum pass pass)
{
    if (!WIDE || len <= GCM_SHORT)
        return gcm_flight(key, j0, aad, manner, out, in, len, ending, pass);
    return gcm_flights(key, j0, aad, out, in, len, ending, pass);
}

/* ---- Messages in pieces ---------------------------------------------------------------------------------- */

/* y absorbs the aad block that is still waiting, and ej0 is made. */
INLINE vec begin_text(const struct gcm_key *key, struct gcm_msg *msg, vec y)
{
    vec_store1(msg->ej0, aes_encrypt(&key->aes, key->rounds, vec_load_halves(msg->ctr)));
    if (msg->aad_len % BLOCK == 0)
        return y;
    return gf_mul(vec_xor(y, vec_byterev(vec_load_halves(msg->block))), power(&key->powers, 1));
}

INLINE void end_text(struct gcm_msg *msg, vec y, const struct leftover *left, size_t len)
{
    if (len % BLOCK != 0) {
        vec_store1(msg->block, left->sealed);
        vec_store1(msg->ks, left->key_stream);
    }
    vec_store1(msg->y, y);
    advance_counter(msg->ctr, (len + BLOCK - 1) / BLOCK);
}

INLINE void gcm_crypt_more(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                           size_t len, const enum pass pass)
{
    vec y = vec_load1(msg->y), counters = counters_from(vec_load_halves(msg->ctr), 1, GCM_ORDER);
    struct leftover left = {vec_zero(), vec_zero()};
    if (msg->text_len == 0)
        y = begin_text(key, msg, y);
    y = crypt_bytes(&key->aes, key->rounds, &key->powers, y, counters, out, in, len, (struct ending){&left, NULL}, pass);
    end_text(msg, y, &left, len);
}

static NOINLINE void gcm_encrypt_more(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len)
{
    gcm_crypt_more(key, msg, out, in, len, GCM_ENCRYPT);
}

static NOINLINE void gcm_decrypt_more(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len)
{
    gcm_crypt_more(key, msg, out, in, len, GCM_DECRYPT);
}

/* Most messages have a short text, or all of it at once: then J0 flies with it. Whole aad blocks are hashed already,
 * so they do not fit in J0's place. */
INLINE int gcm_flies(const struct gcm_msg *msg, size_t len)
{
    return msg->text_len == 0 && len <= GCM_LONG && (msg->aad_len % BLOCK != 0 || msg->aad_len == 0);
}

INLINE void gcm_crypt_text(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                           size_t len, const enum pass pass)
{
    vec y = vec_load1(msg->y), j0 = vec_load_halves(msg->ctr);
    vec aad = vec_xor(y, vec_byterev(vec_load_halves(msg->block)));
    struct leftover left = {vec_zero(), vec_zero()};
    y = gcm_text(key, &j0, aad, (struct manner){0, NULL}, out, in, len, (struct ending){&left, NULL}, pass);
    vec_store1(msg->ej0, j0);
    end_text(msg, y, &left, len);
}

static void gcm_encrypt_text(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len)
{
    if (gcm_flies(msg, len))
        gcm_crypt_text(key, msg, out, in, len, GCM_ENCRYPT);
    else
        gcm_encrypt_more(key, msg, out, in, len);
}

static void gcm_decrypt_text(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len)
{
    if (gcm_flies(msg, len))
        gcm_crypt_text(key, msg, out, in, len, GCM_DECRYPT);
    else
        gcm_decrypt_more(key, msg, out, in, len);
}

/* SP 800-38D, algorithm 4, steps 5 and 6: the lengths in bits close the hash, E(K, J0) covers it. */
static void gcm_make_tag(const struct gcm_key *key, struct gcm_msg *msg, uint8_t tag[BLOCK])
{
    vec y = vec_load1(msg->y);
    if (msg->text_len == 0)
        y = begin_text(key, msg, y);
    vec lengths = gcm_lengths(msg->aad_len, msg->text_len);
    struct gf_sum s;
    if (msg->text_len % BLOCK == 0) {
        s = gf_product(vec_xor(y, lengths), power(&key->powers, 1));
    } else {
        s = gf_product(vec_xor(y, vec_byterev(vec_load1(msg->block))), power(&key->powers, 2));
        gf_add_product(&s, lengths, power(&key->powers, 1));
    }
    vec_store1(tag, vec_xor(vec_byterev(gf_reduce(s)), vec_load1(msg->ej0)));
}

/* ---- Whole messages -------------------------------------------------------------------------------------- */

/* The aad's last block, with what the blocks before it made of the hash. */
static NOINLINE vec gcm_long_aad(const struct gf_powers *powers, const uint8_t *aad, size_t aad_len)
{
    const size_t before = (aad_len - 1) / BLOCK * BLOCK;
    vec y = hash_bytes(powers, vec_zero(), aad, before, GCM_ORDER);
    return vec_xor(y, vec_byterev(vec_load_n(aad + before, aad_len - before)));
}

INLINE vec gcm_short_aad(const uint8_t *aad, size_t aad_len)
{
    return aad_len == 0 ? vec_zero() : vec_byterev(vec_load_n(aad, aad_len));
}

/* The tag of a message that is not one flight. */
INLINE vec gcm_batches(const struct gcm_key *key, uint8_t *out, vec j0, vec aad, vec lengths, const uint8_t *in,
                       size_t len, const enum pass pass)
{
    const size_t done = len_in_batches(len);
    vec y = gf_mul(aad, power(&key->powers, 1));
    vec z = crypt_all_batches(&key->aes, key->rounds, &key->powers, y, counters_from(j0, 1, GCM_ORDER), out, in, len,
                              pass);
    vec counters = counters_from(j0, 1 + (uint32_t)(done / BLOCK), GCM_ORDER);
    forget(key);
    y = crypt_rest(&key->aes, key->rounds, &key->powers, vec_zero(), &z, counters, out + done, in + done, len - done,
                   (struct ending){NULL, &lengths}, pass);
    forget(key);
    return vec_xor(vec_byterev(y), aes_encrypt(&key->aes, key->rounds, j0));
}

/* The tag of a message. */
INLINE vec gcm_whole(const struct gcm_key *key, uint8_t *out, vec j0, const uint8_t *aad, size_t aad_len,
                     const uint8_t *in, size_t len, const enum pass pass)
{
    vec lengths = gcm_lengths(aad_len, len);
    vec block = aad_len > BLOCK ? gcm_long_aad(&key->powers, aad, aad_len) : gcm_short_aad(aad, aad_len);
    if (len > GCM_LONG)
        return gcm_batches(key, out, j0, block, lengths, in, len, pass);
    vec y = gcm_text(key, &j0, block, (struct manner){1, NULL}, out, in, len, (struct ending){NULL, &lengths}, pass);
    return vec_xor(vec_byterev(y), j0);
}

/* The same for few vectors and an aad block. */
INLINE vec gcm_few(const struct gcm_key *key, uint8_t *out, vec j0, vec aad, size_t aad_len, const struct manner manner,
                   const uint8_t *in, size_t len, const enum pass pass)
{
    vec lengths = gcm_lengths(aad_len, len);
    vec y = gcm_few_vectors(key, &j0, aad, manner, out, in, len, (struct ending){NULL, &lengths}, pass);
    return vec_xor(vec_byterev(y), j0);
}

INLINE void gcm_crypt_alone(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                            size_t len, const enum pass pass)
{
    vec block = vec_byterev(vec_load_halves(msg->block));
    const struct manner manner = {0, msg->kept};
    vec_store1(msg->tag, gcm_few(key, out, vec_load_halves(msg->ctr), block, msg->aad_len, manner, in, len, pass));
    msg->text_len = msg->closed = len;
}

static void gcm_encrypt_alone(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                              size_t len)
{
    gcm_crypt_alone(key, msg, out, in, len, GCM_ENCRYPT);
}

static void gcm_decrypt_alone(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                              size_t len)
{
    gcm_crypt_alone(key, msg, out, in, len, GCM_DECRYPT);
}

_Static_assert(GCM_FEW * VEC <= GCM_KEPT, "what is kept has room");

INLINE vec gcm_nonce_block(const uint8_t nonce[12])
{
    const struct u64x2 j0 = gcm_usual_j0(nonce);
    return vec_u64x2(j0.lo, j0.hi);
}

static NOINLINE hwaead_err gcm_seal_many(const struct gcm_key *key, uint8_t *out, uint8_t tag[BLOCK],
                                         const uint8_t nonce[12], const uint8_t *in, size_t len, const uint8_t *aad,
                                         size_t aad_len)
{
    vec_store1(tag, gcm_whole(key, out, gcm_nonce_block(nonce), aad, aad_len, in, len, GCM_ENCRYPT));
    return HWAEAD_OK;
}

static hwaead_err gcm_seal_whole(const struct gcm_key *key, uint8_t *out, uint8_t tag[BLOCK],
                                 const uint8_t nonce[12], const uint8_t *in, size_t len, const uint8_t *aad,
                                 size_t aad_len)
{
    if (len > GCM_FEW_BYTES || aad_len > BLOCK)
        return gcm_seal_many(key, out, tag, nonce, in, len, aad, aad_len);
    vec j0 = gcm_nonce_block(nonce), block = gcm_short_aad(aad, aad_len);
    vec_store1(tag, gcm_few(key, out, j0, block, aad_len, (struct manner){1, NULL}, in, len, GCM_ENCRYPT));
    return HWAEAD_OK;
}

static NOINLINE hwaead_err gcm_refuse(uint8_t *out, size_t len)
{
    secret_wipe(out, len);
    return HWAEAD_ERR_AUTH;
}

INLINE hwaead_err gcm_verdict(vec made, const uint8_t tag[BLOCK], uint8_t *out, size_t len)
{
    return vec_is_zero(vec_keep(vec_xor(made, vec_load1(tag)), BLOCK)) ? HWAEAD_OK : gcm_refuse(out, len);
}

static NOINLINE hwaead_err gcm_open_many(const struct gcm_key *key, uint8_t *out, const uint8_t nonce[12],
                                         const uint8_t tag[BLOCK], const uint8_t *aad, size_t aad_len,
                                         const uint8_t *in, size_t len)
{
    vec made = gcm_whole(key, out, gcm_nonce_block(nonce), aad, aad_len, in, len, GCM_DECRYPT);
    return gcm_verdict(made, tag, out, len);
}

static hwaead_err gcm_open_whole(const struct gcm_key *key, uint8_t *out, const uint8_t nonce[12],
                                 const uint8_t tag[BLOCK], const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                 size_t len)
{
    if (len > GCM_FEW_BYTES || aad_len > BLOCK)
        return gcm_open_many(key, out, nonce, tag, aad, aad_len, in, len);
    vec j0 = gcm_nonce_block(nonce), block = gcm_short_aad(aad, aad_len);
    vec made = gcm_few(key, out, j0, block, aad_len, (struct manner){1, NULL}, in, len, GCM_DECRYPT);
    return gcm_verdict(made, tag, out, len);
}

#endif
