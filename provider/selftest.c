/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "gcm.h"
#include "prov.h"
#include "tag_hook.h"

enum { NONCE_LEN = 12, AAD_LEN = 20, TEXT_LEN = 1000 };

/* Key, nonce, associated data and text are the bytes 0, 1, 2, ... of their lengths. The text is long enough for the
 * widest path of every tier and ends amid a block. */
static const struct answer {
    size_t key_len;
    uint8_t tag[BLOCK];
} answers[] = {
    { 16, { 0x6f, 0xa8, 0x14, 0xe5, 0xb3, 0xfb, 0x48, 0x1c, 0x12, 0x8e, 0x7c, 0x4d, 0x55, 0x36, 0xc8, 0x34 } },
    { 24, { 0x60, 0x0a, 0xd0, 0xde, 0xe4, 0xef, 0xa3, 0xc3, 0x27, 0x0c, 0x17, 0x59, 0x88, 0x1a, 0xd3, 0xa6 } },
    { 32, { 0x62, 0x42, 0x4e, 0xd6, 0x18, 0xcc, 0x9c, 0xa3, 0xb9, 0x59, 0x2e, 0x88, 0x78, 0x01, 0x7a, 0x60 } },
};

typedef hwaead_err crypt_fn(const struct gcm_key *, struct gcm_msg *, uint8_t *, const uint8_t *, size_t);

static int tag_is(const struct answer *answer, const struct gcm_key *key, crypt_fn *crypt, uint8_t *text,
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

/* A right tag vouches for the ciphertext; the text is compared after the way back. */
static int answers_right(const struct answer *answer, const struct kernel *kernel)
{
    struct gcm_key key;
    uint8_t counting[TEXT_LEN], text[TEXT_LEN];
    for (size_t i = 0; i < TEXT_LEN; i++)
        counting[i] = (uint8_t)i;
    memcpy(text, counting, TEXT_LEN);
    return gcm_key_init(&key, kernel, counting, answer->key_len) == HWAEAD_OK
           && tag_is(answer, &key, gcm_encrypt, text, counting) && memcmp(text, counting, TEXT_LEN) != 0
           && tag_is(answer, &key, gcm_decrypt, text, counting) && memcmp(text, counting, TEXT_LEN) == 0;
}

int self_test(const struct provider *prov)
{
    if (!provider_can_run(prov))
        return 0;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        if (!answers_right(&answers[i], prov->kernel))
            return FAIL_WITH(prov, R_SELF_TEST, "AES-%zu-GCM on tier %s", 8 * answers[i].key_len,
                             prov->kernel->name);
    }
    return 1;
}
