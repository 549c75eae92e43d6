/* SPDX-License-Identifier: Apache-2.0 */
#include "gcm.h"

#include "bytes.h"
#include "secret.h"

hwaead_err gcm_key_init(struct gcm_key *key, const struct kernel *kernel, const uint8_t *key_bytes,
                        size_t key_len)
{
    if (key_len != 16 && key_len != 24 && key_len != 32) {
        secret_wipe(key, sizeof *key);
        return HWAEAD_ERR_KEY_LENGTH;
    }
    key->rounds = (uint32_t)(key_len / 4 + 6);
    key->reserved = 0;
    kernel->gcm_key_init(key, key_bytes);
    const size_t used = BLOCK * (key->rounds + 1); /* a longer key may have been there */
    secret_wipe(key->aes.rk + used, sizeof key->aes.rk - used);
    key->kernel = kernel;
    return HWAEAD_OK;
}

/* J0 = GHASH(nonce, zero padded || 0^64 || its length in bits): SP 800-38D, 7.1, step 2. */
struct u64x2 gcm_hash_nonce(const struct gcm_key *key, const uint8_t *nonce, size_t nonce_len)
{
    uint8_t y[BLOCK] = {0}, lengths[BLOCK] = {0};
    store_be64(lengths + 8, 8 * (uint64_t)nonce_len);
    key->kernel->ghash(&key->powers, y, nonce, nonce_len);
    key->kernel->ghash(&key->powers, y, lengths, sizeof lengths);
    struct u64x2 j0 = {load_be64(y + 8), load_be64(y)};
    secret_wipe(y, sizeof y);
    return j0;
}

/* The unfinished block is full: hash it and begin an empty one. */
static void absorb_block(const struct gcm_key *key, struct gcm_msg *msg)
{
    key->kernel->ghash(&key->powers, msg->y, msg->block, BLOCK);
    memset(msg->block, 0, sizeof msg->block);
}

hwaead_err gcm_aad_piece(const struct gcm_key *key, struct gcm_msg *msg, const uint8_t *aad, size_t len)
{
    if (len > GCM_MAX_AAD - msg->aad_len)
        return HWAEAD_ERR_TOO_LONG;
    size_t used = (size_t)(msg->aad_len % BLOCK);
    msg->aad_len += len;
    if (used != 0) {
        size_t n = fill_block(msg->block, used, aad, len);
        if (used + n < BLOCK)
            return HWAEAD_OK;
        absorb_block(key, msg);
        aad += n;
        len -= n;
    }
    size_t whole = len / BLOCK * BLOCK;
    if (whole != 0)
        key->kernel->ghash(&key->powers, msg->y, aad, whole);
    if (len != whole)
        store_halves(msg->block, load_part(aad + whole, len - whole));
    return HWAEAD_OK;
}

/* The message goes on: msg becomes what the text so far, in pieces, would have made of it. */
static NOINLINE void reopen(const struct gcm_key *key, struct gcm_msg *msg)
{
    const size_t whole = msg->closed / BLOCK * BLOCK, part = msg->closed % BLOCK;
    const uint32_t count = __builtin_bswap32(load_le32(msg->ctr + 12));
    const struct kernel *kernel = key->kernel;
    kernel->aes_block(&key->aes, key->rounds, msg->ej0, msg->ctr);
    store_be32(msg->ctr + 12, count + (uint32_t)(whole / BLOCK) + (part != 0));
    if (msg->aad_len != 0)
        kernel->ghash(&key->powers, msg->y, msg->block, BLOCK);
    if (whole != 0)
        kernel->ghash(&key->powers, msg->y, msg->kept + BLOCK, whole);
    memset(msg->block, 0, sizeof msg->block);
    if (part != 0) {
        memcpy(msg->block, msg->kept + BLOCK + whole, BLOCK);
        kernel->aes_block(&key->aes, key->rounds, msg->ks, msg->ctr);
    }
    msg->closed = 0;
    secret_wipe(msg->tag, sizeof msg->tag);
}

static hwaead_err check_text(const struct gcm_msg *msg, const uint8_t *out, const uint8_t *in, size_t len)
{
    if (len > GCM_MAX_TEXT - msg->text_len)
        return HWAEAD_ERR_TOO_LONG;
    return overlaps_partly(out, in, len) ? HWAEAD_ERR_OVERLAP : HWAEAD_OK;
}

/* Uses up the key stream of the unfinished block; returns how many bytes that was. in_is_sealed: in, not out,
 * is the ciphertext to be hashed. */
static NOINLINE size_t finish_block(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                           size_t len, int in_is_sealed)
{
    size_t used = (size_t)(msg->text_len % BLOCK), n = len < BLOCK - used ? len : BLOCK - used;
    for (size_t i = 0; i < n; i++) {
        uint8_t from = in[i], to = from ^ msg->ks[used + i];
        msg->block[used + i] = in_is_sealed ? from : to;
        out[i] = to;
    }
    msg->text_len += n;
    if (used + n == BLOCK)
        absorb_block(key, msg);
    return n;
}

hwaead_err gcm_encrypt_piece(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len)
{
    hwaead_err err = check_text(msg, out, in, len);
    if (err != HWAEAD_OK)
        return err;
    if (msg->closed != 0)
        reopen(key, msg);
    size_t n = msg->text_len % BLOCK == 0 ? 0 : finish_block(key, msg, out, in, len, 0);
    if (n != len) {
        key->kernel->gcm_encrypt(key, msg, out + n, in + n, len - n);
        msg->text_len += len - n;
    }
    return HWAEAD_OK;
}

hwaead_err gcm_decrypt_piece(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len)
{
    hwaead_err err = check_text(msg, out, in, len);
    if (err != HWAEAD_OK)
        return err;
    if (msg->closed != 0)
        reopen(key, msg);
    size_t n = msg->text_len % BLOCK == 0 ? 0 : finish_block(key, msg, out, in, len, 1);
    if (n != len) {
        key->kernel->gcm_decrypt(key, msg, out + n, in + n, len - n);
        msg->text_len += len - n;
    }
    return HWAEAD_OK;
}

/* Nonces of other lengths and shorter tags go by the pieces. */
static void begin(const struct gcm_key *key, struct gcm_msg *msg, const uint8_t *nonce, size_t nonce_len,
                  const uint8_t *aad, size_t aad_len)
{
    (void)gcm_start(key, msg, nonce, nonce_len);
    (void)gcm_aad(key, msg, aad, aad_len);
}

void gcm_seal(const struct gcm_key *key, uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *nonce,
              size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len)
{
    if (nonce_len == 12 && tag_len == BLOCK) {
        (void)key->kernel->gcm_seal(key, out, tag, nonce, in, len, aad, aad_len);
        return;
    }
    struct gcm_msg msg;
    uint8_t whole[BLOCK];
    begin(key, &msg, nonce, nonce_len, aad, aad_len);
    (void)gcm_encrypt(key, &msg, out, in, len);
    gcm_finish(key, &msg, whole);
    memcpy(tag, whole, tag_len);
    secret_wipe(whole, sizeof whole);
}

hwaead_err gcm_open(const struct gcm_key *key, uint8_t *out, const uint8_t *nonce, size_t nonce_len,
                    const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len, const uint8_t *tag,
                    size_t tag_len)
{
    if (nonce_len == 12 && tag_len == BLOCK)
        return key->kernel->gcm_open(key, out, nonce, tag, aad, aad_len, in, len);
    struct gcm_msg msg;
    uint8_t made[BLOCK], sent[BLOCK];
    memcpy(sent, tag, tag_len);
    begin(key, &msg, nonce, nonce_len, aad, aad_len);
    (void)gcm_decrypt(key, &msg, out, in, len);
    gcm_finish(key, &msg, made);
    const int right = secret_equal(made, sent, tag_len);
    secret_wipe(made, sizeof made);
    if (right)
        return HWAEAD_OK;
    secret_wipe(out, len);
    return HWAEAD_ERR_AUTH;
}
