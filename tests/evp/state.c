/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of calls: what is allowed when, what a context is good for after an error.
 */
#include "evp.h"

#include <string.h>

/* ---- G5, G6, G9 ---- */

/* Updates of nothing, with each kind of pointers, at each moment: they change nothing. */
static bool nothing(EVP_CIPHER_CTX *x)
{
    uint8_t some[1] = {0x77};
    bool good = true;
    for (int way = 0; way < 4; way++) {
        int n = 12345;
        good &= EVP_CipherUpdate(x, way & 1 ? some : NULL, &n, way & 2 ? some : NULL, 0) == 1 && n == 0;
    }
    return good && some[0] == 0x77;
}

static void empty_updates(void)
{
    for (int enc = 0; enc < 2; enc++) {
        struct msg m = rnd_msg(K256, 12, 21, 77);
        uint8_t got[77], want[77], tag[16], want_tag[16];
        where("enc %d", enc);
        CHECK(seal(ref[K256], &m, want, want_tag));
        const uint8_t *in = enc ? m.text : want;
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(EVP_CipherInit_ex2(x, ours[K256], NULL, NULL, enc, NULL));
        CHECK(nothing(x)); /* no key */
        OK(init_key(x, m.key, enc));
        CHECK(nothing(x)); /* no IV, and none is made */
        OK(init_iv(x, m.iv, enc));
        CHECK(nothing(x));
        CHECK(aad(x, m.aad, 5) && nothing(x) && aad(x, m.aad + 5, 16) && nothing(x));
        CHECK(update(x, got, in, 3) && nothing(x) && update(x, got + 3, in + 3, 74) && nothing(x));
        CHECK(enc || set_tag(x, want_tag, 16) == 1);
        CHECK(finish(x));
        CHECK_BYTES(got, enc ? want : m.text, 77);
        if (enc) {
            CHECK(get_tag(x, tag, 16) == 1);
            CHECK_BYTES(tag, want_tag, 16);
        }
        EVP_CIPHER_CTX_free(x);
    }
    CHECK(drain().total == 0);
}

/* An update of nothing does not bring back or end a message either. */
static void empty_update_after_final(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 30);
    uint8_t out[30], tag[16];
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K256], &m, 1));
    CHECK(update(x, out, m.text, 30) && finish(x));
    nothing(x); /* 1 or 0: default says 1 */
    ERR_clear_error();
    OK(get_tag(x, tag, 16));
    REFUSED(update(x, out, m.text, 1));
    EVP_CIPHER_CTX_free(x);
}

static void outl_is_set(void)
{
    struct msg m = rnd_msg(K128, 12, 40, 300);
    uint8_t out[300], tag[16];
    for (size_t n = 0; n <= 33; n++) {
        int got = -7;
        where("%zu bytes", n);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K128], &m, 1));
        CHECK(EVP_EncryptUpdate(x, NULL, &got, m.aad, (int)n) == 1 && got == (int)n);
        got = -7;
        CHECK(EVP_EncryptUpdate(x, out, &got, m.text, (int)n) == 1 && got == (int)n);
        got = -7;
        CHECK(EVP_EncryptUpdate(x, out + n, &got, m.text, 200) == 1 && got == 200);
        got = -7;
        CHECK(EVP_EncryptFinal_ex(x, out, &got) == 1 && got == 0);
        CHECK(get_tag(x, tag, 16) == 1);
        got = -7;
        CHECK(EVP_EncryptUpdate(x, out, &got, m.text, 16) == 0 && got <= 0);
        ERR_clear_error();
        EVP_CIPHER_CTX_free(x);
    }
}

static void final_without_output(void)
{
    for (int enc = 0; enc < 2; enc++) {
        struct msg m = rnd_msg(K256, 12, 9, 19);
        uint8_t out[19], ct[19], tag[16], want_tag[16];
        int n = 4711;
        where("enc %d", enc);
        CHECK(seal(ref[K256], &m, ct, want_tag));
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K256], &m, enc));
        CHECK(enc || set_tag(x, want_tag, 16) == 1);
        CHECK(aad(x, m.aad, 9) && update(x, out, enc ? m.text : ct, 19));
        OK(EVP_CipherFinal_ex(x, NULL, &n));
        CHECK(n == 0);
        CHECK(!enc || (get_tag(x, tag, 16) == 1 && memcmp(tag, want_tag, 16) == 0));
        EVP_CIPHER_CTX_free(x);
    }
}

/* Input NULL with a length: refused, whatever is done with the answer of other implementations. */
static void null_input(void)
{
    for (int way = 0; way < 2; way++) {
        struct msg m = rnd_msg(K256, 12, 0, 16);
        uint8_t out[16];
        int n = 0;
        where("%s", way ? "text" : "AAD");
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K256], &m, 1));
        memset(out, 0x5a, sizeof out);
        if (!subject_is_default)
            REFUSED(EVP_EncryptUpdate(x, way ? out : NULL, &n, NULL, 16));
        CHECK(all_bytes(out, sizeof out, 0x5a));
        CHECK(works(x, K256));
        EVP_CIPHER_CTX_free(x);
    }
}

/* ---- G7, G8, G16, G20, D2, D4 ---- */

static void aad_after_text(void)
{
    for (int enc = 0; enc < 2; enc++)
        for (size_t n = 1; n <= 33; n += 8) {
            struct msg m = rnd_msg(K256, 12, 5, 33);
            uint8_t out[33];
            where("enc %d, %zu bytes of text", enc, n);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(begin(x, ours[K256], &m, enc));
            CHECK(aad(x, m.aad, 2) && update(x, out, m.text, n));
            REFUSED(aad(x, m.aad, 3));
            REFUSED(update(x, out, m.text, 1)); /* D4: the message is lost */
            REFUSED(finish(x));
            if (enc) {
                REFUSED(get_tag(x, out, 16));
            }
            CHECK(init_iv(x, m.iv, enc) == 1 && aad(x, m.aad, 5) && update(x, out, m.text, 33)); /* the next */
            CHECK(works(x, K256));
            EVP_CIPHER_CTX_free(x);
        }
}

static void after_final(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++) {
            struct msg m = rnd_msg(k, 12, 5, 33);
            uint8_t ct[33], out[33], tag[16], again[16];
            where("%s, enc %d", evp_name[k], enc);
            CHECK(seal(ref[k], &m, ct, tag));
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(begin(x, ours[k], &m, enc));
            CHECK(enc || set_tag(x, tag, 16) == 1);
            CHECK(aad(x, m.aad, 5) && update(x, out, enc ? m.text : ct, 33) && finish(x));
            CHECK_BYTES(out, enc ? ct : m.text, 33);
            memset(out, 0x5a, sizeof out);
            REFUSED(update(x, out, m.text, 1));
            REFUSED(aad(x, m.aad, 1));
            REFUSED(finish(x));
            CHECK(all_bytes(out, sizeof out, 0x5a));
            /* direction only: 1, and the message stays over */
            OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, enc, NULL));
            REFUSED(update(x, out, m.text, 1));
            REFUSED(finish(x));
            /* a new key does not bring back the used IV */
            OK(init_key(x, m.key, enc));
            REFUSED(update(x, out, m.text, 1));
            REFUSED(finish(x));
            CHECK(all_bytes(out, sizeof out, 0x5a));
            OK(init_iv(x, m.iv, enc));
            CHECK(enc || set_tag(x, tag, 16) == 1);
            CHECK(aad(x, m.aad, 5) && update(x, out, enc ? m.text : ct, 33) && finish(x));
            CHECK_BYTES(out, enc ? ct : m.text, 33);
            CHECK(!enc || (get_tag(x, again, 16) == 1 && memcmp(again, tag, 16) == 0));
            EVP_CIPHER_CTX_free(x);
        }
}

/* G16 = D2 */
static void after_failed_final(void)
{
    struct msg m = rnd_msg(K256, 12, 5, 33);
    uint8_t ct[33], out[33], tag[16];
    CHECK(seal(ref[K256], &m, ct, tag));
    for (int way = 0; way < 3; way++) {
        where("way %d", way);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K256], &m, 0));
        tag[3] ^= 1;
        OK(set_tag(x, tag, 16));
        tag[3] ^= 1;
        CHECK(aad(x, m.aad, 5) && update(x, out, ct, 33));
        FAILS_SILENTLY(finish(x));
        if (way == 0)
            REFUSED(update(x, out, ct, 33));
        else if (way == 1)
            REFUSED(aad(x, m.aad, 5));
        else
            REFUSED(finish(x));
        OK(init_iv(x, m.iv, 0));
        OK(set_tag(x, tag, 16));
        CHECK(aad(x, m.aad, 5) && update(x, out, ct, 33) && finish(x));
        CHECK_BYTES(out, m.text, 33);
        EVP_CIPHER_CTX_free(x);
    }
}

/* G11 */
static void decrypt_without_tag(void)
{
    struct msg m = rnd_msg(K256, 12, 5, 33);
    uint8_t ct[33], out[33], tag[16];
    CHECK(seal(ref[K256], &m, ct, tag));
    for (size_t len = 0; len <= 33; len += 33) {
        where("%zu bytes", len);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K256], &m, 0));
        CHECK(aad(x, m.aad, 5) && (len == 0 || update(x, out, ct, len)));
        CHECK(!finish(x));
        CHECK(drain().total == (subject_is_default ? 0 : 1));
        CHECK(works(x, K256));
        EVP_CIPHER_CTX_free(x);
    }
}

static void without_key(void)
{
    for (int enc = 0; enc < 2; enc++)
        for (int iv = 0; iv < 2; iv++) {
            struct msg m = rnd_msg(K256, 12, 5, 33);
            uint8_t out[33], tag[16] = {0};
            where("enc %d, %s IV", enc, iv ? "an" : "no");
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(EVP_CipherInit_ex2(x, ours[K256], NULL, iv ? m.iv : NULL, enc, NULL));
            memset(out, 0x5a, sizeof out);
            REFUSED(aad(x, m.aad, 5));
            REFUSED(update(x, out, m.text, 33));
            CHECK(enc || set_tag(x, tag, 16) == 1);
            REFUSED(finish(x));
            if (enc)
                REFUSED(get_tag(x, tag, 16));
            CHECK(EVP_Cipher(x, out, m.text, 33) == -1);
            CHECK(drain().total == 1);
            CHECK(EVP_Cipher(x, NULL, NULL, 0) == -1);
            CHECK(drain().total == 1);
            CHECK(all_bytes(out, sizeof out, 0x5a));
            CHECK(works(x, K256));
            EVP_CIPHER_CTX_free(x);
        }
}

/* ---- G18, G20, G27 ---- */

/* A new key with the IV still unused: the message runs under the new key. */
static void new_key_before_message(void)
{
    struct msg a = rnd_msg(K256, 12, 8, 50), b = rnd_msg(K256, 12, 8, 50);
    uint8_t got[50], want[50], tag[16], want_tag[16];
    for (int enc = 0; enc < 2; enc++) {
        where("enc %d", enc);
        b.iv = a.iv;
        CHECK(seal(ref[K256], &b, want, want_tag));
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K256], &a, enc));
        OK(init_key(x, b.key, enc));
        CHECK(enc || set_tag(x, want_tag, 16) == 1);
        CHECK(aad(x, b.aad, 8) && update(x, got, enc ? b.text : want, 50) && finish(x));
        CHECK_BYTES(got, enc ? want : b.text, 50);
        CHECK(!enc || (get_tag(x, tag, 16) == 1 && memcmp(tag, want_tag, 16) == 0));
        EVP_CIPHER_CTX_free(x);
    }
}

/* A new key in the middle ends the message: no text or tag of two keys comes out, and the next one is right. */
static void new_key_in_message(void)
{
    for (size_t n = 1; n <= 40; n += 13) {
        struct msg a = rnd_msg(K256, 12, 8, 50), b = rnd_msg(K256, 12, 8, 50);
        uint8_t out[50], want[50], tag[16], want_tag[16];
        where("after %zu bytes", n);
        CHECK(seal(ref[K256], &b, want, want_tag));
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K256], &a, 1));
        CHECK(aad(x, a.aad, 8) && update(x, out, a.text, n));
        OK(init_key(x, b.key, 1));
        if (!subject_is_default) {
            REFUSED(update(x, out, b.text, 1));
            REFUSED(finish(x));
        }
        OK(init_iv(x, b.iv, 1));
        CHECK(aad(x, b.aad, 8) && update(x, out, b.text, 50) && finish(x) && get_tag(x, tag, 16) == 1);
        CHECK_BYTES(out, want, 50);
        CHECK_BYTES(tag, want_tag, 16);
        EVP_CIPHER_CTX_free(x);
    }
}

/* An abandoned message leaves nothing to the next one. */
static void restart_in_message(void)
{
    for (size_t n = 0; n <= 40; n++) {
        struct msg a = rnd_msg(K192, 12, 40, 50), b = rnd_msg(K192, 12, 8, 50);
        uint8_t out[50], want[50], tag[16], want_tag[16];
        b.key = a.key;
        where("AAD of %zu, text of %zu before", n, n / 2);
        CHECK(seal(ref[K192], &b, want, want_tag));
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K192], &a, 1));
        CHECK(aad(x, a.aad, n) && update(x, out, a.text, n / 2));
        OK(init_iv(x, b.iv, 1));
        CHECK(aad(x, b.aad, 8) && update(x, out, b.text, 50) && finish(x) && get_tag(x, tag, 16) == 1);
        CHECK_BYTES(out, want, 50);
        CHECK_BYTES(tag, want_tag, 16);
        EVP_CIPHER_CTX_free(x);
    }
}

/* init(NULL, NULL) in the middle does nothing. */
static void direction_only_in_message(void)
{
    struct msg m = rnd_msg(K256, 12, 20, 50);
    uint8_t got[50], want[50], tag[16], want_tag[16];
    CHECK(seal(ref[K256], &m, want, want_tag));
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K256], &m, 1));
    OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, 1, NULL));
    CHECK(aad(x, m.aad, 7));
    OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, -1, NULL));
    CHECK(aad(x, m.aad + 7, 13) && update(x, got, m.text, 21));
    OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, 1, NULL));
    CHECK(update(x, got + 21, m.text + 21, 29) && finish(x));
    OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, 1, NULL));
    CHECK(get_tag(x, tag, 16) == 1);
    CHECK_BYTES(got, want, 50);
    CHECK_BYTES(tag, want_tag, 16);
    EVP_CIPHER_CTX_free(x);
}

static void switch_direction(void)
{
    for (int k = 0; k < NKEYS; k++) {
        struct msg m = rnd_msg(k, 12, 13, 70);
        uint8_t ct[70], want[70], out[70], tag[16], want_tag[16];
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(EVP_CipherInit_ex2(x, ours[k], m.key, NULL, 0, NULL));
        for (int i = 0; i < 6; i++) {
            where("%s, round %d", evp_name[k], i);
            const uint8_t *key = m.key;
            m = rnd_msg(k, 12, 13, 70);
            m.key = key;
            CHECK(seal(ref[k], &m, want, want_tag));
            if (i % 3 == 2)
                OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, 1, NULL)); /* direction first, IV after */
            OK(init_iv(x, m.iv, i % 3 == 2 ? -1 : 1));
            CHECK(aad(x, m.aad, 13) && update(x, ct, m.text, 70) && finish(x) && get_tag(x, tag, 16) == 1);
            CHECK_BYTES(ct, want, 70);
            CHECK_BYTES(tag, want_tag, 16);
            OK(init_iv(x, m.iv, 0));
            OK(set_tag(x, tag, 16));
            CHECK(aad(x, m.aad, 13) && update(x, out, ct, 70) && finish(x));
            CHECK_BYTES(out, m.text, 70);
        }
        EVP_CIPHER_CTX_free(x);
    }
}

/* Cipher given again: nothing of the old context survives. */
static void cipher_given_again(void)
{
    struct msg m = rnd_msg(K256, 16, 13, 70);
    uint8_t out[70];
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K256], &m, 1));
    CHECK(aad(x, m.aad, 13));
    OK(EVP_CipherInit_ex2(x, ours[K128], NULL, NULL, 1, NULL));
    CHECK(EVP_CIPHER_CTX_get_iv_length(x) == 12);
    CHECK(EVP_CIPHER_CTX_get_key_length(x) == 16);
    REFUSED(update(x, out, m.text, 70));
    CHECK(works(x, K128));
    CHECK(EVP_CIPHER_CTX_reset(x) == 1);
    OK(EVP_CipherInit_ex2(x, ours[K192], NULL, NULL, 0, NULL));
    CHECK(works(x, K192));
    EVP_CIPHER_CTX_free(x);
}

/* A message of neither text nor AAD. */
static void empty_message(void)
{
    for (int k = 0; k < NKEYS; k++) {
        struct msg m = rnd_msg(k, 12, 0, 0);
        uint8_t none[1], tag[16], want_tag[16];
        where("%s", evp_name[k]);
        CHECK(seal(ref[k], &m, none, want_tag) && seal(ours[k], &m, none, tag));
        CHECK_BYTES(tag, want_tag, 16);
        CHECK(open_(ours[k], &m, none, tag, 16, none));
        tag[15] ^= 0x80;
        CHECK(!open_(ours[k], &m, none, tag, 16, none));
        CHECK(drain().total == 0);
    }
}

static const struct evp_case cases[] = {
    {"G5", "updates of nothing", empty_updates},
    {"G5", "updates of nothing after final", empty_update_after_final},
    {"G6", "*outl after each call", outl_is_set},
    {"G9", "final without output", final_without_output},
    {"BAD", "NULL input with a length", null_input},
    {"G7 D4", "AAD after text", aad_after_text},
    {"G8 G20 G18", "after final", after_final},
    {"G16 D2", "after a failed final", after_failed_final},
    {"G11", "decryption without tag", decrypt_without_tag},
    {"BAD", "no key", without_key},
    {"G18", "new key before the message", new_key_before_message},
    {"G18", "new key in the message", new_key_in_message},
    {"G17", "restart in the message", restart_in_message},
    {"G20", "direction only, in the message", direction_only_in_message},
    {"G27", "switch of direction", switch_direction},
    {"G19", "cipher given again", cipher_given_again},
    {"G1", "empty message", empty_message},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
