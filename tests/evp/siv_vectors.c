/* SPDX-License-Identifier: Apache-2.0
 *
 * All vectors of AES-GCM-SIV through EVP: both directions, AAD in one call and in pieces, in place.
 */
#include "siv.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t ran, valid, wraps;

/* Opens in place, the AAD in pieces of at most `most` bytes (0: one). True when the tag is right. */
static bool opens(const struct msg *m, const uint8_t *ct, const uint8_t *tag, size_t most, uint8_t *out)
{
    EVP_CIPHER_CTX *x = evp_ctx();
    if (m->len != 0)
        memcpy(out, ct, m->len);
    bool good = begin(x, siv(m->k), m, 0) == 1 && set_tag(x, tag, 16) == 1;
    for (size_t at = 0, n; good && at < m->aad_len; at += n) {
        n = most == 0 ? m->aad_len : 1 + rnd(most);
        n = n < m->aad_len - at ? n : m->aad_len - at;
        good = aad(x, m->aad + at, n);
    }
    CHECK(good && update(x, out, out, m->len));
    good = finish(x);
    EVP_CIPHER_CTX_free(x);
    return good;
}

static void one(struct vectors *file)
{
    size_t key_len, tag_len, text_len;
    struct msg m = {0};
    char alg[32];
    m.key = vectors_hex(file, "key", &key_len);
    m.iv = vectors_hex(file, "iv", &m.iv_len);
    m.aad = vectors_hex(file, "aad", &m.aad_len);
    const uint8_t *ct = vectors_hex(file, "ct", &m.len), *tag = vectors_hex(file, "tag", &tag_len);
    where("%s", vectors_where(file));
    snprintf(alg, sizeof alg, "AES-%zu-GCM-SIV", 8 * key_len);
    NEED(strcmp(vectors_text(file, "alg"), alg) == 0 && m.iv_len == 12 && tag_len == 16);
    m.k = (int)(key_len - 16) / 8;
    ran++;
    uint8_t *out = malloc(m.len + 1), made[16];
    NEED(out != NULL);
    if (vectors_valid(file)) {
        valid++;
        wraps += vectors_flag(file, "CounterWrap") || vectors_flag(file, "WrappedIv");
        m.text = vectors_hex(file, "pt", &text_len);
        CHECK(text_len == m.len);
        CHECK(seal(siv(m.k), &m, out, made));
        CHECK_BYTES(out, ct, m.len);
        CHECK_BYTES(made, tag, 16);
        for (size_t most = 0; most <= 40; most += 40) {
            CHECK(opens(&m, ct, tag, most, out));
            CHECK_BYTES(out, m.text, m.len);
        }
    } else {
        for (size_t most = 0; most <= 40; most += 40) {
            CHECK(!opens(&m, ct, tag, most, out));
            CHECK(all_bytes(out, m.len, 0));
        }
    }
    CHECK(drain().total == 0);
    free(out);
}

static void all(void)
{
    static const char *const expected[] = {"aes_gcm_siv.generated.txt", "aes_gcm_siv.rfc8452.txt",
                                           "aes_gcm_siv.wycheproof.txt"};
    const char *dir = vectors_dir();
    size_t files = 0, promised = 0;
    for (const char *next; (next = vectors_file(dir, "aes_gcm_siv.", files)) != NULL; files++) {
        char name[128];
        snprintf(name, sizeof name, "%s", next);
        struct vectors *file = vectors_open(dir, name);
        while (vectors_next(file))
            one(file);
        where("%s", name);
        CHECK(vectors_count(file) > 0 && vectors_count(file) == vectors_expected(dir, name));
        promised += vectors_expected(dir, name);
        vectors_close(file);
    }
    for (size_t i = 0; i < COUNT(expected); i++) {
        where("%s is there", expected[i]);
        CHECK(vectors_expected(dir, expected[i]) > 0);
    }
    where("%zu files, %zu cases, %zu with a counter that wraps", files, ran, wraps);
    CHECK(files == COUNT(expected) && ran == promised && wraps >= 30);
    printf("%zu cases of %zu files: %zu valid, %zu with a counter that wraps\n", ran, files, valid, wraps);
}

static const struct evp_case cases[] = {
    {"S1 S17", "vectors", all},
};

int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] != '-' && vectors_dir() == NULL)
        return vectors_missing();
    return evp_main(argc, argv, cases, COUNT(cases));
}
