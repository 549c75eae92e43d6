/* SPDX-License-Identifier: Apache-2.0
 *
 * Tags: when they can be set and read, at which lengths, and that nothing forged passes.
 */
#include "evp.h"

#include <string.h>

enum { LEN = 45, AAD = 23 };

static struct msg m;
static uint8_t ct[LEN], out[LEN], tag[16];

static void sealed(int k)
{
    m = rnd_msg(k, 12, AAD, LEN);
    CHECK(seal(ref[k], &m, ct, tag));
}

/* G10: the expected tag may come at any time before final. */
static void set_at_any_time(void)
{
    static const char *const when[] = {"before init", "between key and IV", "between IV and key", "before AAD",
                                       "in the AAD", "after AAD", "in the text", "after text"};
    for (int k = 0; k < NKEYS; k++)
        for (size_t w = 0; w < COUNT(when); w++)
            for (int good = 0; good < 2; good++) {
                sealed(k);
                if (!good)
                    tag[w] ^= (uint8_t)(1 << w);
                where("%s, %s tag %s", evp_name[k], good ? "right" : "wrong", when[w]);
                EVP_CIPHER_CTX *x = evp_ctx();
                OK(EVP_DecryptInit_ex2(x, ours[k], NULL, NULL, NULL));
                CHECK(w != 0 || set_tag(x, tag, 16) == 1);
                if (w == 2) {
                    OK(init_iv(x, m.iv, 0));
                    OK(set_tag(x, tag, 16));
                    OK(init_key(x, m.key, 0));
                } else {
                    OK(init_key(x, m.key, 0));
                    CHECK(w != 1 || set_tag(x, tag, 16) == 1);
                    OK(init_iv(x, m.iv, 0));
                }
                CHECK(w != 3 || set_tag(x, tag, 16) == 1);
                CHECK(aad(x, m.aad, 9));
                CHECK(w != 4 || set_tag(x, tag, 16) == 1);
                CHECK(aad(x, m.aad + 9, AAD - 9));
                CHECK(w != 5 || set_tag(x, tag, 16) == 1);
                CHECK(update(x, out, ct, 19));
                CHECK(w != 6 || set_tag(x, tag, 16) == 1);
                CHECK(update(x, out + 19, ct + 19, LEN - 19));
                CHECK(w != 7 || set_tag(x, tag, 16) == 1);
                if (good)
                    OK(finish(x));
                else
                    FAILS_SILENTLY(finish(x));
                CHECK_BYTES(out, m.text, LEN);
                EVP_CIPHER_CTX_free(x);
            }
}

/* A tag set for one message is still set for the next; the last one set counts. */
static void set_again(void)
{
    sealed(K256);
    uint8_t wrong[16];
    rnd_bytes(wrong, 16);
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K256], &m, 0));
    OK(set_tag(x, wrong, 16));
    OK(set_tag(x, wrong, 4));
    OK(set_tag(x, tag, 16));
    CHECK(aad(x, m.aad, AAD) && update(x, out, ct, LEN) && finish(x));
    OK(init_iv(x, m.iv, 0));
    CHECK(aad(x, m.aad, AAD) && update(x, out, ct, LEN) && finish(x)); /* the tag of before */
    OK(init_iv(x, m.iv, 0));
    CHECK(aad(x, m.aad, AAD) && update(x, out, ct, LEN - 1));
    FAILS_SILENTLY(finish(x));
    EVP_CIPHER_CTX_free(x);
}

/* G12: each bit of tag, AAD, ciphertext and IV, by final and by EVP_Cipher. */
static void each_bit(void)
{
    for (int k = 0; k < NKEYS; k++) {
        sealed(k);
        uint8_t iv[12], a[AAD];
        memcpy(iv, m.iv, 12);
        memcpy(a, m.aad, AAD);
        m.iv = iv;
        m.aad = a;
        struct {
            const char *name;
            uint8_t *at;
            size_t n;
        } part[] = {{"tag", tag, 16}, {"AAD", a, AAD}, {"ciphertext", ct, LEN}, {"IV", iv, 12}};
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[k], &m, 0));
        for (size_t p = 0; p < COUNT(part); p++)
            for (size_t bit = 0; bit < 8 * part[p].n; bit++) {
                where("%s, bit %zu of %s", evp_name[k], bit, part[p].name);
                part[p].at[bit / 8] ^= (uint8_t)(1 << bit % 8);
                CHECK(!open_(ours[k], &m, ct, tag, 16, out));
                CHECK(drain().total == 0);
                OK(init_iv(x, iv, 0));
                OK(set_tag(x, tag, 16));
                CHECK(EVP_Cipher(x, NULL, a, AAD) == AAD);
                CHECK(EVP_Cipher(x, out, ct, LEN) == LEN);
                CHECK(EVP_Cipher(x, NULL, NULL, 0) == -1);
                CHECK(drain().total == 0);
                part[p].at[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
        CHECK(open_(ours[k], &m, ct, tag, 16, out));
        /* lost and added bytes */
        for (size_t n = 0; n < LEN; n++) {
            m.len = n;
            CHECK(!open_(ours[k], &m, ct, tag, 16, out));
        }
        m.len = LEN;
        for (size_t n = 0; n < AAD; n++) {
            m.aad_len = n;
            CHECK(!open_(ours[k], &m, ct, tag, 16, out));
        }
        EVP_CIPHER_CTX_free(x);
    }
}

/* G13 */
static void set_lengths(void)
{
    uint8_t none[32] = {0};
    for (size_t n = 1; n <= 16; n++)
        for (int bit = -1; bit < (int)(8 * n); bit++) {
            sealed(K256);
            uint8_t t[16];
            memcpy(t, tag, 16);
            if (bit >= 0)
                t[bit / 8] ^= (uint8_t)(1 << bit % 8);
            memset(t + n, 0xbb, 16 - n); /* what lies behind does not count */
            where("tag of %zu, bit %d wrong", n, bit);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(begin(x, ours[K256], &m, 0));
            OK(set_tag(x, t, n));
            CHECK(EVP_CIPHER_CTX_get_tag_length(x) == (int)n);
            CHECK(aad(x, m.aad, AAD) && update(x, out, ct, LEN));
            if (bit < 0)
                OK(finish(x));
            else
                FAILS_SILENTLY(finish(x));
            EVP_CIPHER_CTX_free(x);
        }
    sealed(K256);
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K256], &m, 0));
    OK(set_tag(x, tag, 16));
    CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, 0, none) != 1);
    CHECK(drain().total <= 1);
    REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, 17, none));
    CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, -1, none) != 1);
    CHECK(drain().total <= 1);
    CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, 16, NULL) != 1);
    CHECK(drain().total <= 1);
    REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tag", none, 0)));
    REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tag", none, 17)));
    REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tag", NULL, 12)));
    REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tag", NULL, 0)));
    size_t number = 16;
    REFUSED(set_param(x, OSSL_PARAM_construct_size_t("tag", &number)));
    /* the good one of before is still set, and the message goes on */
    CHECK(aad(x, m.aad, AAD) && update(x, out, ct, LEN));
    OK(finish(x));
    EVP_CIPHER_CTX_free(x);
}

/* G14 */
static void get_lengths(void)
{
    for (int k = 0; k < NKEYS; k++) {
        uint8_t room[32];
        sealed(k);
        where("%s", evp_name[k]);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[k], &m, 1));
        REFUSED(get_tag(x, room, 16)); /* too early */
        CHECK(aad(x, m.aad, AAD));
        REFUSED(get_tag(x, room, 16));
        CHECK(update(x, out, m.text, LEN));
        REFUSED(get_tag(x, room, 16));
        CHECK(finish(x));
        for (size_t n = 1; n <= 16; n++) {
            where("%s, %zu bytes", evp_name[k], n);
            memset(room, 0xee, sizeof room);
            OK(get_tag(x, room, n));
            CHECK_BYTES(room, tag, n);
            CHECK(all_bytes(room + n, sizeof room - n, 0xee));
            memset(room, 0xee, sizeof room);
            OK(get_octets(x, "tag", room, n));
            CHECK_BYTES(room, tag, n);
            CHECK(all_bytes(room + n, sizeof room - n, 0xee));
        }
        memset(room, 0xee, sizeof room);
        REFUSED(get_tag(x, room, 17));
        CHECK(get_tag(x, room, 0) != 1);
        CHECK(drain().total <= 1);
        REFUSED(get_octets(x, "tag", room, 0));
        REFUSED(get_octets(x, "tag", room, 17));
        CHECK(all_bytes(room, sizeof room, 0xee));
        OK(get_tag(x, room, 16)); /* still there */
        CHECK_BYTES(room, tag, 16);
        EVP_CIPHER_CTX_free(x);
    }
}

static void get_on_decrypt(void)
{
    sealed(K256);
    uint8_t room[16];
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K256], &m, 0));
    OK(set_tag(x, tag, 16));
    REFUSED(get_tag(x, room, 16));
    CHECK(aad(x, m.aad, AAD) && update(x, out, ct, LEN) && finish(x));
    REFUSED(get_tag(x, room, 16));
    /* nor does the switch to sealing give it out */
    OK(init_iv(x, m.iv, 1));
    REFUSED(get_tag(x, room, 16));
    EVP_CIPHER_CTX_free(x);
}

/* D1: in the second message there is no tag until its own final. */
static void second_message(void)
{
    for (int way = 0; way < 4; way++) {
        sealed(K256);
        uint8_t room[16];
        where("way %d", way);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K256], &m, 1));
        CHECK(aad(x, m.aad, AAD) && update(x, out, m.text, LEN) && finish(x));
        OK(get_tag(x, room, 16));
        OK(init_iv(x, m.iv, 1));
        memset(room, 0xee, sizeof room);
        if (way == 1)
            CHECK(aad(x, m.aad, 3));
        if (way == 2)
            CHECK(update(x, out, m.text, 20));
        if (way == 3)
            OK(init_key(x, m.key, 1));
        REFUSED(get_tag(x, room, 16));
        CHECK(all_bytes(room, sizeof room, 0xee));
        EVP_CIPHER_CTX_free(x);
    }
}

/* G15 */
static void set_on_encrypt(void)
{
    for (size_t n = 1; n <= 16; n++) {
        uint8_t room[16];
        sealed(K128);
        where("%zu bytes", n);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K128], &m, 1));
        REFUSED(set_tag(x, tag, n));
        CHECK(aad(x, m.aad, AAD));
        REFUSED(set_tag(x, tag, n));
        CHECK(update(x, out, m.text, LEN) && finish(x)); /* and the message goes on */
        CHECK_BYTES(out, ct, LEN);
        OK(get_tag(x, room, 16));
        CHECK_BYTES(room, tag, 16);
        EVP_CIPHER_CTX_free(x);
    }
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K128], &m, 1));
    CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, 12, NULL) != 1);
    CHECK(drain().total <= 1);
    CHECK(works(x, K128));
    EVP_CIPHER_CTX_free(x);
}

static void tag_length_reported(void)
{
    sealed(K256);
    size_t n;
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K256], &m, 0));
    OK(get_size(x, "taglen", &n));
    CHECK(n == 16);
    OK(set_tag(x, tag, 12));
    OK(get_size(x, "taglen", &n));
    CHECK(n == 12);
    CHECK(EVP_CIPHER_CTX_get_tag_length(x) == 12);
    EVP_CIPHER_CTX_free(x);
    x = evp_ctx();
    OK(begin(x, ours[K256], &m, 1));
    CHECK(EVP_CIPHER_CTX_get_tag_length(x) == 16);
    CHECK(finish(x));
    CHECK(EVP_CIPHER_CTX_get_tag_length(x) == 16);
    EVP_CIPHER_CTX_free(x);
}

static const struct evp_case cases[] = {
    {"G10 T12", "set at any time", set_at_any_time},
    {"G10", "set again, and kept", set_again},
    {"G12", "each bit", each_bit},
    {"G13", "set at each length", set_lengths},
    {"G14", "read at each length", get_lengths},
    {"G14", "read while opening", get_on_decrypt},
    {"G14 D1", "read in the second message", second_message},
    {"G15", "set while sealing", set_on_encrypt},
    {"G13 G14", "tag length reported", tag_length_reported},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
