/* SPDX-License-Identifier: Apache-2.0
 *
 * The public API of AES-GCM-SIV: checks, then calls that can fail by the tag only.
 */
#include <hwaead/hazmat.h>

#include "api.h"
#include "siv.h"

_Static_assert(sizeof(hwaead_siv_key) == sizeof(struct siv_key), "the public key type has the right size");
_Static_assert(sizeof(struct aes_schedule) == 240, "key state on every tier");

static const struct siv_key *siv_key(const hwaead_siv_key *key)
{
    return (const struct siv_key *)(const void *)key;
}

size_t hwaead_siv_key_size(void)
{
    return sizeof(struct siv_key);
}

hwaead_err hwaead_siv_key_init(hwaead_siv_key *key, size_t size, const uint8_t *key_bytes, size_t key_len,
                               hwaead_tier tier)
{
    const struct kernel *kernel;
    hwaead_err err = api_new_key(&kernel, key, size, sizeof *key, key_bytes, key_len, tier);
    return err != HWAEAD_OK ? err : siv_key_init((struct siv_key *)(void *)key, kernel, key_bytes, key_len);
}

hwaead_tier hwaead_siv_key_tier(const hwaead_siv_key *key)
{
    return key == NULL || siv_key(key)->kernel == NULL ? HWAEAD_TIER_AUTO : siv_key(key)->kernel->tier;
}

void hwaead_siv_key_wipe(hwaead_siv_key *key)
{
    if (key != NULL)
        secret_wipe(key, sizeof *key);
}

static NOINLINE hwaead_err check(const struct siv_key *key, const uint8_t *out, const struct api_inputs *inputs,
                        const uint8_t *in, size_t len, const uint8_t *tag, size_t tag_len)
{
    hwaead_err err = api_check_pointers(key, out, inputs, in, len, tag, tag_len);
    if (err != HWAEAD_OK)
        return err;
    if (inputs->nonce_len != SIV_NONCE)
        return HWAEAD_ERR_NONCE_LENGTH;
    if (tag_len != BLOCK)
        return HWAEAD_ERR_TAG_LENGTH;
    if (len > SIV_MAX_TEXT || inputs->aad_len > SIV_MAX_AAD)
        return HWAEAD_ERR_TOO_LONG;
    return api_check_out(key, sizeof *key, out, inputs, in, len, tag, tag_len);
}

/* A call that is not usual: seals, if nothing is wrong with it. */
static NOINLINE hwaead_err check_and_seal(const struct siv_key *key, uint8_t *out, const struct api_inputs *inputs,
                                          const uint8_t *in, size_t len, uint8_t *tag, size_t tag_len)
{
    hwaead_err err = check(key, out, inputs, in, len, tag, tag_len);
    if (err == HWAEAD_OK)
        err = api_check_tag_out(key, sizeof *key, tag, tag_len, inputs, in, len);
    if (err != HWAEAD_OK)
        return err;
    return key->kernel->siv_seal(key, out, inputs->nonce, inputs->aad, inputs->aad_len, in, len, tag);
}

hwaead_err hwaead_siv_seal_with_nonce(const hwaead_siv_key *opaque, uint8_t *out, uint8_t *tag, size_t tag_len,
                                      const uint8_t *nonce, size_t nonce_len, const uint8_t *aad, size_t aad_len,
                                      const uint8_t *in, size_t in_len)
{
    const struct siv_key *key = siv_key(opaque);
    if (nonce_len == SIV_NONCE && tag_len == BLOCK &&
        api_usual(key, sizeof *key, out, nonce, aad, aad_len, in, in_len, tag) &&
        api_usual_tag(key, sizeof *key, nonce, aad, aad_len, in, in_len, tag))
        return key->kernel->siv_seal(key, out, nonce, aad, aad_len, in, in_len, tag);
    const struct api_inputs inputs = {nonce, nonce_len, aad, aad_len};
    return check_and_seal(key, out, &inputs, in, in_len, tag, tag_len);
}

static NOINLINE hwaead_err check_and_open(const struct siv_key *key, uint8_t *out, const struct api_inputs *inputs,
                                          const uint8_t *in, size_t len, const uint8_t *tag, size_t tag_len)
{
    hwaead_err err = check(key, out, inputs, in, len, tag, tag_len);
    if (err != HWAEAD_OK)
        return err;
    return key->kernel->siv_open(key, out, inputs->nonce, inputs->aad, inputs->aad_len, in, len, tag);
}

hwaead_err hwaead_siv_open_with_nonce(const hwaead_siv_key *opaque, uint8_t *out, const uint8_t *nonce,
                                      size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                      size_t in_len, const uint8_t *tag, size_t tag_len)
{
    const struct siv_key *key = siv_key(opaque);
    if (nonce_len == SIV_NONCE && tag_len == BLOCK &&
        api_usual(key, sizeof *key, out, nonce, aad, aad_len, in, in_len, tag))
        return key->kernel->siv_open(key, out, nonce, aad, aad_len, in, in_len, tag);
    const struct api_inputs inputs = {nonce, nonce_len, aad, aad_len};
    return check_and_open(key, out, &inputs, in, in_len, tag, tag_len);
}

hwaead_err hwaead_siv_seal(const hwaead_siv_key *key, uint8_t *out, size_t out_size, const uint8_t *aad,
                           size_t aad_len, const uint8_t *in, size_t in_len)
{
    if (in_len > SIV_MAX_TEXT)
        return HWAEAD_ERR_TOO_LONG;
    if (out == NULL)
        return HWAEAD_ERR_ARGUMENT;
    if (out_size < HWAEAD_SIV_OVERHEAD || out_size - HWAEAD_SIV_OVERHEAD < in_len)
        return HWAEAD_ERR_TOO_SHORT;
    uint8_t nonce[HWAEAD_SIV_NONCE_LEN], *text = out + sizeof nonce, *tag = text + in_len;
    const struct api_inputs inputs = {nonce, sizeof nonce, aad, aad_len};
    hwaead_err err = check(siv_key(key), text, &inputs, in, in_len, tag, HWAEAD_SIV_TAG_LEN);
    if (err == HWAEAD_OK)
        err = api_check_whole(key, sizeof *key, out, HWAEAD_SIV_OVERHEAD, &inputs, in, in_len);
    if (err != HWAEAD_OK)
        return err;
    err = hwaead_random_nonce12(nonce);
    if (err != HWAEAD_OK)
        return err;
    err = siv_key(key)->kernel->siv_seal(siv_key(key), text, nonce, aad, aad_len, in, in_len, tag);
    memcpy(out, nonce, sizeof nonce);
    return err;
}

hwaead_err hwaead_siv_open(const hwaead_siv_key *key, uint8_t *out, size_t out_size, const uint8_t *aad,
                           size_t aad_len, const uint8_t *in, size_t in_len)
{
    if (in == NULL)
        return HWAEAD_ERR_ARGUMENT;
    if (in_len < HWAEAD_SIV_OVERHEAD)
        return HWAEAD_ERR_TOO_SHORT;
    const size_t len = in_len - HWAEAD_SIV_OVERHEAD;
    if (len > SIV_MAX_TEXT)
        return HWAEAD_ERR_TOO_LONG;
    if (out_size < len)
        return HWAEAD_ERR_TOO_SHORT;
    const uint8_t *text = in + HWAEAD_SIV_NONCE_LEN;
    return hwaead_siv_open_with_nonce(key, out, in, HWAEAD_SIV_NONCE_LEN, aad, aad_len, text, len, text + len,
                                      HWAEAD_SIV_TAG_LEN);
}
