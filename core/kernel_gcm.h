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

/* J0 is of a nonce of 12 bytes, or any block; what was hashed before, if anything, made y. The ciphertext is copied to
 * `copy`, too, if there is one, with zeros for J0 and behind. */
struct before {
    int usual_nonce;
    const vec *y;
    uint8_t *copy;
};

INLINE void gcm_counters(vec *x, vec j0, const struct before *before, const unsigned n)
{
    vec counters = counters_from(j0, 0, GCM_ORDER);
    if (before->usual_nonce) {
        UNROLL
        for (unsigned v = 0; v < n; v++)
            x[v] = vec_xor(vec_dup0(j0), vec_counts_after_1(LANES * v));
        return;
    }
    counter_batch(x, &counters, n, GCM_ORDER);
}

/* In n vectors: J0 and behind it len bytes of text, so that E(K, J0) and the key stream are made together. In the hash
 * J0's place is that of an aad block, and the closing block follows the text. Returns the hash; *j0 becomes
 * E(K, J0). */
INLINE vec gcm_flight_of(const struct gcm_key *key, vec *j0, vec aad, const struct before before, uint8_t *out,
                         const uint8_t *in, size_t len, struct ending ending, const unsigned n, const enum pass pass)
{
    const size_t first_len = n == 1 ? len : VEC - BLOCK;      /* of text in the first vector */
    const size_t last_len = len + BLOCK - VEC * (n - 1);      /* of the last vector, with J0 where it is the first */
    const size_t part = last_len % BLOCK, kept = ending.left != NULL ? part : 0;
    vec x[FLIGHT], text[FLIGHT];

    gcm_counters(x, *j0, &before, n);
    text[0] = vec_load_up(in, first_len);
    UNROLL
    for (unsigned v = 1; v < n; v++)
        text[v] = v == n - 1 ? vec_load_n(in + (VEC * v - BLOCK), last_len) : vec_load(in + (VEC * v - BLOCK));
    aes_crypt(&key->aes, key->rounds, x, text, n);

    *j0 = x[0];
    vec_store_up(out, x[0], first_len);
    UNROLL
    for (unsigned v = 1; v < n - 1; v++)
        vec_store(out + (VEC * v - BLOCK), x[v]);
    if (n > 1)
        vec_store_n(out + (VEC * (n - 1) - BLOCK), x[n - 1], last_len);

    const vec *source = hashes_output(pass) ? x : text;
    vec hashed[FLIGHT];
    if (kept != 0) {
        ending.left->sealed = vec_keep(vec_lane(source[n - 1], last_len / BLOCK), part);
        ending.left->key_stream = vec_lane(vec_xor(x[n - 1], text[n - 1]), last_len / BLOCK);
    }
    UNROLL
    for (unsigned v = 0; v < n; v++)
        hashed[v] = v == n - 1 ? vec_keep(source[v], last_len - kept) : source[v];
    if (before.copy != NULL) {
        hashed[0] = vec_put_first(hashed[0], vec_zero());
        UNROLL
        for (unsigned v = 0; v < n; v++)
            vec_store(before.copy + VEC * v, hashed[v]);
    }
    UNROLL
    for (unsigned v = 0; v < n; v++)
        hashed[v] = vec_byterev(hashed[v]);
    hashed[0] = vec_put_first(hashed[0], aad);
    vec closing = ending.closing == NULL ? vec_zero() : *ending.closing;
    if (before.y != NULL && LANES > 1)
        hashed[0] = vec_xor(hashed[0], vec_at_lane(*before.y, 1));
    else if (before.y != NULL && n > 1)
        hashed[1] = vec_xor(hashed[1], *before.y);
    else if (before.y != NULL)
        closing = vec_xor(closing, *before.y);
    return hash_vectors(&key->powers, hashed, (last_len - kept + BLOCK - 1) / BLOCK, n,
                        ending.closing == NULL ? NULL : &closing);
}

INLINE vec gcm_flight(const struct gcm_key *key, vec *j0, vec aad, const struct before before, uint8_t *out,
                      const uint8_t *in, size_t len, struct ending ending, const enum pass pass)
{
    switch (((len + BLOCK - 1) / BLOCK + LANES) / LANES) {
    case 1: return gcm_flight_of(key, j0, aad, before, out, in, len, ending, 1, pass);
    case 2: return gcm_flight_of(key, j0, aad, before, out, in, len, ending, 2, pass);
    case 3: return gcm_flight_of(key, j0, aad, before, out, in, len, ending, 3, pass);
    case 4: return gcm_flight_of(key, j0, aad, before, out, in, len, ending, 4, pass);
    case 5: return gcm_flight_of(key, j0, aad, before, out, in, len, ending, 5, pass);
    case 6: return gcm_flight_of(key, j0, aad, before, out, in, len, ending, 6, pass);
    case 7: return gcm_flight_of(key, j0, aad, before, out, in, len, ending, 7, pass);
    case 8: return gcm_flight_of(key, j0, aad, before, out, in, len, ending, 8, pass);
    default: return gcm_flight_of(key, j0, aad, before, out, in, len, ending, 9, pass);
    }
}

/* What fits in one flight; or less, where batches are faster. */
enum { IN_FLIGHT = FLIGHT * VEC - BLOCK, GCM_SHORT = IN_FLIGHT < 2 * SMALL ? IN_FLIGHT : 2 * SMALL - 1 };

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
    return msg->text_len == 0 && len <= GCM_SHORT && (msg->aad_len % BLOCK != 0 || msg->aad_len == 0);
}

INLINE void gcm_crypt_text(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                           size_t len, const enum pass pass)
{
    vec y = vec_load1(msg->y), j0 = vec_load_halves(msg->ctr);
    vec aad = vec_xor(y, vec_byterev(vec_load_halves(msg->block)));
    struct leftover left = {vec_zero(), vec_zero()};
    const struct before before = {0, NULL, NULL};
    y = gcm_flight(key, &j0, aad, before, out, in, len, (struct ending){&left, NULL}, pass);
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

static NOINLINE vec gcm_hash_aad(const struct gf_powers *powers, const uint8_t *aad, size_t aad_len)
{
    return hash_bytes(powers, vec_zero(), aad, aad_len, GCM_ORDER);
}

/* The tag of a message that is not one flight. */
INLINE vec gcm_batches(const struct gcm_key *key, uint8_t *out, vec j0, vec y, vec lengths, const uint8_t *in,
                       size_t len, const enum pass pass)
{
    const size_t done = len_in_batches(len);
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
    vec y = vec_zero(), lengths = gcm_lengths(aad_len, len);
    if (aad_len > BLOCK)
        y = gcm_hash_aad(&key->powers, aad, aad_len);
    else if (aad_len != 0)
        y = gf_mul(vec_byterev(vec_load_n(aad, aad_len)), power(&key->powers, 1));
    if (len > GCM_SHORT)
        return gcm_batches(key, out, j0, y, lengths, in, len, pass);
    const struct before before = {1, &y, NULL};
    y = gcm_flight(key, &j0, vec_zero(), before, out, in, len, (struct ending){NULL, &lengths}, pass);
    return vec_xor(vec_byterev(y), j0);
}

/* The tag of a message of few vectors and an aad block, on whose way little is saved and nothing is spilled. */
enum { GCM_FEW = 5, GCM_FEW_BYTES = GCM_FEW * VEC - BLOCK };

INLINE vec gcm_few_of(const struct gcm_key *key, uint8_t *out, vec j0, vec block, size_t aad_len,
                      const struct before before, const uint8_t *in, size_t len, const enum pass pass)
{
    vec lengths = gcm_lengths(aad_len, len), y;
    const struct ending ending = {NULL, &lengths};
    switch (((len + BLOCK - 1) / BLOCK + LANES) / LANES) {
    case 1: y = gcm_flight_of(key, &j0, block, before, out, in, len, ending, 1, pass); break;
    case 2: y = gcm_flight_of(key, &j0, block, before, out, in, len, ending, 2, pass); break;
    case 3: y = gcm_flight_of(key, &j0, block, before, out, in, len, ending, 3, pass); break;
    case 4: y = gcm_flight_of(key, &j0, block, before, out, in, len, ending, 4, pass); break;
    default: y = gcm_flight_of(key, &j0, block, before, out, in, len, ending, GCM_FEW, pass);
    }
    return vec_xor(vec_byterev(y), j0);
}

INLINE vec gcm_few(const struct gcm_key *key, uint8_t *out, vec j0, const uint8_t *aad, size_t aad_len,
                   const uint8_t *in, size_t len, const enum pass pass)
{
    vec block = aad_len == 0 ? vec_zero() : vec_byterev(vec_load_n(aad, aad_len));
    return gcm_few_of(key, out, j0, block, aad_len, (struct before){1, NULL, NULL}, in, len, pass);
}

INLINE void gcm_crypt_alone(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                            size_t len, const enum pass pass)
{
    vec block = vec_byterev(vec_load_halves(msg->block));
    const struct before before = {0, NULL, msg->kept};
    vec_store1(msg->tag, gcm_few_of(key, out, vec_load_halves(msg->ctr), block, msg->aad_len, before, in, len, pass));
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
    vec_store1(tag, gcm_few(key, out, gcm_nonce_block(nonce), aad, aad_len, in, len, GCM_ENCRYPT));
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
    vec made = gcm_few(key, out, gcm_nonce_block(nonce), aad, aad_len, in, len, GCM_DECRYPT);
    return gcm_verdict(made, tag, out, len);
}

#endif
