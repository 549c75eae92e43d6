/* SPDX-License-Identifier: Apache-2.0
 *
 * The public API of AES-GCM: checks, then calls that can fail by the tag only.
 */
#include <hwaead/hazmat.h>

#include "api.h"
#include "gcm.h"

_Static_assert(sizeof(hwaead_gcm_key) == sizeof(struct gcm_key), "the public key type has the right size");
_Static_assert(sizeof(struct gf_powers) + sizeof(struct aes_schedule) == 368, "key state on every tier");

static const struct gcm_key *gcm_key(const hwaead_gcm_key *key)
{
    return (const struct gcm_key *)(const void *)key;
}

size_t hwaead_gcm_key_size(void)
{
    return sizeof(struct gcm_key);
}

hwaead_err hwaead_gcm_key_init(hwaead_gcm_key *key, size_t size, const uint8_t *key_bytes, size_t key_len,
                               hwaead_tier tier)
{
    const struct kernel *kernel;
    hwaead_err err = api_new_key(&kernel, key, size, sizeof *key, key_bytes, key_len, tier);
    return err != HWAEAD_OK ? err : gcm_key_init((struct gcm_key *)(void *)key, kernel, key_bytes, key_len);
}

hwaead_tier hwaead_gcm_key_tier(const hwaead_gcm_key *key)
{
    return key == NULL || gcm_key(key)->kernel == NULL ? HWAEAD_TIER_AUTO : gcm_key(key)->kernel->tier;
}

void hwaead_gcm_key_wipe(hwaead_gcm_key *key)
{
    if (key != NULL)
        secret_wipe(key, sizeof *key);
}

static int tag_len_ok(size_t n)
{
    return n == 4 || n == 8 || (n >= 12 && n <= 16);
}

static hwaead_err check(const hwaead_gcm_key *key, const uint8_t *out, const struct api_inputs *inputs,
                        const uint8_t *in, size_t len, const uint8_t *tag, size_t tag_len)
{
    hwaead_err err = api_check_pointers(key, out, inputs, in, len, tag, tag_len);
    if (err != HWAEAD_OK)
        return err;
    if (inputs->nonce_len == 0)
        return HWAEAD_ERR_NONCE_LENGTH;
    if (!tag_len_ok(tag_len))
        return HWAEAD_ERR_TAG_LENGTH;
    if (len > GCM_MAX_TEXT || inputs->aad_len > GCM_MAX_AAD)
        return HWAEAD_ERR_TOO_LONG;
    return api_check_out(key, sizeof *key, out, inputs, in, len, tag, tag_len);
}

static void seal(const struct gcm_key *key, uint8_t *out, uint8_t tag[BLOCK], const struct api_inputs *inputs,
                 const uint8_t *in, size_t len)
{
    struct gcm_msg msg;
    gcm_start(key, &msg, inputs->nonce, inputs->nonce_len);
    gcm_aad(key, &msg, inputs->aad, inputs->aad_len);
    gcm_encrypt(key, &msg, out, in, len);
    gcm_finish(key, &msg, tag);
}

static hwaead_err open(const struct gcm_key *key, uint8_t *out, const struct api_inputs *inputs, const uint8_t *in,
                       size_t len, const uint8_t *tag, size_t tag_len)
{
    struct gcm_msg msg;
    uint8_t expected[BLOCK];
    gcm_start(key, &msg, inputs->nonce, inputs->nonce_len);
    gcm_aad(key, &msg, inputs->aad, inputs->aad_len);
    gcm_decrypt(key, &msg, out, in, len);
    gcm_finish(key, &msg, expected);
    int good = secret_equal(expected, tag, tag_len);
    if (!good)
        secret_wipe(out, len);
    secret_wipe(expected, sizeof expected);
    return good ? HWAEAD_OK : HWAEAD_ERR_AUTH;
}

hwaead_err hwaead_gcm_seal_with_nonce(const hwaead_gcm_key *key, uint8_t *out, uint8_t *tag, size_t tag_len,
                                      const uint8_t *nonce, size_t nonce_len, const uint8_t *aad, size_t aad_len,
                                      const uint8_t *in, size_t in_len)
{
    const struct api_inputs inputs = {nonce, nonce_len, aad, aad_len};
    uint8_t whole_tag[BLOCK];
    hwaead_err err = check(key, out, &inputs, in, in_len, tag, tag_len);
    if (err == HWAEAD_OK)
        err = api_check_tag_out(key, sizeof *key, tag, tag_len, &inputs, in, in_len);
    if (err != HWAEAD_OK)
        return err;
    if (tag_len == BLOCK) {
        seal(gcm_key(key), out, tag, &inputs, in, in_len);
    } else {
        seal(gcm_key(key), out, whole_tag, &inputs, in, in_len);
        store_part(tag, load_halves(whole_tag), tag_len);
        secret_wipe(whole_tag, sizeof whole_tag);
    }
    return HWAEAD_OK;
}

hwaead_err hwaead_gcm_open_with_nonce(const hwaead_gcm_key *key, uint8_t *out, const uint8_t *nonce,
                                      size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                      size_t in_len, const uint8_t *tag, size_t tag_len)
{
    const struct api_inputs inputs = {nonce, nonce_len, aad, aad_len};
    hwaead_err err = check(key, out, &inputs, in, in_len, tag, tag_len);
    return err != HWAEAD_OK ? err : open(gcm_key(key), out, &inputs, in, in_len, tag, tag_len);
}

hwaead_err hwaead_gcm_seal(const hwaead_gcm_key *key, uint8_t *out, size_t out_size, const uint8_t *aad,
                           size_t aad_len, const uint8_t *in, size_t in_len)
{
    if (in_len > GCM_MAX_TEXT)
        return HWAEAD_ERR_TOO_LONG;
    if (out == NULL)
        return HWAEAD_ERR_ARGUMENT;
    if (out_size < in_len + HWAEAD_GCM_OVERHEAD)
        return HWAEAD_ERR_TOO_SHORT;
    uint8_t nonce[HWAEAD_GCM_NONCE_LEN], *text = out + sizeof nonce, *tag = text + in_len;
    const struct api_inputs inputs = {nonce, sizeof nonce, aad, aad_len};
    hwaead_err err = check(key, text, &inputs, in, in_len, tag, HWAEAD_GCM_TAG_LEN);
    if (err == HWAEAD_OK)
        err = api_check_whole(key, sizeof *key, out, HWAEAD_GCM_OVERHEAD, &inputs, in, in_len);
    if (err != HWAEAD_OK)
        return err;
    err = hwaead_random_nonce12(nonce);
    if (err != HWAEAD_OK)
        return err;
    seal(gcm_key(key), text, tag, &inputs, in, in_len);
    memcpy(out, nonce, sizeof nonce);
    return HWAEAD_OK;
}

hwaead_err hwaead_gcm_open(const hwaead_gcm_key *key, uint8_t *out, size_t out_size, const uint8_t *aad,
                           size_t aad_len, const uint8_t *in, size_t in_len)
{
    if (in == NULL)
        return HWAEAD_ERR_ARGUMENT;
    if (in_len < HWAEAD_GCM_OVERHEAD || out_size < in_len - HWAEAD_GCM_OVERHEAD)
        return HWAEAD_ERR_TOO_SHORT;
    const uint8_t *text = in + HWAEAD_GCM_NONCE_LEN;
    size_t len = in_len - HWAEAD_GCM_OVERHEAD;
    return hwaead_gcm_open_with_nonce(key, out, in, HWAEAD_GCM_NONCE_LEN, aad, aad_len, text, len, text + len,
                                      HWAEAD_GCM_TAG_LEN);
}
