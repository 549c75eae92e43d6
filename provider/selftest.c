/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "drbg.h"
#include "gcm.h"
#include "prov.h"
#include "siv.h"
#include "tag_hook.h"

enum { NONCE_LEN = 12, AAD_LEN = 20, TEXT_LEN = 1000 };

/* Key, nonce, associated data and text are the bytes 0, 1, 2, ... of their lengths. The text is long enough for the
 * widest path of every tier and ends amid a block. A right tag vouches for the ciphertext; the text is compared after
 * the way back. */
struct answer {
    size_t key_len;
    uint8_t tag[BLOCK];
};

static const struct answer gcm_answers[] = {
    { 16, { 0x6f, 0xa8, 0x14, 0xe5, 0xb3, 0xfb, 0x48, 0x1c, 0x12, 0x8e, 0x7c, 0x4d, 0x55, 0x36, 0xc8, 0x34 } },
    { 24, { 0x60, 0x0a, 0xd0, 0xde, 0xe4, 0xef, 0xa3, 0xc3, 0x27, 0x0c, 0x17, 0x59, 0x88, 0x1a, 0xd3, 0xa6 } },
    { 32, { 0x62, 0x42, 0x4e, 0xd6, 0x18, 0xcc, 0x9c, 0xa3, 0xb9, 0x59, 0x2e, 0x88, 0x78, 0x01, 0x7a, 0x60 } },
};

static const struct answer siv_answers[] = {
    { 16, { 0x36, 0x10, 0xc8, 0x13, 0x1e, 0x99, 0x8d, 0xd0, 0xe7, 0x40, 0x1e, 0x2c, 0xa8, 0xf5, 0xa7, 0x8c } },
    { 24, { 0xca, 0x5c, 0x97, 0x5e, 0xa5, 0x05, 0x86, 0x6d, 0xb6, 0x4c, 0xca, 0x73, 0xc5, 0xcf, 0x50, 0xc6 } },
    { 32, { 0xca, 0xd8, 0x9f, 0xbf, 0xd2, 0x3e, 0xcb, 0xeb, 0x8e, 0x6a, 0x1c, 0xcf, 0xb7, 0xeb, 0xf4, 0x03 } },
};

/* 16 bytes of the generator; 1000 bytes of it before were its entropy at a reseeding. */
static const struct answer drbg_answers[] = {
    { 32, { 0xbf, 0xa4, 0x92, 0x55, 0xc5, 0x7a, 0xeb, 0x4d, 0x4b, 0x10, 0xda, 0xbd, 0x75, 0xf0, 0x68, 0x43 } },
};

typedef hwaead_err crypt_fn(const struct gcm_key *, struct gcm_msg *, uint8_t *, const uint8_t *, size_t);

static int gcm_tag_is(const struct answer *answer, const struct gcm_key *key, crypt_fn *crypt, uint8_t *text,
                      const uint8_t *counting)
{
    struct gcm_msg msg;
    uint8_t tag[BLOCK];
    if (gcm_start(key, &msg, counting, NONCE_LEN) != HWAEAD_OK || gcm_aad(key, &msg, counting, AAD_LEN) != HWAEAD_OK
        || crypt(key, &msg, text, text, TEXT_LEN) != HWAEAD_OK)
        return 0;
    gcm_finish(key, &msg, tag);
    tag_hook(tag);
    return memcmp(tag, answer->tag, BLOCK) == 0;
}

static int gcm_right(const struct answer *answer, const struct kernel *kernel, uint8_t *text, const uint8_t *counting)
{
    struct gcm_key key;
    return gcm_key_init(&key, kernel, counting, answer->key_len) == HWAEAD_OK
           && gcm_tag_is(answer, &key, gcm_encrypt, text, counting) && memcmp(text, counting, TEXT_LEN) != 0
           && gcm_tag_is(answer, &key, gcm_decrypt, text, counting);
}

static int siv_right(const struct answer *answer, const struct kernel *kernel, uint8_t *text, const uint8_t *counting)
{
    struct siv_key key;
    struct siv_msg msg, again;
    uint8_t tag[BLOCK];
    if (siv_key_init(&key, kernel, counting, answer->key_len) != HWAEAD_OK)
        return 0;
    siv_start(&key, &msg, counting);
    if (siv_aad(&key, &msg, counting, AAD_LEN) != HWAEAD_OK)
        return 0;
    again = msg;
    if (siv_seal(&key, &msg, text, tag, text, TEXT_LEN) != HWAEAD_OK)
        return 0;
    tag_hook(tag);
    return memcmp(tag, answer->tag, BLOCK) == 0 && memcmp(text, counting, TEXT_LEN) != 0
           && siv_open(&key, &again, text, text, TEXT_LEN, tag) == HWAEAD_OK;
}

static int drbg_right(const struct answer *answer, const struct kernel *kernel, uint8_t *text, const uint8_t *counting)
{
    static const struct drbg_input none;
    const struct drbg_input entropy = { counting, answer->key_len }, nonce = { counting, DRBG_MIN_NONCE };
    struct drbg d;
    uint8_t last[BLOCK];
    const int good = drbg_instantiate(&d, kernel, 1, entropy, nonce, none) == HWAEAD_OK
                     && drbg_generate(&d, text, TEXT_LEN, none) == HWAEAD_OK
                     && drbg_reseed(&d, (struct drbg_input){ text, TEXT_LEN }, none) == HWAEAD_OK
                     && drbg_generate(&d, last, BLOCK, none) == HWAEAD_OK;
    memcpy(text, counting, TEXT_LEN);
    return good && memcmp(last, answer->tag, BLOCK) == 0;
}

typedef int right_fn(const struct answer *, const struct kernel *, uint8_t *, const uint8_t *);

static int all_right(const struct provider *prov, const struct answer *answers, size_t n, right_fn *right,
                     const char *mode)
{
    uint8_t counting[TEXT_LEN], text[TEXT_LEN];
    for (size_t i = 0; i < TEXT_LEN; i++)
        counting[i] = (uint8_t)i;
    for (size_t i = 0; i < n; i++) {
        memcpy(text, counting, TEXT_LEN);
        if (!right(&answers[i], prov->kernel, text, counting) || memcmp(text, counting, TEXT_LEN) != 0)
            return FAIL_WITH(prov, R_SELF_TEST, "AES-%zu-%s on tier %s", 8 * answers[i].key_len, mode,
                             prov->kernel->name);
    }
    return 1;
}

int self_test(const struct provider *prov)
{
    return provider_can_run(prov)
           && all_right(prov, gcm_answers, sizeof gcm_answers / sizeof *gcm_answers, gcm_right, "GCM")
           && all_right(prov, siv_answers, sizeof siv_answers / sizeof *siv_answers, siv_right, "GCM-SIV")
           && all_right(prov, drbg_answers, sizeof drbg_answers / sizeof *drbg_answers, drbg_right, "CTR_DRBG");
}
