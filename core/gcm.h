/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM (NIST SP 800-38D) in pieces, for callers that get their messages in pieces, and whole.
 *
 * Order: gcm_start, gcm_aad any number of times, gcm_encrypt or gcm_decrypt any number of times, gcm_finish.
 * The order is the caller's duty; lengths, limits and overlaps are checked here, before anything is written.
 * The caller owns and wipes keys and messages.
 */
#ifndef HWAEAD_CORE_GCM_H
#define HWAEAD_CORE_GCM_H

#include "kernel.h"
#include "secret.h"

#define GCM_MAX_TEXT ((UINT64_C(1) << 36) - 32) /* SP 800-38D, 5.2.1.1 */
#define GCM_MAX_AAD ((UINT64_C(1) << 61) - 1)

/* KEY_LENGTH, and *key wiped, unless key_len is 16, 24 or 32. kernel is not NULL. */
hwaead_err gcm_key_init(struct gcm_key *key, const struct kernel *kernel, const uint8_t *key_bytes,
                        size_t key_len);

/* J0 of a nonce that is not 12 bytes long. */
struct u64x2 gcm_hash_nonce(const struct gcm_key *key, const uint8_t *nonce, size_t nonce_len);

/* J0 of one that is. */
INLINE struct u64x2 gcm_usual_j0(const uint8_t nonce[12])
{
    return (struct u64x2){load_le64(nonce), load_le32(nonce + 8) | UINT64_C(1) << 56};
}

/* J0 (7.1, step 2). */
INLINE struct u64x2 gcm_j0(const struct gcm_key *key, const uint8_t *nonce, size_t nonce_len)
{
    return nonce_len == 12 ? gcm_usual_j0(nonce) : gcm_hash_nonce(key, nonce, nonce_len);
}

/* Begins a message: J0 from a nonce of 1 byte or more. NONCE_LENGTH for an empty one. */
INLINE hwaead_err gcm_start(const struct gcm_key *key, struct gcm_msg *msg, const uint8_t *nonce, size_t nonce_len)
{
    if (nonce_len == 0)
        return HWAEAD_ERR_NONCE_LENGTH;
    memset(msg->y, 0, sizeof msg->y);
    memset(msg->block, 0, sizeof msg->block);
    msg->aad_len = 0;
    msg->text_len = 0;
    msg->closed = 0;
    store_halves(msg->ctr, gcm_j0(key, nonce, nonce_len));
    return HWAEAD_OK;
}

/* Any piece of associated data. */
hwaead_err gcm_aad_piece(const struct gcm_key *key, struct gcm_msg *msg, const uint8_t *aad, size_t len);

/* More associated data; only before the first text byte. TOO_LONG leaves msg as it was. */
INLINE hwaead_err gcm_aad(const struct gcm_key *key, struct gcm_msg *msg, const uint8_t *aad, size_t len)
{
    if (len >= BLOCK || msg->aad_len != 0)
        return gcm_aad_piece(key, msg, aad, len);
    store_halves(msg->block, load_part(aad, len)); /* most come at once and fit in a block */
    msg->aad_len = len;
    return HWAEAD_OK;
}

/* Any piece of text. */
hwaead_err gcm_encrypt_piece(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len);
hwaead_err gcm_decrypt_piece(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                             size_t len);

/* Whether it is the usual one, which may be all: short, the first, in place or disjoint, behind little aad. Then
 * gcm_text_alone does it, and cannot fail. */
INLINE int gcm_comes_alone(const struct gcm_key *key, const struct gcm_msg *msg, const uint8_t *out,
                           const uint8_t *in, size_t len)
{
    return len - 1 < key->kernel->gcm_alone && msg->text_len == 0 && msg->aad_len < BLOCK &&
           !overlaps_partly(out, in, len);
}

INLINE void gcm_text_alone(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                           size_t len, int encrypts)
{
    (encrypts ? key->kernel->gcm_encrypt_alone : key->kernel->gcm_decrypt_alone)(key, msg, out, in, len);
}

/* More text: out[0 .. len). len may be 0. TOO_LONG and OVERLAP leave out and msg as they were. */
INLINE hwaead_err gcm_encrypt(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                              size_t len)
{
    if (!gcm_comes_alone(key, msg, out, in, len))
        return gcm_encrypt_piece(key, msg, out, in, len);
    gcm_text_alone(key, msg, out, in, len, 1);
    return HWAEAD_OK;
}

INLINE hwaead_err gcm_decrypt(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                              size_t len)
{
    if (!gcm_comes_alone(key, msg, out, in, len))
        return gcm_decrypt_piece(key, msg, out, in, len);
    gcm_text_alone(key, msg, out, in, len, 0);
    return HWAEAD_OK;
}

/* The 16-byte tag; shorter tags are its first bytes. Wipes msg, but not the ciphertext that it may have kept. */
INLINE void gcm_finish(const struct gcm_key *key, struct gcm_msg *msg, uint8_t tag[BLOCK])
{
    if (msg->closed != 0)
        store_halves(tag, load_halves(msg->tag));
    else
        key->kernel->gcm_finish(key, msg, tag);
    secret_wipe(msg, offsetof(struct gcm_msg, kept));
}

/* A whole message: nonce_len > 0, tag_len <= 16, out == in or disjoint, lengths within the limits. Opening zeroes out
 * and returns AUTH when the tag is wrong. */
void gcm_seal(const struct gcm_key *key, uint8_t *out, uint8_t *tag, size_t tag_len, const uint8_t *nonce,
              size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len);
hwaead_err gcm_open(const struct gcm_key *key, uint8_t *out, const uint8_t *nonce, size_t nonce_len,
                    const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len, const uint8_t *tag,
                    size_t tag_len);

#endif
