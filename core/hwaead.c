/* SPDX-License-Identifier: Apache-2.0
 *
 * The public C API: checks, then one call into a mode.
 */
#include <hwaead/hazmat.h>

#include "bytes.h"
#include "gcm.h"
#include "secret.h"

_Static_assert(sizeof(hwaead_gcm_key) == sizeof(struct gcm_key), "the public key type has the right size");
_Static_assert(sizeof(struct gf_powers) + sizeof(struct aes_schedule) == 368, "key state on every tier");

const char *hwaead_strerror(hwaead_err err)
{
    switch (err) {
    case HWAEAD_OK: return "success";
    case HWAEAD_ERR_CPU: return "this CPU or operating system lacks the AES or carry-less multiply instructions";
    case HWAEAD_ERR_TIER: return "no such tier, or it cannot run on this CPU";
    case HWAEAD_ERR_ARGUMENT: return "a required pointer is NULL or key storage is too small";
    case HWAEAD_ERR_KEY_LENGTH: return "the key must be 16, 24 or 32 bytes long";
    case HWAEAD_ERR_NO_KEY: return "the key was never set or has been wiped";
    case HWAEAD_ERR_NONCE_LENGTH: return "the nonce has a length that this mode does not take";
    case HWAEAD_ERR_TAG_LENGTH: return "the tag has a length that this mode does not take";
    case HWAEAD_ERR_TOO_LONG: return "the text or the associated data is longer than this mode allows";
    case HWAEAD_ERR_TOO_SHORT: return "the sealed message or the output buffer is too short";
    case HWAEAD_ERR_OVERLAP: return "buffers overlap other than exactly in place";
    case HWAEAD_ERR_AUTH: return "authentication failed: the message is not what was sealed";
    case HWAEAD_ERR_ENTROPY: return "the operating system gave no random bytes";
    }
    return "unknown error";
}

const char *hwaead_version(void)
{
    return HWAEAD_VERSION;
}

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
    if (key == NULL || size < sizeof(struct gcm_key))
        return HWAEAD_ERR_ARGUMENT;
    if (key_bytes == NULL || overlaps(key, sizeof *key, key_bytes, key_len)) {
        secret_wipe(key, sizeof *key);
        return key_bytes == NULL ? HWAEAD_ERR_ARGUMENT : HWAEAD_ERR_OVERLAP;
    }
    const struct kernel *kernel = kernel_of(tier);
    if (kernel == NULL) {
        secret_wipe(key, sizeof *key);
        return kernel_runnable(0) == NULL ? HWAEAD_ERR_CPU : HWAEAD_ERR_TIER;
    }
    return gcm_key_init((struct gcm_key *)(void *)key, kernel, key_bytes, key_len);
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

static int gcm_tag_len_ok(size_t n)
{
    return n == 4 || n == 8 || (n >= 12 && n <= 16);
}

static int missing(const void *p, size_t n)
{
    return p == NULL && n != 0;
}

/* Everything that sealing and opening refuse alike. The text is in[0 .. len), the result out[0 .. len). */
static hwaead_err check_message(const hwaead_gcm_key *key, const uint8_t *out, const uint8_t *nonce,
                                size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                size_t len, const uint8_t *tag, size_t tag_len)
{
    if (key == NULL || missing(out, len) || missing(nonce, nonce_len) || missing(aad, aad_len) ||
        missing(in, len) || missing(tag, tag_len))
        return HWAEAD_ERR_ARGUMENT;
    if (gcm_key(key)->kernel == NULL)
        return HWAEAD_ERR_NO_KEY;
    if (nonce_len == 0)
        return HWAEAD_ERR_NONCE_LENGTH;
    if (!gcm_tag_len_ok(tag_len))
        return HWAEAD_ERR_TAG_LENGTH;
    if (len > GCM_MAX_TEXT || aad_len > GCM_MAX_AAD)
        return HWAEAD_ERR_TOO_LONG;
    if (overlaps_partly(out, in, len) || overlaps(out, len, nonce, nonce_len) || overlaps(out, len, aad, aad_len) ||
        overlaps(out, len, tag, tag_len) || overlaps(out, len, key, sizeof *key))
        return HWAEAD_ERR_OVERLAP;
    return HWAEAD_OK;
}

/* After the checks nothing can fail but the tag. */
static void seal(const struct gcm_key *key, uint8_t *out, uint8_t tag[BLOCK], const uint8_t *nonce,
                 size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len)
{
    struct gcm_msg msg;
    gcm_start(key, &msg, nonce, nonce_len);
    gcm_aad(key, &msg, aad, aad_len);
    gcm_encrypt(key, &msg, out, in, len);
    gcm_finish(key, &msg, tag);
}

static hwaead_err open(const struct gcm_key *key, uint8_t *out, const uint8_t *nonce, size_t nonce_len,
                       const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len, const uint8_t *tag,
                       size_t tag_len)
{
    struct gcm_msg msg;
    uint8_t expected[BLOCK];
    gcm_start(key, &msg, nonce, nonce_len);
    gcm_aad(key, &msg, aad, aad_len);
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
    hwaead_err err = check_message(key, out, nonce, nonce_len, aad, aad_len, in, in_len, tag, tag_len);
    if (err != HWAEAD_OK)
        return err;
    if (overlaps(tag, tag_len, nonce, nonce_len) || overlaps(tag, tag_len, aad, aad_len) ||
        overlaps(tag, tag_len, in, in_len) || overlaps(tag, tag_len, key, sizeof *key))
        return HWAEAD_ERR_OVERLAP;
    uint8_t whole_tag[BLOCK];
    seal(gcm_key(key), out, whole_tag, nonce, nonce_len, aad, aad_len, in, in_len);
    memcpy(tag, whole_tag, tag_len);
    secret_wipe(whole_tag, sizeof whole_tag);
    return HWAEAD_OK;
}

hwaead_err hwaead_gcm_open_with_nonce(const hwaead_gcm_key *key, uint8_t *out, const uint8_t *nonce,
                                      size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                      size_t in_len, const uint8_t *tag, size_t tag_len)
{
    hwaead_err err = check_message(key, out, nonce, nonce_len, aad, aad_len, in, in_len, tag, tag_len);
    if (err != HWAEAD_OK)
        return err;
    return open(gcm_key(key), out, nonce, nonce_len, aad, aad_len, in, in_len, tag, tag_len);
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
    const size_t total = in_len + HWAEAD_GCM_OVERHEAD;
    uint8_t nonce[HWAEAD_GCM_NONCE_LEN], *text = out + HWAEAD_GCM_NONCE_LEN, *tag = text + in_len;
    hwaead_err err = check_message(key, text, nonce, sizeof nonce, aad, aad_len, in, in_len, tag, HWAEAD_GCM_TAG_LEN);
    if (err != HWAEAD_OK)
        return err;
    if (overlaps(out, total, aad, aad_len) || overlaps(out, total, key, sizeof *key) ||
        (in != text && overlaps(out, total, in, in_len)))
        return HWAEAD_ERR_OVERLAP;
    if (!os_random(nonce, sizeof nonce))
        return HWAEAD_ERR_ENTROPY;
    seal(gcm_key(key), text, tag, nonce, sizeof nonce, aad, aad_len, in, in_len);
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
