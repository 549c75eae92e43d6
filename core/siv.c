/* SPDX-License-Identifier: Apache-2.0 */
#include "siv.h"

#include "bytes.h"
#include "secret.h"

hwaead_err siv_key_init(struct siv_key *key, const struct kernel *kernel, const uint8_t *key_bytes,
                        size_t key_len)
{
    secret_wipe(key, sizeof *key);
    if (key_len != 16 && key_len != 24 && key_len != 32)
        return HWAEAD_ERR_KEY_LENGTH;
    key->rounds = (uint32_t)(key_len / 4 + 6);
    kernel->aes_expand(&key->aes, key_bytes, key->rounds);
    key->kernel = kernel;
    return HWAEAD_OK;
}

void siv_start(const struct siv_key *key, struct siv_msg *msg, const uint8_t nonce[SIV_NONCE])
{
    key->kernel->siv_derive(key, msg, nonce);
    memcpy(msg->nonce, nonce, SIV_NONCE);
    memset(msg->y, 0, sizeof msg->y);
    memset(msg->block, 0, sizeof msg->block);
    msg->aad_len = 0;
    msg->text_len = 0;
}

hwaead_err siv_aad(const struct siv_key *key, struct siv_msg *msg, const uint8_t *aad, size_t len)
{
    if (msg->npowers == 0)
        return HWAEAD_ERR_NO_KEY;
    if (len > SIV_MAX_AAD - msg->aad_len)
        return HWAEAD_ERR_TOO_LONG;
    size_t used = (size_t)(msg->aad_len % BLOCK);
    msg->aad_len += len;
    if (used != 0) {
        size_t n = fill_block(msg->block, used, aad, len);
        if (used + n < BLOCK)
            return HWAEAD_OK;
        key->kernel->siv_polyval(msg, msg->block, BLOCK);
        memset(msg->block, 0, sizeof msg->block);
        aad += n;
        len -= n;
    }
    size_t whole = len / BLOCK * BLOCK;
    if (whole != 0)
        key->kernel->siv_polyval(msg, aad, whole);
    if (len != whole)
        store_halves(msg->block, load_part(aad + whole, len - whole));
    return HWAEAD_OK;
}

static hwaead_err check_text(const struct siv_msg *msg, const uint8_t *out, const uint8_t *in, size_t len)
{
    if (msg->npowers == 0)
        return HWAEAD_ERR_NO_KEY;
    if (len > SIV_MAX_TEXT)
        return HWAEAD_ERR_TOO_LONG;
    return overlaps_partly(out, in, len) ? HWAEAD_ERR_OVERLAP : HWAEAD_OK;
}

hwaead_err siv_seal(const struct siv_key *key, struct siv_msg *msg, uint8_t *out, uint8_t tag[BLOCK],
                    const uint8_t *in, size_t len)
{
    hwaead_err err = check_text(msg, out, in, len);
    if (err != HWAEAD_OK)
        return err;
    msg->text_len = len;
    key->kernel->siv_seal_text(msg, out, tag, in, len);
    secret_wipe(msg, sizeof *msg);
    return HWAEAD_OK;
}

hwaead_err siv_open(const struct siv_key *key, struct siv_msg *msg, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t tag[BLOCK])
{
    hwaead_err err = check_text(msg, out, in, len);
    if (err != HWAEAD_OK)
        return err;
    uint8_t expected[BLOCK];
    memcpy(expected, tag, BLOCK);
    msg->text_len = len;
    key->kernel->siv_open_text(msg, out, expected, in, len);
    if (!secret_equal(expected, tag, BLOCK)) {
        secret_wipe(out, len);
        err = HWAEAD_ERR_AUTH;
    }
    secret_wipe(expected, sizeof expected);
    secret_wipe(msg, sizeof *msg);
    return err;
}
