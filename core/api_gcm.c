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

static NOINLINE hwaead_err check(const struct gcm_key *key, const uint8_t *out, const struct api_inputs *inputs,
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

/* A call that is not usual: seals, if nothing is wrong with it. */
static NOINLINE hwaead_err check_and_seal(const struct gcm_key *key, uint8_t *out, uint8_t *tag, size_t tag_len,
                                          const uint8_t *nonce, size_t nonce_len, const uint8_t *aad, size_t aad_len,
                                          const uint8_t *in, size_t len)
{
    const struct api_inputs inputs = {nonce, nonce_len, aad, aad_len};
    hwaead_err err = check(key, out, &inputs, in, len, tag, tag_len);
    if (err == HWAEAD_OK)
        err = api_check_tag_out(key, sizeof *key, tag, tag_len, &inputs, in, len);
    if (err == HWAEAD_OK)
        gcm_seal(key, out, tag, tag_len, nonce, nonce_len, aad, aad_len, in, len);
    return err;
}

hwaead_err hwaead_gcm_seal_with_nonce(const hwaead_gcm_key *opaque, uint8_t *out, uint8_t *tag, size_t tag_len,
                                      const uint8_t *nonce, size_t nonce_len, const uint8_t *aad, size_t aad_len,
                                      const uint8_t *in, size_t in_len)
{
    const struct gcm_key *key = gcm_key(opaque);
    if (nonce_len != 12 || tag_len != BLOCK)
        return check_and_seal(key, out, tag, tag_len, nonce, nonce_len, aad, aad_len, in, in_len);
    if (api_usual(key, sizeof *key, out, nonce, aad, aad_len, in, in_len, tag) &&
        api_usual_tag(key, sizeof *key, nonce, aad, aad_len, in, in_len, tag))
        return key->kernel->gcm_seal(key, out, tag, nonce, in, in_len, aad, aad_len);
    return check_and_seal(key, out, tag, BLOCK, nonce, 12, aad, aad_len, in, in_len);
}

static NOINLINE hwaead_err check_and_open(const struct gcm_key *key, uint8_t *out, const uint8_t *nonce,
                                          size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                          size_t len, const uint8_t *tag, size_t tag_len)
{
    const struct api_inputs inputs = {nonce, nonce_len, aad, aad_len};
    hwaead_err err = check(key, out, &inputs, in, len, tag, tag_len);
    if (err != HWAEAD_OK)
        return err;
    return gcm_open(key, out, nonce, nonce_len, aad, aad_len, in, len, tag, tag_len);
}

hwaead_err hwaead_gcm_open_with_nonce(const hwaead_gcm_key *opaque, uint8_t *out, const uint8_t *nonce,
                                      size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                      size_t in_len, const uint8_t *tag, size_t tag_len)
{
    const struct gcm_key *key = gcm_key(opaque);
    if (nonce_len != 12 || tag_len != BLOCK)
        return check_and_open(key, out, nonce, nonce_len, aad, aad_len, in, in_len, tag, tag_len);
    if (api_usual(key, sizeof *key, out, nonce, aad, aad_len, in, in_len, tag))
        return key->kernel->gcm_open(key, out, nonce, tag, aad, aad_len, in, in_len);
    return check_and_open(key, out, nonce, 12, aad, aad_len, in, in_len, tag, BLOCK);
}

hwaead_err hwaead_gcm_seal(const hwaead_gcm_key *key, uint8_t *out, size_t out_size, const uint8_t *aad,
                           size_t aad_len, const uint8_t *in, size_t in_len)
{
    if (in_len > GCM_MAX_TEXT)
        return HWAEAD_ERR_TOO_LONG;
    if (out == NULL)
        return HWAEAD_ERR_ARGUMENT;
    if (out_size < HWAEAD_GCM_OVERHEAD || out_size - HWAEAD_GCM_OVERHEAD < in_len)
        return HWAEAD_ERR_TOO_SHORT;
    uint8_t nonce[HWAEAD_GCM_NONCE_LEN], *text = out + sizeof nonce, *tag = text + in_len;
    const struct api_inputs inputs = {nonce, sizeof nonce, aad, aad_len};
    hwaead_err err = check(gcm_key(key), text, &inputs, in, in_len, tag, HWAEAD_GCM_TAG_LEN);
    if (err == HWAEAD_OK)
        err = api_check_whole(key, sizeof *key, out, HWAEAD_GCM_OVERHEAD, &inputs, in, in_len);
    if (err != HWAEAD_OK)
        return err;
    err = hwaead_random_nonce12(nonce);
    if (err != HWAEAD_OK)
        return err;
    err = gcm_key(key)->kernel->gcm_seal(gcm_key(key), text, tag, nonce, in, in_len, aad, aad_len);
    memcpy(out, nonce, sizeof nonce);
    return err;
}

hwaead_err hwaead_gcm_open(const hwaead_gcm_key *key, uint8_t *out, size_t out_size, const uint8_t *aad,
                           size_t aad_len, const uint8_t *in, size_t in_len)
{
    if (in == NULL)
        return HWAEAD_ERR_ARGUMENT;
    if (in_len < HWAEAD_GCM_OVERHEAD)
        return HWAEAD_ERR_TOO_SHORT;
    const size_t len = in_len - HWAEAD_GCM_OVERHEAD;
    if (len > GCM_MAX_TEXT)
        return HWAEAD_ERR_TOO_LONG;
    if (out_size < len)
        return HWAEAD_ERR_TOO_SHORT;
    const uint8_t *text = in + HWAEAD_GCM_NONCE_LEN;
    return hwaead_gcm_open_with_nonce(key, out, in, HWAEAD_GCM_NONCE_LEN, aad, aad_len, text, len, text + len,
                                      HWAEAD_GCM_TAG_LEN);
}
