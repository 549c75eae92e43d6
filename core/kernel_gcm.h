/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM's entries of the kernel table (kernel.h says what each does).
 */
#ifndef HWAEAD_CORE_KERNEL_GCM_H
#define HWAEAD_CORE_KERNEL_GCM_H

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

/* y absorbs the aad block that is still waiting, and ej0 is made. */
INLINE vec begin_text(const struct gcm_key *key, struct gcm_msg *msg, vec y)
{
    vec_store1(msg->ej0, aes_encrypt(&key->aes, key->rounds, vec_load_halves(msg->ctr)));
    if (msg->aad_len % BLOCK == 0)
        return y;
    return gf_mul(vec_xor(y, vec_byterev(vec_load_halves(msg->block))), power(&key->powers, 1));
}

INLINE void gcm_crypt_text(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                           size_t len, const enum pass pass)
{
    vec y = vec_load1(msg->y), counters = counters_from(vec_load_halves(msg->ctr), 1, GCM_ORDER);
    struct leftover left = {vec_zero(), vec_zero()};
    if (msg->text_len == 0)
        y = begin_text(key, msg, y);
    advance_counter(msg->ctr, (len + BLOCK - 1) / BLOCK);
    y = crypt_bytes(&key->aes, key->rounds, &key->powers, y, counters, out, in, len, &left, pass);
    if (len % BLOCK != 0) {
        vec_store1(msg->block, left.sealed);
        vec_store1(msg->ks, left.key_stream);
    }
    vec_store1(msg->y, y);
}

static void gcm_encrypt_text(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len)
{
    gcm_crypt_text(key, msg, out, in, len, GCM_ENCRYPT);
}

static void gcm_decrypt_text(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len)
{
    gcm_crypt_text(key, msg, out, in, len, GCM_DECRYPT);
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

#endif
