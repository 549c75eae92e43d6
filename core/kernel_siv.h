/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV's entries of the kernel table (kernel.h says what each does).
 */
#ifndef HWAEAD_CORE_KERNEL_SIV_H
#define HWAEAD_CORE_KERNEL_SIV_H

/* RFC 8452, 4: the first halves of E(K, i || nonce), i = 0, 1, ..., are H and then the message key. All blocks
 * are in flight at once, one or two too many for shorter keys. */
static void siv_derive_keys(const struct siv_key *key, struct siv_msg *msg, const uint8_t nonce[SIV_NONCE])
{
    enum { MAX_BLOCKS = 6, N = (MAX_BLOCKS + LANES - 1) / LANES };
    vec x[N], zero[N];
    vec first = vec_u64x2((uint64_t)load_le32(nonce) << 32, load_le64(nonce + 4));

    vec counters = counters_from(first, 0, SIV_ORDER);
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

/* More than one block is hashed with all powers at hand. */
INLINE void siv_want_powers(struct siv_msg *msg, size_t len)
{
    if (len > BLOCK && msg->npowers == 1) {
        fill_powers(&msg->powers, power(&msg->powers, 1));
        msg->npowers = GF_POWERS;
    }
}

static void siv_polyval(struct siv_msg *msg, const uint8_t *in, size_t len)
{
    siv_want_powers(msg, len);
    vec_store1(msg->y, hash_bytes(&msg->powers, vec_load1(msg->y), in, len, SIV_ORDER));
}

/* y with the aad block that is still waiting. */
INLINE vec siv_after_aad(const struct siv_msg *msg)
{
    vec y = vec_load1(msg->y);
    if (msg->aad_len % BLOCK == 0)
        return y;
    return gf_mul(vec_xor(y, vec_load_halves(msg->block)), power(&msg->powers, 1));
}

/* RFC 8452, 4: the lengths close POLYVAL, the nonce goes in, the top bit goes out, and AES covers it. */
INLINE vec siv_finish(const struct siv_msg *msg, vec y)
{
    vec lengths = vec_u64x2(8 * msg->aad_len, 8 * msg->text_len);
    vec s = gf_mul(vec_xor(y, lengths), power(&msg->powers, 1));
    vec nonce = vec_u64x2(load_le64(msg->nonce), load_le32(msg->nonce + 8));
    s = vec_and(vec_xor(s, nonce), vec_u64x2(~UINT64_C(0), ~UINT64_C(0) >> 1));
    return aes_encrypt(&msg->aes, msg->rounds, s);
}

/* The counter begins at the tag with its top bit set. */
INLINE vec siv_counters(vec tag)
{
    const vec top = vec_u64x2(0, UINT64_C(1) << 63), rest = vec_u64x2(~UINT64_C(0), ~UINT64_C(0) >> 1);
    return counters_from(vec_xor(vec_and(tag, rest), top), 0, SIV_ORDER);
}

/* Block by block, for texts that are hashed before more powers of H would be ready. */
INLINE vec siv_hash_short(const struct siv_msg *msg, vec y, const uint8_t *in, size_t len)
{
    vec h = power(&msg->powers, 1);
    for (; len >= BLOCK; len -= BLOCK, in += BLOCK)
        y = gf_mul(vec_xor(y, vec_load1(in)), h);
    return len == 0 ? y : gf_mul(vec_xor(y, vec_load_n(in, len)), h);
}

INLINE vec siv_hash_text(struct siv_msg *msg, vec y, const uint8_t *in, size_t len)
{
    enum { SHORT = 4 * BLOCK };
    if (len <= SHORT)
        return siv_hash_short(msg, y, in, len);
    siv_want_powers(msg, len);
    return hash_bytes(&msg->powers, y, in, len, SIV_ORDER);
}

static void siv_seal_text(struct siv_msg *msg, uint8_t *out, uint8_t tag[BLOCK], const uint8_t *in, size_t len)
{
    struct leftover none;
    vec t = siv_finish(msg, siv_hash_text(msg, siv_after_aad(msg), in, len));
    vec_store1(tag, t);
    if (len != 0)
        crypt_bytes(&msg->aes, msg->rounds, &msg->powers, vec_zero(), siv_counters(t), out, in, len, &none,
                    SIV_ENCRYPT);
}

static void siv_open_text(struct siv_msg *msg, uint8_t *out, uint8_t tag[BLOCK], const uint8_t *in, size_t len)
{
    struct leftover none;
    vec y = siv_after_aad(msg);
    siv_want_powers(msg, len);
    if (len != 0)
        y = crypt_bytes(&msg->aes, msg->rounds, &msg->powers, y, siv_counters(vec_load1(tag)), out, in, len, &none,
                        SIV_DECRYPT);
    vec_store1(tag, siv_finish(msg, y));
}

#endif
