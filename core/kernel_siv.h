/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV's entries of the kernel table (kernel.h says what each does).
 */
#ifndef HWAEAD_CORE_KERNEL_SIV_H
#define HWAEAD_CORE_KERNEL_SIV_H

/* ---- Keys (RFC 8452, 4) ---------------------------------------------------------------------------------- */

/* The first halves of E(K, i || nonce), i = 0, 1, ..., are H and then the message key. All blocks are in flight at
 * once, one or two too many for shorter keys. */
INLINE void siv_derive(const struct siv_key *key, struct siv_msg *msg, const uint8_t nonce[SIV_NONCE])
{
    enum { MAX_BLOCKS = 6, N = (MAX_BLOCKS + LANES - 1) / LANES };
    vec x[N], zero[N];
    vec first = vec_u64x2((uint64_t)load_le32(nonce) << 32, load_le64(nonce + 4));

    vec counters = counters_from(first, 0, SIV_ORDER);
    UNROLL
    for (unsigned v = 0; v < N; v++) {
        x[v] = next_counters(&counters, SIV_ORDER);
        zero[v] = vec_zero();
    }
    aes_crypt(&key->aes, key->rounds, x, zero, N);
    vec_store1(msg->powers.h + sizeof msg->powers.h - BLOCK, vec_low_halves(x, 0));
    msg->npowers = 1;
    msg->rounds = key->rounds;
    aes_expand_blocks(msg->aes.rk, to_block(vec_low_halves(x, 1)), to_block(vec_low_halves(x, 2)), key->rounds);
}

static void siv_derive_keys(const struct siv_key *key, struct siv_msg *msg, const uint8_t nonce[SIV_NONCE])
{
    siv_derive(key, msg, nonce);
}

/* ---- POLYVAL --------------------------------------------------------------------------------------------- */

/* Above this, all powers of H are made before anything is hashed; until then it goes block by block. */
enum { SIV_SHORT = 4 * BLOCK };

INLINE void siv_want_powers(struct siv_msg *msg)
{
    if (msg->npowers == 1) {
        fill_powers(&msg->powers, power(&msg->powers, 1));
        msg->npowers = GF_POWERS;
    }
}

INLINE vec siv_hash_short(const struct siv_msg *msg, vec y, const uint8_t *in, size_t len)
{
    vec h = power(&msg->powers, 1);
    for (; len >= BLOCK; len -= BLOCK, in += BLOCK)
        y = gf_mul(vec_xor(y, vec_load1(in)), h);
    return len == 0 ? y : gf_mul(vec_xor(y, vec_load_n(in, len)), h);
}

static NOINLINE vec siv_hash_long(struct siv_msg *msg, vec y, const uint8_t *in, size_t len)
{
    siv_want_powers(msg);
    return hash_bytes(&msg->powers, y, in, len, SIV_ORDER);
}

INLINE vec siv_hash(struct siv_msg *msg, vec y, const uint8_t *in, size_t len)
{
    return len <= SIV_SHORT ? siv_hash_short(msg, y, in, len) : siv_hash_long(msg, y, in, len);
}

static void siv_polyval(struct siv_msg *msg, const uint8_t *in, size_t len)
{
    vec_store1(msg->y, siv_hash(msg, vec_load1(msg->y), in, len));
}

/* y with the aad block that is still waiting. */
INLINE vec siv_after_aad(const struct siv_msg *msg)
{
    vec y = vec_load1(msg->y);
    if (msg->aad_len % BLOCK == 0)
        return y;
    return gf_mul(vec_xor(y, vec_load_halves(msg->block)), power(&msg->powers, 1));
}

/* ---- Tag and text ---------------------------------------------------------------------------------------- */

INLINE vec siv_lengths(uint64_t aad_len, uint64_t text_len)
{
    return vec_u64x2(8 * aad_len, 8 * text_len);
}

/* The nonce goes into what POLYVAL made of everything, the top bit goes out, and AES covers it. */
INLINE vec siv_tag(const struct siv_msg *msg, vec s, const uint8_t nonce[SIV_NONCE])
{
    s = vec_xor(s, vec_u64x2(load_le64(nonce), load_le32(nonce + 8)));
    s = vec_and(s, vec_u64x2(~UINT64_C(0), ~UINT64_C(0) >> 1));
    return aes_encrypt(&msg->aes, msg->rounds, s);
}

/* The counter begins at the tag with its top bit set. */
INLINE vec siv_counters(vec tag)
{
    const vec top = vec_u64x2(0, UINT64_C(1) << 63), rest = vec_u64x2(~UINT64_C(0), ~UINT64_C(0) >> 1);
    return counters_from(vec_xor(vec_and(tag, rest), top), 0, SIV_ORDER);
}

static NOINLINE void siv_encrypt_long(const struct siv_msg *msg, vec counters, uint8_t *out, const uint8_t *in,
                                      size_t len)
{
    crypt_bytes(&msg->aes, msg->rounds, &msg->powers, vec_zero(), counters, out, in, len, (struct ending){NULL, NULL},
                SIV_ENCRYPT);
}

static NOINLINE vec siv_decrypt_long(struct siv_msg *msg, vec y, vec counters, uint8_t *out, const uint8_t *in,
                                     size_t len, vec lengths)
{
    siv_want_powers(msg);
    return crypt_bytes(&msg->aes, msg->rounds, &msg->powers, y, counters, out, in, len,
                       (struct ending){NULL, &lengths}, SIV_DECRYPT);
}

/* At most a vector of text. */
INLINE vec siv_crypt_vector(const struct siv_msg *msg, vec counters, uint8_t *out, const uint8_t *in, size_t len)
{
    vec x = next_counters(&counters, SIV_ORDER), text = vec_load_n(in, len);
    aes_crypt(&msg->aes, msg->rounds, &x, &text, 1);
    vec_store_n(out, x, len);
    return vec_keep(x, len);
}

INLINE vec siv_hash_vector(const struct siv_msg *msg, vec y, vec x, size_t len)
{
    vec h = power(&msg->powers, 1);
    for (size_t i = 0; i < (len + BLOCK - 1) / BLOCK; i++)
        y = gf_mul(vec_xor(y, vec_lane(x, i)), h);
    return y;
}

/* The text of a message whose associated data went into y; the tag. */
INLINE vec siv_seal_after(struct siv_msg *msg, vec y, uint8_t *out, const uint8_t *in, size_t len,
                          const uint8_t nonce[SIV_NONCE], vec lengths)
{
    y = siv_hash(msg, y, in, len);
    vec tag = siv_tag(msg, gf_mul(vec_xor(y, lengths), power(&msg->powers, 1)), nonce);
    if (len > VEC)
        siv_encrypt_long(msg, siv_counters(tag), out, in, len);
    else if (len != 0)
        siv_crypt_vector(msg, siv_counters(tag), out, in, len);
    return tag;
}

/* The same for opening: the tag that the message should have, from the one that it has. */
INLINE vec siv_open_after(struct siv_msg *msg, vec y, uint8_t *out, const uint8_t *in, size_t len,
                          const uint8_t nonce[SIV_NONCE], vec lengths, vec tag)
{
    if (len > SIV_SHORT)
        return siv_tag(msg, siv_decrypt_long(msg, y, siv_counters(tag), out, in, len, lengths), nonce);
    if (len > VEC) {
        siv_encrypt_long(msg, siv_counters(tag), out, in, len);
        y = siv_hash_short(msg, y, out, len);
    } else if (len != 0) {
        y = siv_hash_vector(msg, y, siv_crypt_vector(msg, siv_counters(tag), out, in, len), len);
    }
    y = gf_mul(vec_xor(y, lengths), power(&msg->powers, 1));
    forget(msg);
    return siv_tag(msg, y, nonce);
}

/* ---- Messages in pieces and whole ones ------------------------------------------------------------------- */

static void siv_seal_text(struct siv_msg *msg, uint8_t *out, uint8_t tag[BLOCK], const uint8_t *in, size_t len)
{
    vec_store1(tag, siv_seal_after(msg, siv_after_aad(msg), out, in, len, msg->nonce,
                                   siv_lengths(msg->aad_len, len)));
}

static void siv_open_text(struct siv_msg *msg, uint8_t *out, uint8_t tag[BLOCK], const uint8_t *in, size_t len)
{
    vec_store1(tag, siv_open_after(msg, siv_after_aad(msg), out, in, len, msg->nonce,
                                   siv_lengths(msg->aad_len, len), vec_load1(tag)));
}

static hwaead_err siv_seal_whole(const struct siv_key *key, uint8_t *out, const uint8_t nonce[SIV_NONCE],
                                 const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len,
                                 uint8_t tag[BLOCK])
{
    struct siv_msg msg;
    siv_derive(key, &msg, nonce);
    forget(&msg);
    vec y = siv_hash(&msg, vec_zero(), aad, aad_len);
    vec_store1(tag, siv_seal_after(&msg, y, out, in, len, nonce, siv_lengths(aad_len, len)));
    secret_wipe(&msg, sizeof msg);
    return HWAEAD_OK;
}

static hwaead_err siv_open_whole(const struct siv_key *key, uint8_t *out, const uint8_t nonce[SIV_NONCE],
                                 const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len,
                                 const uint8_t tag[BLOCK])
{
    struct siv_msg msg;
    siv_derive(key, &msg, nonce);
    forget(&msg);
    vec y = siv_hash(&msg, vec_zero(), aad, aad_len), sent = vec_load1(tag);
    y = siv_open_after(&msg, y, out, in, len, nonce, siv_lengths(aad_len, len), sent);
    secret_wipe(&msg, sizeof msg);
    if (vec_is_zero(vec_keep(vec_xor(y, sent), BLOCK)))
        return HWAEAD_OK;
    secret_wipe(out, len);
    return HWAEAD_ERR_AUTH;
}

#endif
