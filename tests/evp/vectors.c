/* SPDX-License-Identifier: Apache-2.0
 *
 * All published AES-GCM vectors through EVP: both directions, one call and pieces, in place.
 */
#include "evp.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t ran, valid, invalid, core_only;

static int key_index(size_t key_len)
{
    return key_len == 16 ? K128 : key_len == 24 ? K192 : key_len == 32 ? K256 : -1;
}

struct vector {
    struct msg m; /* text is the plaintext, when there is one */
    const uint8_t *ct, *tag;
    size_t ct_len, tag_len;
};

/* IVs of more than 128 bytes: refused like by libcrypto's own provider. They run through the core's tests. */
static void refused_by_length(const struct vector *v)
{
    EVP_CIPHER_CTX *x = evp_ctx();
    CHECK(v->m.iv_len == 257);
    OK(EVP_CipherInit_ex2(x, ours[v->m.k], v->m.key, NULL, 1, NULL));
    REFUSED(set_ivlen(x, v->m.iv_len));
    EVP_CIPHER_CTX_free(x);
    core_only++;
}

/* Opens in pieces of at most `most` bytes (0: one), in place. True when the tag is right. */
static bool opens(const struct vector *v, size_t most, uint8_t *out)
{
    EVP_CIPHER_CTX *x = evp_ctx();
    memcpy(out, v->ct, v->ct_len);
    bool good = begin(x, ours[v->m.k], &v->m, 0) == 1 && set_tag(x, v->tag, v->tag_len) == 1;
    for (size_t at = 0, n; good && at < v->m.aad_len; at += n) {
        n = most == 0 ? v->m.aad_len : 1 + rnd(most);
        n = n < v->m.aad_len - at ? n : v->m.aad_len - at;
        good = aad(x, v->m.aad + at, n);
    }
    for (size_t at = 0, n; good && at < v->ct_len; at += n) {
        n = most == 0 ? v->ct_len : 1 + rnd(most);
        n = n < v->ct_len - at ? n : v->ct_len - at;
        good = update(x, out + at, out + at, n);
    }
    CHECK(good);
    good = good && finish(x);
    EVP_CIPHER_CTX_free(x);
    return good;
}

static void one(struct vectors *file)
{
    struct vector v = {0};
    size_t key_len, pt_len = 0;
    const bool has_text = vectors_has(file, "pt");
    v.m.key = vectors_hex(file, "key", &key_len);
    v.m.k = key_index(key_len);
    v.m.iv = vectors_hex(file, "iv", &v.m.iv_len);
    v.m.aad = vectors_hex(file, "aad", &v.m.aad_len);
    v.ct = vectors_hex(file, "ct", &v.ct_len);
    v.tag = vectors_hex(file, "tag", &v.tag_len);
    v.m.text = has_text ? vectors_hex(file, "pt", &pt_len) : NULL;
    where("%s", vectors_where(file));
    NEED(v.m.k >= 0 && v.tag_len >= 1 && v.tag_len <= 16);
    ran++;
    if (v.m.iv_len > 128) {
        refused_by_length(&v);
        return;
    }
    if (v.m.iv_len == 0) { /* must be refused at whatever step */
        EVP_CIPHER_CTX *x = evp_ctx();
        CHECK(!vectors_valid(file) && begin(x, ours[v.m.k], &v.m, 0) != 1);
        ERR_clear_error();
        EVP_CIPHER_CTX_free(x);
        invalid++;
        return;
    }
    uint8_t *out = malloc(v.ct_len + 1), tag[16];
    NEED(out != NULL);
    if (vectors_valid(file)) {
        valid++;
        v.m.len = pt_len;
        CHECK(has_text && pt_len == v.ct_len);
        CHECK(seal(ours[v.m.k], &v.m, out, tag));
        CHECK_BYTES(out, v.ct, v.ct_len);
        CHECK_BYTES(tag, v.tag, v.tag_len);
        CHECK(opens(&v, 0, out));
        CHECK_BYTES(out, v.m.text, pt_len);
        CHECK(opens(&v, 40, out));
        CHECK_BYTES(out, v.m.text, pt_len);
    } else {
        invalid++;
        CHECK(!opens(&v, 0, out));
        CHECK(!opens(&v, 40, out));
    }
    CHECK(drain().total == 0);
    free(out);
}

static void all(void)
{
    const char *dir = vectors_dir();
    static const char *const expected[] = {"aes_gcm.aws_lc.txt", "aes_gcm.boringssl.txt", "aes_gcm.generated.txt",
                                           "aes_gcm.ipsec_mb.txt", "aes_gcm.nist_cavp.txt", "aes_gcm.openssl.txt",
                                           "aes_gcm.wycheproof.txt"};
    size_t files = 0, promised = 0;
    for (const char *next; (next = vectors_file(dir, "aes_gcm.", files)) != NULL; files++) {
        char name[128];
        snprintf(name, sizeof name, "%s", next);
        struct vectors *file = vectors_open(dir, name);
        while (vectors_next(file))
            one(file);
        where("%s", name);
        CHECK(vectors_count(file) == vectors_expected(dir, name));
        CHECK(files < COUNT(expected) && vectors_count(file) > 0);
        promised += vectors_expected(dir, name);
        vectors_close(file);
    }
    for (size_t i = 0; i < COUNT(expected); i++) {
        where("%s is there", expected[i]);
        CHECK(vectors_expected(dir, expected[i]) > 0);
    }
    where("%zu files", files);
    CHECK(files == COUNT(expected));
    CHECK(ran == promised && ran == valid + invalid + core_only);
    CHECK(core_only == 3); /* wp-gcm-268, -272 and -276, with IVs of 257 bytes */
    printf("%zu cases: %zu valid, %zu invalid, and %zu that EVP refuses for their 257-byte IV (core only)\n", ran,
           valid, invalid, core_only);
}

static const struct evp_case cases[] = {
    {"G1 G42 G43 G45", "published vectors", all},
};

int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] != '-' && vectors_dir() == NULL)
        return vectors_missing();
    return evp_main(argc, argv, cases, COUNT(cases));
}
