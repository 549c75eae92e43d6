/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target for the core: one message, made from the fuzzer's bytes, through every tier that runs here, at
 * once and in pieces, sealed, opened and opened after one bit was changed. All must agree.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwaead/hazmat.h>

#include "gcm.h"
#include "siv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TEXT = 4096, MAX_NONCE = 40 };

#define MUST(condition)                                                           \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                              \
        }                                                                         \
    } while (0)

struct message {
    uint8_t key[32], nonce[MAX_NONCE], splits[16];
    size_t key_len, nonce_len, aad_len, text_len, flip;
    const uint8_t *aad, *text;
};

/* The layout: fixed fields, then aad and text share what is left. */
static int parse(struct message *m, const uint8_t *data, size_t size)
{
    enum { FIXED = 32 + MAX_NONCE + 16 + 6 };
    if (size < FIXED)
        return 0;
    memcpy(m->key, data, 32);
    memcpy(m->nonce, data + 32, MAX_NONCE);
    memcpy(m->splits, data + 32 + MAX_NONCE, 16);
    const uint8_t *f = data + 32 + MAX_NONCE + 16;
    size_t left = size - FIXED;
    m->key_len = (size_t)16 + 8 * (f[0] % 3u);
    m->nonce_len = f[1] % 4 == 0 ? 1 + f[2] % (unsigned)MAX_NONCE : 12;
    m->aad_len = left == 0 ? 0 : (size_t)(f[3] << 8 | f[4]) % (left + 1);
    m->text_len = left - m->aad_len;
    if (m->text_len > MAX_TEXT)
        m->text_len = MAX_TEXT;
    m->flip = f[5];
    m->aad = data + FIXED;
    m->text = m->aad + m->aad_len;
    return 1;
}

static size_t piece(const struct message *m, unsigned *i, size_t left)
{
    size_t n = m->splits[(*i)++ % sizeof m->splits];
    return n < left ? n : left;
}

static void gcm_in_pieces(const struct message *m, const struct gcm_key *key, uint8_t *out, uint8_t tag[BLOCK])
{
    struct gcm_msg msg;
    unsigned i = 0, empty = 0;
    MUST(gcm_start(key, &msg, m->nonce, m->nonce_len) == HWAEAD_OK);
    for (size_t done = 0; done < m->aad_len;) {
        size_t n = empty > 40 ? m->aad_len - done : piece(m, &i, m->aad_len - done);
        empty += n == 0;
        MUST(gcm_aad(key, &msg, m->aad + done, n) == HWAEAD_OK);
        done += n;
    }
    for (size_t done = 0; done < m->text_len;) {
        size_t n = empty > 40 ? m->text_len - done : piece(m, &i, m->text_len - done);
        empty += n == 0;
        MUST(gcm_encrypt(key, &msg, out + done, m->text + done, n) == HWAEAD_OK);
        done += n;
    }
    gcm_finish(key, &msg, tag);
}

static void try_gcm(const struct message *m)
{
    uint8_t first[MAX_TEXT + 1], first_tag[BLOCK], out[MAX_TEXT + 1], tag[BLOCK];
    for (size_t i = 0; kernel_runnable(i) != NULL; i++) {
        hwaead_gcm_key key;
        struct gcm_key inner;
        MUST(hwaead_gcm_key_init(&key, sizeof key, m->key, m->key_len, kernel_runnable(i)->tier) == HWAEAD_OK);
        MUST(hwaead_gcm_seal_with_nonce(&key, out, tag, BLOCK, m->nonce, m->nonce_len, m->aad, m->aad_len, m->text,
                                        m->text_len) == HWAEAD_OK);
        if (i == 0) {
            memcpy(first, out, m->text_len);
            memcpy(first_tag, tag, BLOCK);
        }
        MUST(memcmp(first, out, m->text_len) == 0 && memcmp(first_tag, tag, BLOCK) == 0);

        MUST(gcm_key_init(&inner, kernel_runnable(i), m->key, m->key_len) == HWAEAD_OK);
        gcm_in_pieces(m, &inner, out, tag);
        MUST(memcmp(first, out, m->text_len) == 0 && memcmp(first_tag, tag, BLOCK) == 0);

        MUST(hwaead_gcm_open_with_nonce(&key, out, m->nonce, m->nonce_len, m->aad, m->aad_len, out, m->text_len,
                                        tag, BLOCK) == HWAEAD_OK);
        MUST(memcmp(m->text, out, m->text_len) == 0);
        tag[m->flip / 8 % BLOCK] ^= (uint8_t)(1 << m->flip % 8);
        MUST(hwaead_gcm_open_with_nonce(&key, out, m->nonce, m->nonce_len, m->aad, m->aad_len, first, m->text_len,
                                        tag, BLOCK) == HWAEAD_ERR_AUTH);
        for (size_t j = 0; j < m->text_len; j++)
            MUST(out[j] == 0);
    }
}

static void try_siv(const struct message *m)
{
    uint8_t first[MAX_TEXT + 1], first_tag[BLOCK], out[MAX_TEXT + 1], tag[BLOCK];
    for (size_t i = 0; kernel_runnable(i) != NULL; i++) {
        hwaead_siv_key key;
        struct siv_key inner;
        struct siv_msg msg;
        MUST(hwaead_siv_key_init(&key, sizeof key, m->key, m->key_len, kernel_runnable(i)->tier) == HWAEAD_OK);
        MUST(hwaead_siv_seal_with_nonce(&key, out, tag, BLOCK, m->nonce, 12, m->aad, m->aad_len, m->text,
                                        m->text_len) == HWAEAD_OK);
        if (i == 0) {
            memcpy(first, out, m->text_len);
            memcpy(first_tag, tag, BLOCK);
        }
        MUST(memcmp(first, out, m->text_len) == 0 && memcmp(first_tag, tag, BLOCK) == 0);

        MUST(siv_key_init(&inner, kernel_runnable(i), m->key, m->key_len) == HWAEAD_OK);
        siv_start(&inner, &msg, m->nonce);
        unsigned s = 0, empty = 0;
        for (size_t done = 0; done < m->aad_len;) {
            size_t n = empty > 40 ? m->aad_len - done : piece(m, &s, m->aad_len - done);
            empty += n == 0;
            MUST(siv_aad(&inner, &msg, m->aad + done, n) == HWAEAD_OK);
            done += n;
        }
        MUST(siv_seal(&inner, &msg, out, tag, m->text, m->text_len) == HWAEAD_OK);
        MUST(memcmp(first, out, m->text_len) == 0 && memcmp(first_tag, tag, BLOCK) == 0);

        MUST(hwaead_siv_open_with_nonce(&key, out, m->nonce, 12, m->aad, m->aad_len, out, m->text_len, tag,
                                        BLOCK) == HWAEAD_OK);
        MUST(memcmp(m->text, out, m->text_len) == 0);
        tag[m->flip / 8 % BLOCK] ^= (uint8_t)(1 << m->flip % 8);
        MUST(hwaead_siv_open_with_nonce(&key, out, m->nonce, 12, m->aad, m->aad_len, first, m->text_len, tag,
                                        BLOCK) == HWAEAD_ERR_AUTH);
        for (size_t j = 0; j < m->text_len; j++)
            MUST(out[j] == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct message m;
    if (parse(&m, data, size)) {
        try_gcm(&m);
        try_siv(&m);
    }
    return 0;
}
