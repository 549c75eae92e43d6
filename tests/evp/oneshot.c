/* SPDX-License-Identifier: Apache-2.0
 *
 * EVP_Cipher: bytes or -1, AAD and text and final in one function.
 */
#include "evp.h"

#include <string.h>

enum { LEN = 75, AAD = 30 };

static struct msg m;
static uint8_t want[LEN], out[LEN], tag[16], got[16];

static void fresh(int k)
{
    m = rnd_msg(k, 12, AAD, LEN);
    CHECK(seal(ref[k], &m, want, tag));
}

static void whole_messages(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++)
            for (size_t piece = 1; piece <= LEN; piece += 7) {
                fresh(k);
                where("%s, enc %d, pieces of %zu", evp_name[k], enc, piece);
                const uint8_t *in = enc ? m.text : want;
                EVP_CIPHER_CTX *x = evp_ctx();
                OK(begin(x, ours[k], &m, enc));
                CHECK(enc || set_tag(x, tag, 16) == 1);
                for (size_t at = 0; at < AAD; at += piece) {
                    size_t n = piece < AAD - at ? piece : AAD - at;
                    CHECK(EVP_Cipher(x, NULL, m.aad + at, (unsigned)n) == (int)n);
                }
                for (size_t at = 0; at < LEN; at += piece) {
                    size_t n = piece < LEN - at ? piece : LEN - at;
                    CHECK(EVP_Cipher(x, out + at, in + at, (unsigned)n) == (int)n);
                }
                CHECK(EVP_Cipher(x, NULL, NULL, 0) == 0);
                CHECK_BYTES(out, enc ? want : m.text, LEN);
                CHECK(!enc || (get_tag(x, got, 16) == 1 && memcmp(got, tag, 16) == 0));
                EVP_CIPHER_CTX_free(x);
                CHECK(drain().total == 0);
            }
}

/* Mixed with updates and final. */
static void mixed(void)
{
    for (int enc = 0; enc < 2; enc++) {
        fresh(K256);
        where("enc %d", enc);
        const uint8_t *in = enc ? m.text : want;
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K256], &m, enc));
        CHECK(aad(x, m.aad, 11));
        CHECK(EVP_Cipher(x, NULL, m.aad + 11, AAD - 11) == AAD - 11);
        CHECK(EVP_Cipher(x, out, in, 5) == 5);
        CHECK(update(x, out + 5, in + 5, 40));
        CHECK(EVP_Cipher(x, out + 45, in + 45, LEN - 45) == LEN - 45);
        CHECK(enc || set_tag(x, tag, 16) == 1);
        OK(finish(x));
        CHECK_BYTES(out, enc ? want : m.text, LEN);
        CHECK(EVP_Cipher(x, NULL, NULL, 0) == -1);
        CHECK(drain().total == 1);
        EVP_CIPHER_CTX_free(x);
    }
}

/* D3: an empty text, in != NULL, between two parts of the AAD and in the text does nothing. */
static void empty_is_nothing(void)
{
    for (int enc = 0; enc < 2; enc++)
        for (size_t cut = 0; cut <= AAD; cut++) {
            fresh(K256);
            where("enc %d, AAD cut at %zu", enc, cut);
            const uint8_t *in = enc ? m.text : want;
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(begin(x, ours[K256], &m, enc));
            CHECK(EVP_Cipher(x, out, in, 0) == 0);
            CHECK(EVP_Cipher(x, NULL, m.aad, (unsigned)cut) == (int)cut || cut == 0);
            CHECK(EVP_Cipher(x, out, in, 0) == 0);
            CHECK(EVP_Cipher(x, NULL, m.aad, 0) == 0);
            CHECK(EVP_Cipher(x, NULL, m.aad + cut, (unsigned)(AAD - cut)) == (int)(AAD - cut));
            CHECK(EVP_Cipher(x, out, in, 0) == 0);
            CHECK(EVP_Cipher(x, out, in, LEN) == LEN);
            CHECK(EVP_Cipher(x, out, in, 0) == 0);
            CHECK(enc || set_tag(x, tag, 16) == 1);
            CHECK(EVP_Cipher(x, NULL, NULL, 0) == 0);
            CHECK_BYTES(out, enc ? want : m.text, LEN);
            CHECK(!enc || (get_tag(x, got, 16) == 1 && memcmp(got, tag, 16) == 0));
            EVP_CIPHER_CTX_free(x);
            CHECK(drain().total == 0);
        }
}

/* Every failure is -1. */
static void failures(void)
{
    fresh(K256);
    uint8_t wrong[16];
    memcpy(wrong, tag, 16);
    wrong[15] ^= 1;
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(EVP_CipherInit_ex2(x, ours[K256], m.key, NULL, 0, NULL));
    CHECK(EVP_Cipher(x, out, want, LEN) == -1); /* no IV */
    CHECK(drain().total == 1);
    CHECK(EVP_Cipher(x, NULL, m.aad, AAD) == -1);
    CHECK(drain().total == 1);
    CHECK(EVP_Cipher(x, NULL, NULL, 0) == -1);
    CHECK(drain().total == 1);

    OK(init_iv(x, m.iv, 0));
    OK(set_tag(x, wrong, 16));
    CHECK(EVP_Cipher(x, NULL, m.aad, AAD) == AAD && EVP_Cipher(x, out, want, LEN) == LEN);
    CHECK(EVP_Cipher(x, NULL, NULL, 0) == -1); /* forged */
    CHECK(drain().total == 0);
    CHECK(EVP_Cipher(x, out, want, LEN) == -1); /* over */
    CHECK(drain().total == 1);

    OK(init_iv(x, m.iv, 0));
    CHECK(EVP_Cipher(x, out, want, 3) == 3);
    CHECK(EVP_Cipher(x, NULL, m.aad, AAD) == -1); /* AAD after text */
    CHECK(drain().total == 1);

    OK(init_iv(x, m.iv, 0));
    OK(set_tag(x, tag, 16));
    CHECK(EVP_Cipher(x, NULL, m.aad, AAD) == AAD && EVP_Cipher(x, out, want, LEN) == LEN);
    CHECK(EVP_Cipher(x, NULL, NULL, 0) == 0);
    CHECK_BYTES(out, m.text, LEN);
    EVP_CIPHER_CTX_free(x);
}

static const struct evp_case cases[] = {
    {"G33", "whole messages", whole_messages},
    {"G33", "mixed with updates", mixed},
    {"G33 D3", "an empty call is nothing", empty_is_nothing},
    {"G33 G12", "failures", failures},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
