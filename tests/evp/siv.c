/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV: the order of calls, and what is refused.
 */
#include "siv.h"

#include <string.h>

enum { LEN = 75, AAD = 37 };

static struct msg m;
static uint8_t ct[LEN], out[LEN], tag[16], got[16];

static void fresh(int k)
{
    m = rnd_msg(k, 12, AAD, LEN);
    siv_reference(&m, ct, tag);
}

static EVP_CIPHER_CTX *begun(int k, int enc)
{
    EVP_CIPHER_CTX *x = evp_ctx();
    fresh(k);
    OK(begin(x, siv(k), &m, enc));
    return x;
}

static const uint8_t *input(int enc)
{
    return enc ? m.text : ct;
}

/* The rest of the message m from `aad_done` bytes of AAD on comes out right. */
static void goes_on(EVP_CIPHER_CTX *x, int enc, size_t aad_done)
{
    CHECK(enc || set_tag(x, tag, 16) == 1);
    CHECK(aad(x, m.aad + aad_done, AAD - aad_done));
    OK(update(x, out, input(enc), LEN));
    CHECK_BYTES(out, enc ? ct : m.text, LEN);
    if (enc) {
        OK(get_tag(x, got, 16));
        CHECK_BYTES(got, tag, 16);
    }
    OK(finish(x));
}

/* The message is over: whatever comes next fails with one error each, and writes nothing. */
static void is_over(EVP_CIPHER_CTX *x)
{
    memset(out, 0x5a, LEN);
    REFUSED(update(x, out, m.text, LEN));
    REFUSED(EVP_CipherUpdate(x, out, &(int){0}, m.text, 0));
    REFUSED(aad(x, m.aad, 1));
    REFUSED(finish(x));
    CHECK(all_bytes(out, LEN, 0x5a));
}

static void is_over_without_tag(EVP_CIPHER_CTX *x)
{
    is_over(x);
    memset(got, 0x5a, 16);
    REFUSED(get_tag(x, got, 16));
    CHECK(all_bytes(got, 16, 0x5a));
}

/* ---- The usual ways ---- */

static void plain(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++) {
            where("%s, enc %d", siv_name[k], enc);
            EVP_CIPHER_CTX *x = begun(k, enc);
            goes_on(x, enc, 0);
            if (enc) {
                OK(get_tag(x, got, 16)); /* again, after final */
                CHECK_BYTES(got, tag, 16);
            }
            CHECK(siv_works(x, k));
            EVP_CIPHER_CTX_free(x);
        }
    CHECK(drain().total == 0);
}

/* Every order in which key, nonce and direction may come (contract 4.5). */
static void init_orders(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++)
            for (int way = 0; way < 6; way++) {
                where("%s, enc %d, way %d", siv_name[k], enc, way);
                fresh(k);
                struct msg other = rnd_msg(k, 12, 0, 0);
                EVP_CIPHER_CTX *x = evp_ctx();
                switch (way) {
                case 0:
                    OK(EVP_CipherInit_ex2(x, siv(k), m.key, m.iv, enc, NULL));
                    break;
                case 1:
                    OK(EVP_CipherInit_ex2(x, siv(k), m.key, NULL, enc, NULL));
                    OK(init_iv(x, m.iv, -1));
                    break;
                case 2:
                    OK(EVP_CipherInit_ex2(x, siv(k), NULL, m.iv, enc, NULL));
                    OK(init_key(x, m.key, -1));
                    break;
                case 3:
                    OK(EVP_CipherInit_ex2(x, siv(k), NULL, NULL, enc, NULL));
                    OK(init_iv(x, other.iv, enc));
                    OK(init_key(x, other.key, enc));
                    OK(init_iv(x, m.iv, enc));
                    OK(init_key(x, m.key, enc));
                    break;
                case 4:
                    OK(EVP_CipherInit_ex2(x, siv(k), other.key, other.iv, !enc, NULL));
                    OK(EVP_CipherInit_ex2(x, NULL, m.key, m.iv, enc, NULL));
                    break;
                default:
                    OK(EVP_CipherInit_ex2(x, siv(k), m.key, m.iv, !enc, NULL));
                    OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, enc, NULL));
                    break;
                }
                goes_on(x, enc, 0);
                EVP_CIPHER_CTX_free(x);
            }
}

/* S3 = deviation S1: nothing of the last message's AAD, whether or not it was finished, goes into the next. */
static void no_stale_aad(void)
{
    static const char *const left[] = {"after AAD", "after the text", "after final", "after a refusal"};
    static const char *const again[] = {"nonce", "key and nonce", "key, then nonce"};
    for (size_t l = 0; l < COUNT(left); l++)
        for (size_t a = 0; a < COUNT(again); a++)
            for (size_t aad_len = 0; aad_len <= AAD; aad_len += AAD) {
                where("%s, %s, then AAD of %zu", left[l], again[a], aad_len);
                EVP_CIPHER_CTX *x = begun(K256, 1);
                CHECK(aad(x, m.aad, AAD));
                if (l > 0)
                    CHECK(update(x, out, m.text, LEN));
                if (l == 2)
                    CHECK(finish(x));
                if (l == 3)
                    REFUSED(aad(x, m.aad, 1));
                struct msg next = rnd_msg(K256, 12, aad_len, LEN);
                if (a == 0)
                    next.key = m.key;
                siv_reference(&next, ct, tag);
                if (a == 2)
                    OK(init_key(x, next.key, 1));
                OK(EVP_CipherInit_ex2(x, NULL, a == 1 ? next.key : NULL, next.iv, 1, NULL));
                CHECK(aad(x, next.aad, aad_len) && update(x, out, next.text, LEN) && finish(x));
                OK(get_tag(x, got, 16));
                CHECK_BYTES(out, ct, LEN);
                CHECK_BYTES(got, tag, 16);
                EVP_CIPHER_CTX_free(x);
            }
}

/* A new key alone: a nonce that no text was processed with still waits, for a message without the old AAD. */
static void key_after_aad(void)
{
    for (size_t n = 0; n <= AAD; n++) {
        where("key after AAD of %zu", n);
        EVP_CIPHER_CTX *x = begun(K256, 1);
        CHECK(aad(x, m.aad, n));
        struct msg next = m;
        next.key = rnd_msg(K256, 12, 0, 0).key;
        siv_reference(&next, ct, tag);
        OK(init_key(x, next.key, 1));
        goes_on(x, 1, 0);
        EVP_CIPHER_CTX_free(x);
    }
}

static void direction_only_in_message(void)
{
    for (int enc = 0; enc < 2; enc++) {
        where("enc %d", enc);
        EVP_CIPHER_CTX *x = begun(K256, enc);
        OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, enc, NULL));
        CHECK(aad(x, m.aad, 7));
        OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, -1, NULL));
        OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, !enc, NULL));
        CHECK(aad(x, m.aad + 7, 13));
        OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, enc, NULL));
        goes_on(x, enc, 20);
        EVP_CIPHER_CTX_free(x);
        x = begun(K256, enc); /* between text and final */
        CHECK(enc || set_tag(x, tag, 16) == 1);
        CHECK(aad(x, m.aad, AAD) && update(x, out, input(enc), LEN));
        OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, enc, NULL));
        OK(finish(x));
        EVP_CIPHER_CTX_free(x);
    }
}

/* S16 */
static void switch_direction(void)
{
    for (int k = 0; k < NKEYS; k++) {
        EVP_CIPHER_CTX *x = begun(k, 0);
        for (int i = 0; i < 6; i++) {
            const uint8_t *key = m.key;
            where("%s, round %d", siv_name[k], i);
            m = rnd_msg(k, 12, AAD, LEN);
            m.key = key;
            siv_reference(&m, ct, tag);
            OK(init_iv(x, m.iv, 1));
            goes_on(x, 1, 0);
            OK(init_iv(x, m.iv, 0));
            goes_on(x, 0, 0);
        }
        EVP_CIPHER_CTX_free(x);
    }
}

/* Turned round between text and final: what was sealed is never taken for opened, nor the other way. */
static void switch_before_final(void)
{
    for (int enc = 0; enc < 2; enc++)
        for (unsigned speed = 0; speed < 2; speed++) {
            where("enc %d, speed %u", enc, speed);
            EVP_CIPHER_CTX *x = begun(K256, enc);
            OK(set_param(x, OSSL_PARAM_construct_uint("speed", &speed)));
            CHECK(enc || set_tag(x, tag, 16) == 1);
            CHECK(aad(x, m.aad, AAD) && update(x, out, input(enc), LEN));
            OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, !enc, NULL));
            OK(set_tag(x, tag, 16));
            is_over_without_tag(x);
            CHECK(siv_works(x, K256));
            EVP_CIPHER_CTX_free(x);
        }
}

/* ---- Nothing, and empty messages ---- */

static bool nothing(EVP_CIPHER_CTX *x)
{
    return aad(x, m.aad, 0) && aad(x, NULL, 0);
}

/* S4 = deviation S2: AAD of no bytes is nothing, anywhere. */
static void empty_aad(void)
{
    for (int enc = 0; enc < 2; enc++)
        for (size_t cut = 0; cut <= AAD; cut++) {
            where("enc %d, cut at %zu", enc, cut);
            fresh(K256);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(EVP_CipherInit_ex2(x, siv(K256), NULL, NULL, enc, NULL));
            CHECK(nothing(x)); /* without key and nonce, too */
            OK(begin(x, NULL, &m, enc));
            CHECK(nothing(x) && aad(x, m.aad, cut) && nothing(x));
            goes_on(x, enc, cut);
            CHECK(nothing(x)); /* after final, too, and it brings nothing back */
            is_over(x);
            EVP_CIPHER_CTX_free(x);
            /* between text and final */
            x = begun(K256, enc);
            CHECK(enc || set_tag(x, tag, 16) == 1);
            CHECK(aad(x, m.aad, AAD) && update(x, out, input(enc), LEN) && nothing(x));
            OK(finish(x));
            EVP_CIPHER_CTX_free(x);
        }
    CHECK(drain().total == 0);
}

/* S12, S19: no text at all, and text of no bytes, are the message of no bytes. */
static void empty_message(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (size_t aad_len = 0; aad_len <= 17; aad_len++)
            for (int way = 0; way < 4; way++) {
                struct msg e = rnd_msg(k, 12, aad_len, 0);
                uint8_t want[16], room[1] = {0x5a};
                int n = -7;
                static const char *const ways[] = {"final alone", "update of nothing", "NULL update", "EVP_Cipher"};
                where("%s, AAD of %zu, %s", siv_name[k], aad_len, ways[way]);
                siv_reference(&e, room, want);
                for (int enc = 1; enc >= 0; enc--)
                    for (int wrong = 0; wrong <= !enc; wrong++) {
                        EVP_CIPHER_CTX *x = evp_ctx();
                        OK(begin(x, siv(k), &e, enc));
                        want[3] ^= (uint8_t)wrong;
                        CHECK(enc || set_tag(x, want, 16) == 1);
                        want[3] ^= (uint8_t)wrong;
                        CHECK(aad(x, e.aad, aad_len));
                        if (way == 1)
                            CHECK(update(x, room, e.text, 0));
                        if (way == 2)
                            CHECK(update(x, room, NULL, 0));
                        if (way == 3)
                            CHECK(EVP_Cipher(x, room, e.text, 0) == 0);
                        if (way > 0 && enc)
                            OK(get_tag(x, got, 16));
                        if (wrong)
                            FAILS_SILENTLY(EVP_CipherFinal_ex(x, NULL, &n));
                        else
                            OK(EVP_CipherFinal_ex(x, NULL, &n));
                        CHECK(wrong || n == 0);
                        if (enc) {
                            OK(get_tag(x, got, 16));
                            CHECK_BYTES(got, want, 16);
                        }
                        CHECK(room[0] == 0x5a);
                        EVP_CIPHER_CTX_free(x);
                    }
            }
    CHECK(drain().total == 0);
}

static void outl_is_set(void)
{
    for (int n = 0; n <= 33; n++) {
        int len = -7;
        where("%d bytes", n);
        EVP_CIPHER_CTX *x = begun(K128, 1);
        CHECK(EVP_EncryptUpdate(x, NULL, &len, m.aad, n) == 1 && len == n);
        len = -7;
        CHECK(EVP_EncryptUpdate(x, out, &len, m.text, n) == 1 && len == n);
        len = -7;
        CHECK(EVP_EncryptFinal_ex(x, NULL, &len) == 1 && len == 0);
        len = -7;
        CHECK(EVP_EncryptUpdate(x, out, &len, m.text, 16) == 0 && len <= 0);
        ERR_clear_error();
        EVP_CIPHER_CTX_free(x);
    }
}

/* ---- One text a message ---- */

/* S5 */
static void second_text(void)
{
    for (int enc = 0; enc < 2; enc++)
        for (size_t first = 0; first <= LEN; first += 25)
            for (size_t second = 0; second <= 20; second += 20) {
                where("enc %d, %zu bytes, then %zu", enc, first, second);
                EVP_CIPHER_CTX *x = begun(K256, enc);
                CHECK(enc || set_tag(x, tag, 16) == 1);
                CHECK(aad(x, m.aad, AAD));
                OK(update(x, out, input(enc), first));
                memset(out, 0x5a, LEN);
                REFUSED(EVP_CipherUpdate(x, out, &(int){0}, input(enc), (int)second));
                CHECK(all_bytes(out, LEN, 0x5a));
                is_over_without_tag(x);
                CHECK(siv_works(x, K256));
                EVP_CIPHER_CTX_free(x);
            }
}

static int set_speed(EVP_CIPHER_CTX *x, int on)
{
    return EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_SET_SPEED, on, NULL);
}

/* S6: with speed each text is a message of its own with the AAD of all; the tag is that of the last. */
static void speed(void)
{
    static uint8_t long_ct[600], long_out[600];
    for (int k = 0; k < NKEYS; k++) {
        EVP_CIPHER_CTX *x = begun(k, 1);
        OK(set_speed(x, 1));
        const struct msg all = rnd_msg(k, 12, AAD, 600);
        OK(begin(x, NULL, &all, 1));
        CHECK(aad(x, all.aad, AAD));
        struct msg part = all;
        for (int i = 0; i < 40; i++) {
            part.len = rnd(601);
            part.text = all.text + rnd(601 - part.len);
            where("%s, text %d of %zu bytes", siv_name[k], i, part.len);
            siv_reference(&part, long_ct, tag);
            OK(update(x, long_out, part.text, part.len));
            CHECK_BYTES(long_out, long_ct, part.len);
            OK(get_tag(x, got, 16));
            CHECK_BYTES(got, tag, 16);
        }
        OK(finish(x));
        OK(get_tag(x, got, 16));
        CHECK_BYTES(got, tag, 16);
        REFUSED(update(x, long_out, part.text, part.len)); /* not after final */

        /* opening: the last text decides, and speed is still on */
        for (int last_is_right = 0; last_is_right < 2; last_is_right++) {
            where("%s, last is right %d", siv_name[k], last_is_right);
            OK(init_iv(x, part.iv, 0));
            OK(set_tag(x, tag, 16));
            CHECK(aad(x, part.aad, AAD));
            long_ct[0] ^= (uint8_t)last_is_right;
            OK(update(x, long_out, long_ct, part.len));
            long_ct[0] ^= 1;
            OK(update(x, long_out, long_ct, part.len));
            long_ct[0] ^= (uint8_t)!last_is_right;
            if (last_is_right) {
                OK(finish(x));
                CHECK_BYTES(long_out, part.text, part.len);
            } else {
                FAILS_SILENTLY(finish(x));
                CHECK(all_bytes(long_out, part.len, 0));
            }
        }
        /* AAD after a text is refused here, too */
        OK(init_iv(x, part.iv, 1));
        CHECK(aad(x, part.aad, AAD) && update(x, long_out, part.text, part.len));
        REFUSED(aad(x, part.aad, AAD));
        is_over_without_tag(x);
        EVP_CIPHER_CTX_free(x);
    }
}

/* speed counts from the first text of a message on. */
static void speed_on_and_off(void)
{
    EVP_CIPHER_CTX *x = begun(K256, 1);
    CHECK(aad(x, m.aad, AAD) && update(x, out, m.text, LEN));
    OK(set_speed(x, 1));
    REFUSED(update(x, out, m.text, LEN)); /* too late */
    is_over_without_tag(x);
    OK(init_iv(x, m.iv, 1));
    CHECK(aad(x, m.aad, AAD) && update(x, out, m.text, LEN) && update(x, out, m.text, LEN));
    OK(set_speed(x, 0));
    REFUSED(update(x, out, m.text, LEN)); /* no more */
    is_over_without_tag(x);
    OK(init_iv(x, m.iv, 1));
    CHECK(aad(x, m.aad, AAD) && update(x, out, m.text, LEN));
    REFUSED(update(x, out, m.text, LEN));
    uint8_t octets[4] = {1};
    REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("speed", octets, 4)));
    CHECK(siv_works(x, K256));
    EVP_CIPHER_CTX_free(x);
}

/* S7 = deviation S3 */
static void aad_after_text(void)
{
    for (int enc = 0; enc < 2; enc++)
        for (size_t n = 0; n <= LEN; n += 25) {
            where("enc %d, %zu bytes of text", enc, n);
            EVP_CIPHER_CTX *x = begun(K256, enc);
            CHECK(enc || set_tag(x, tag, 16) == 1);
            CHECK(aad(x, m.aad, 2) && update(x, out, input(enc), n));
            REFUSED(aad(x, m.aad, 3));
            is_over_without_tag(x);
            CHECK(siv_works(x, K256));
            EVP_CIPHER_CTX_free(x);
        }
}

/* S8 = deviation S4 */
static void no_key_or_nonce(void)
{
    for (int enc = 0; enc < 2; enc++)
        for (int have = 0; have < 3; have++) {
            where("enc %d, %s", enc, have == 0 ? "neither key nor nonce" : have == 1 ? "key, no nonce" : "nonce, no key");
            fresh(K256);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(EVP_CipherInit_ex2(x, siv(K256), have == 1 ? m.key : NULL, have == 2 ? m.iv : NULL, enc, NULL));
            OK(set_tag(x, tag, 16));
            is_over_without_tag(x); /* has not begun, that is */
            CHECK(EVP_Cipher(x, out, m.text, LEN) == -1);
            CHECK(drain().total == 1);
            CHECK(EVP_Cipher(x, NULL, m.aad, AAD) == -1);
            CHECK(drain().total == 1);
            CHECK(EVP_Cipher(x, NULL, NULL, 0) == -1);
            CHECK(drain().total == 1);
            CHECK(all_bytes(out, LEN, 0x5a));
            OK(EVP_CipherInit_ex2(x, NULL, have != 1 ? m.key : NULL, have != 2 ? m.iv : NULL, enc, NULL));
            goes_on(x, enc, 0); /* what was missing came, and the failures cost nothing */
            EVP_CIPHER_CTX_free(x);
        }
}

static void null_input(void)
{
    for (int text = 0; text < 2; text++) {
        where("%s", text ? "text" : "AAD");
        EVP_CIPHER_CTX *x = begun(K256, 1);
        memset(out, 0x5a, LEN);
        REFUSED(EVP_EncryptUpdate(x, text ? out : NULL, &(int){0}, NULL, 16));
        CHECK(all_bytes(out, LEN, 0x5a));
        is_over_without_tag(x);
        CHECK(siv_works(x, K256));
        EVP_CIPHER_CTX_free(x);
    }
}

/* After final: neither direction nor key brings the message back; a nonce begins the next. */
static void after_final(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++)
            for (int good = enc; good < 2; good++) {
                where("%s, enc %d, %s tag", siv_name[k], enc, good ? "right" : "wrong");
                EVP_CIPHER_CTX *x = begun(k, enc);
                tag[5] ^= (uint8_t)!good;
                CHECK(enc || set_tag(x, tag, 16) == 1);
                tag[5] ^= (uint8_t)!good;
                CHECK(aad(x, m.aad, AAD) && update(x, out, input(enc), LEN));
                CHECK(finish(x) == good);
                CHECK(drain().total == 0);
                is_over(x);
                OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, enc, NULL));
                is_over(x);
                OK(init_key(x, m.key, enc));
                is_over(x);
                OK(init_iv(x, m.iv, enc));
                if (enc)
                    REFUSED(get_tag(x, got, 16)); /* D1: not that of the last message */
                goes_on(x, enc, 0);
                EVP_CIPHER_CTX_free(x);
            }
}

/* A new key between text and final: the message is lost. */
static void key_after_text(void)
{
    for (int enc = 0; enc < 2; enc++) {
        where("enc %d", enc);
        EVP_CIPHER_CTX *x = begun(K256, enc);
        CHECK(enc || set_tag(x, tag, 16) == 1);
        CHECK(aad(x, m.aad, AAD) && update(x, out, input(enc), LEN));
        OK(init_key(x, m.key, enc));
        REFUSED(finish(x));
        is_over(x);
        OK(init_iv(x, m.iv, enc));
        goes_on(x, enc, 0);
        EVP_CIPHER_CTX_free(x);
    }
}

static void cipher_given_again(void)
{
    EVP_CIPHER_CTX *x = begun(K256, 1);
    CHECK(aad(x, m.aad, 13));
    OK(EVP_CipherInit_ex2(x, siv(K128), NULL, NULL, 1, NULL));
    CHECK(EVP_CIPHER_CTX_get_key_length(x) == 16);
    is_over_without_tag(x); /* no key, that is */
    CHECK(siv_works(x, K128));
    OK(EVP_CipherInit_ex2(x, ours[K256], NULL, NULL, 1, NULL)); /* GCM and back */
    CHECK(works(x, K256));
    OK(EVP_CipherInit_ex2(x, siv(K192), NULL, NULL, 0, NULL));
    CHECK(siv_works(x, K192));
    EVP_CIPHER_CTX_free(x);
}

/* ---- Tags ---- */

/* S9 */
static void no_tag(void)
{
    for (size_t len = 0; len <= LEN; len += LEN)
        for (int by_final = 0; by_final <= (len == 0); by_final++) {
            where("text of %zu%s", len, by_final ? ", by final" : "");
            EVP_CIPHER_CTX *x = begun(K256, 0);
            CHECK(aad(x, m.aad, AAD));
            memset(out, 0x5a, LEN);
            if (by_final)
                REFUSED(finish(x));
            else
                REFUSED(EVP_DecryptUpdate(x, out, &(int){0}, ct, (int)len));
            CHECK(all_bytes(out, LEN, 0x5a));
            OK(set_tag(x, tag, 16)); /* too late */
            is_over_without_tag(x);
            OK(init_iv(x, m.iv, 0));
            goes_on(x, 0, 0);
            EVP_CIPHER_CTX_free(x);
        }
}

static void wrong_tag_lengths(void)
{
    uint8_t room[64] = {0};
    for (int enc = 0; enc < 2; enc++) {
        EVP_CIPHER_CTX *x = begun(K256, enc);
        CHECK(enc || set_tag(x, tag, 16) == 1);
        for (size_t n = 0; n <= 64; n++) {
            if (n == 16)
                continue;
            where("enc %d, tag of %zu", enc, n);
            REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tag", room, n)));
            if (n > 0)
                REFUSED(set_tag(x, room, n));
            if (n > 0)
                REFUSED(set_tag(x, NULL, n));
        }
        CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, -1, room) != 1);
        CHECK(drain().total <= 1);
        if (enc)
            OK(set_tag(x, NULL, 16)); /* how a program says how long a tag it is going to read */
        else
            REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tag", NULL, 16)));
        size_t number = 16;
        REFUSED(set_param(x, OSSL_PARAM_construct_size_t("tag", &number)));
        /* the message is none the worse, and the good tag is still there */
        CHECK(aad(x, m.aad, AAD) && update(x, out, input(enc), LEN) && finish(x));
        CHECK_BYTES(out, enc ? ct : m.text, LEN);
        EVP_CIPHER_CTX_free(x);
    }
}

/* S10: any time before the text. A tag survives inits. */
static void set_at_any_time(void)
{
    static const char *const when[] = {"before key and nonce", "with the cipher", "between key and nonce",
                                       "between nonce and key", "with key and nonce", "before AAD", "in the AAD",
                                       "after AAD", "for the message before"};
    for (int k = 0; k < NKEYS; k++)
        for (size_t w = 0; w < COUNT(when); w++)
            for (int good = 0; good < 2; good++) {
                fresh(k);
                if (!good)
                    tag[w] ^= (uint8_t)(1 << w % 8);
                where("%s, %s tag %s", siv_name[k], good ? "right" : "wrong", when[w]);
                OSSL_PARAM with_tag[] = {OSSL_PARAM_construct_octet_string("tag", tag, 16), OSSL_PARAM_construct_end()};
                EVP_CIPHER_CTX *x = evp_ctx();
                OK(EVP_DecryptInit_ex2(x, siv(k), NULL, NULL, w == 1 ? with_tag : NULL));
                CHECK(w != 0 || set_tag(x, tag, 16) == 1);
                if (w == 3) {
                    OK(init_iv(x, m.iv, 0));
                    OK(set_tag(x, tag, 16));
                    OK(init_key(x, m.key, 0));
                } else if (w == 4) {
                    OK(EVP_DecryptInit_ex2(x, NULL, m.key, m.iv, with_tag));
                } else {
                    OK(init_key(x, m.key, 0));
                    CHECK(w != 2 || set_tag(x, tag, 16) == 1);
                    OK(init_iv(x, m.iv, 0));
                }
                if (w == 8) {
                    OK(set_tag(x, tag, 16));
                    CHECK(aad(x, m.aad, 3));
                    OK(update(x, out, ct, LEN));
                    FAILS_SILENTLY(finish(x));
                    OK(init_iv(x, m.iv, 0));
                }
                CHECK(w != 5 || set_tag(x, tag, 16) == 1);
                CHECK(aad(x, m.aad, 9));
                CHECK(w != 6 || set_tag(x, tag, 16) == 1);
                CHECK(aad(x, m.aad + 9, AAD - 9));
                CHECK(w != 7 || set_tag(x, tag, 16) == 1);
                OK(update(x, out, ct, LEN));
                if (good) {
                    OK(finish(x));
                    CHECK_BYTES(out, m.text, LEN);
                } else {
                    FAILS_SILENTLY(finish(x));
                    CHECK(all_bytes(out, LEN, 0));
                }
                EVP_CIPHER_CTX_free(x);
            }
}

/* A tag that comes after the text changes nothing any more. */
static void set_after_text(void)
{
    for (int good = 0; good < 2; good++) {
        uint8_t wrong[16] = {0};
        where("%s tag before", good ? "right" : "wrong");
        EVP_CIPHER_CTX *x = begun(K256, 0);
        OK(set_tag(x, good ? tag : wrong, 16));
        CHECK(aad(x, m.aad, AAD));
        OK(update(x, out, ct, LEN));
        OK(set_tag(x, good ? wrong : tag, 16));
        if (good)
            OK(finish(x));
        else
            FAILS_SILENTLY(finish(x));
        EVP_CIPHER_CTX_free(x);
    }
}

/* While sealing it is accepted, and that is all. */
static void set_on_encrypt(void)
{
    EVP_CIPHER_CTX *x = begun(K256, 1);
    uint8_t other[16] = {1, 2, 3};
    OK(set_tag(x, other, 16));
    CHECK(aad(x, m.aad, AAD));
    OK(set_tag(x, other, 16));
    REFUSED(get_tag(x, got, 16));
    CHECK(update(x, out, m.text, LEN));
    OK(set_tag(x, other, 16));
    OK(get_tag(x, got, 16));
    CHECK_BYTES(got, tag, 16);
    CHECK_BYTES(out, ct, LEN);
    OK(finish(x));
    OK(init_iv(x, m.iv, 0));
    CHECK(aad(x, m.aad, AAD));
    REFUSED(update(x, out, ct, LEN)); /* it does not count for opening */
    EVP_CIPHER_CTX_free(x);
}

/* S14 */
static void get_tags(void)
{
    for (int k = 0; k < NKEYS; k++) {
        uint8_t room[32];
        where("%s", siv_name[k]);
        EVP_CIPHER_CTX *x = begun(k, 1);
        memset(room, 0xee, sizeof room);
        REFUSED(get_tag(x, room, 16)); /* too early */
        CHECK(aad(x, m.aad, AAD));
        REFUSED(get_tag(x, room, 16));
        CHECK(update(x, out, m.text, LEN));
        for (int after = 0; after < 2; after++) {
            for (size_t n = 0; n <= 32; n++) {
                where("%s, %zu bytes%s", siv_name[k], n, after ? ", after final" : "");
                memset(room, 0xee, sizeof room);
                if (n != 16)
                    REFUSED(get_octets(x, "tag", room, n));
                else
                    OK(get_octets(x, "tag", room, n));
                CHECK(all_bytes(room + (n == 16 ? 16 : 0), n == 16 ? 16 : 32, 0xee));
                CHECK(n != 16 || memcmp(room, tag, 16) == 0);
            }
            OK(get_tag(x, room, 16));
            CHECK_BYTES(room, tag, 16);
            REFUSED(get_tag(x, room, 12));
            OSSL_PARAM ask[] = {OSSL_PARAM_construct_octet_string("tag", NULL, 0), OSSL_PARAM_construct_end()};
            OK(EVP_CIPHER_CTX_get_params(x, ask));
            CHECK(ask[0].return_size == 16);
            size_t number;
            REFUSED(get_size(x, "tag", &number));
            if (!after)
                OK(finish(x));
        }
        EVP_CIPHER_CTX_free(x);
    }
    EVP_CIPHER_CTX *x = begun(K256, 0);
    REFUSED(get_tag(x, got, 16));
    goes_on(x, 0, 0);
    REFUSED(get_tag(x, got, 16));
    OK(init_iv(x, m.iv, 1));
    REFUSED(get_tag(x, got, 16)); /* nor does the switch to sealing give it out */
    EVP_CIPHER_CTX_free(x);
}

/* S11: the update succeeds with zeros, final says 0 and queues nothing; the next message is right. */
static void forged(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (int in_place = 0; in_place < 2; in_place++)
            for (int bit = 0; bit < 128; bit++) {
                where("%s, bit %d of the tag%s", siv_name[k], bit, in_place ? ", in place" : "");
                EVP_CIPHER_CTX *x = begun(k, 0);
                tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
                OK(set_tag(x, tag, 16));
                tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
                CHECK(aad(x, m.aad, AAD));
                memcpy(out, in_place ? ct : m.text, LEN);
                OK(update(x, out, in_place ? out : ct, LEN));
                CHECK(all_bytes(out, LEN, 0));
                FAILS_SILENTLY(finish(x));
                if (bit % 32 == 0)
                    is_over(x);
                OK(init_iv(x, m.iv, 0));
                goes_on(x, 0, 0);
                EVP_CIPHER_CTX_free(x);
            }
}

/* ---- EVP_Cipher ---- */

static void one_shot(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++)
            for (unsigned piece = 1; piece <= AAD; piece += 3) {
                where("%s, enc %d, AAD in pieces of %u", siv_name[k], enc, piece);
                EVP_CIPHER_CTX *x = begun(k, enc);
                CHECK(enc || set_tag(x, tag, 16) == 1);
                for (unsigned at = 0; at < AAD; at += piece) {
                    unsigned n = piece < AAD - at ? piece : AAD - at;
                    CHECK(EVP_Cipher(x, NULL, m.aad + at, n) == (int)n);
                    CHECK(EVP_Cipher(x, NULL, m.aad, 0) == 0);
                }
                CHECK(EVP_Cipher(x, out, input(enc), LEN) == LEN);
                CHECK(EVP_Cipher(x, NULL, NULL, 0) == 0);
                CHECK_BYTES(out, enc ? ct : m.text, LEN);
                CHECK(!enc || (get_tag(x, got, 16) == 1 && memcmp(got, tag, 16) == 0));
                CHECK(drain().total == 0);
                CHECK(EVP_Cipher(x, NULL, NULL, 0) == -1); /* over */
                CHECK(drain().total == 1);
                CHECK(EVP_Cipher(x, out, m.text, LEN) == -1);
                CHECK(drain().total == 1);
                EVP_CIPHER_CTX_free(x);
            }
}

static void one_shot_failures(void)
{
    EVP_CIPHER_CTX *x = begun(K256, 0);
    CHECK(EVP_Cipher(x, NULL, m.aad, AAD) == AAD);
    CHECK(EVP_Cipher(x, out, ct, LEN) == -1); /* no tag */
    CHECK(drain().total == 1);
    OK(init_iv(x, m.iv, 0));
    tag[15] ^= 1;
    OK(set_tag(x, tag, 16));
    tag[15] ^= 1;
    CHECK(EVP_Cipher(x, NULL, m.aad, AAD) == AAD && EVP_Cipher(x, out, ct, LEN) == LEN);
    CHECK(all_bytes(out, LEN, 0));
    CHECK(EVP_Cipher(x, NULL, NULL, 0) == -1); /* forged: no 0, which would read as success */
    CHECK(drain().total == 0);
    OK(init_iv(x, m.iv, 0));
    OK(set_tag(x, tag, 16));
    CHECK(EVP_Cipher(x, NULL, m.aad, AAD) == AAD && EVP_Cipher(x, out, ct, LEN) == LEN);
    CHECK(EVP_Cipher(x, out, ct, LEN) == -1); /* a second text */
    CHECK(drain().total == 1);
    CHECK(EVP_Cipher(x, NULL, NULL, 0) == -1);
    CHECK(drain().total == 1);
    OK(init_iv(x, m.iv, 0));
    goes_on(x, 0, 0);
    EVP_CIPHER_CTX_free(x);
}

/* ---- S15: copies ---- */

static void copies(void)
{
    static const char *const at[] = {"init", "AAD", "text", "final", "refusal"};
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++)
            for (int point = 0; point < (int)COUNT(at); point++)
                for (size_t n = 0; n <= (point == 1 ? AAD : 0); n++)
                    for (int kept = 0; kept < 3; kept++) {
                        where("%s, enc %d, copied at %s %zu, kept %d", siv_name[k], enc, at[point], n, kept);
                        EVP_CIPHER_CTX *x[2] = {begun(k, enc), evp_ctx()};
                        CHECK(enc || set_tag(x[0], tag, 16) == 1);
                        if (point > 0)
                            CHECK(aad(x[0], m.aad, point == 1 ? n : AAD));
                        if (point > 1)
                            CHECK(update(x[0], out, input(enc), LEN));
                        if (point == 3)
                            CHECK(finish(x[0]));
                        if (point == 4)
                            REFUSED(aad(x[0], m.aad, 1));
                        if (kept == 2)
                            OK(begin(x[1], siv((k + 1) % NKEYS), &m, 1)); /* a used context as the target */
                        OK(EVP_CIPHER_CTX_copy(x[1], x[0]));
                        if (kept == 0) {
                            EVP_CIPHER_CTX_free(x[0]);
                            x[0] = NULL;
                        }
                        for (int i = 1; i >= 0; i--) {
                            if (x[i] == NULL)
                                continue;
                            if (point < 2)
                                goes_on(x[i], enc, point == 1 ? n : 0);
                            else if (point == 2)
                                OK(finish(x[i]));
                            else
                                is_over(x[i]);
                            if (enc && point < 4) {
                                OK(get_tag(x[i], got, 16));
                                CHECK_BYTES(got, tag, 16);
                            }
                            OK(init_iv(x[i], m.iv, enc)); /* the key went along */
                            goes_on(x[i], enc, 0);
                        }
                        EVP_CIPHER_CTX_free(x[0]);
                        EVP_CIPHER_CTX_free(x[1]);
                    }
    CHECK(drain().total == 0);
}

/* ---- S18: one program, the same on every libcrypto ---- */

/* Each message is made of the one before: key and nonce of its text and tag. The last tag was computed with Python's
 * cryptography 50.0.2 (OpenSSL 4.0.3); tests/programs/test_siv_differential.py computes it again. */
static void chain(void)
{
    static const uint8_t last[16] = {0x31, 0x2e, 0xe1, 0x68, 0x69, 0xb0, 0x10, 0xdf, 0x8d, 0xa9, 0xce, 0xfe, 0xaa, 0xee, 0x08, 0xe0};
    uint8_t text[232] = {0}, t[16] = {0};
    for (size_t i = 0; i < 200; i++) {
        uint8_t key[32], iv[12], head[40];
        memcpy(key, text, 16);
        memcpy(key + 16, t, 16);
        memcpy(iv, t, 12);
        iv[0] ^= (uint8_t)i;
        memcpy(head, text + 32, 40);
        struct msg step = {.k = (int)(i % 3), .key = key, .iv = iv, .iv_len = 12, .aad = head, .aad_len = i % 41,
                           .text = text, .len = 32 + i};
        where("message %zu", i);
        CHECK(seal(siv(step.k), &step, text, t));
    }
    CHECK_BYTES(t, last, 16);
    CHECK(drain().total == 0);
}

static const struct evp_case cases[] = {
    {"S1 S18", "the usual way", plain},
    {"S10 S16", "orders of key and nonce", init_orders},
    {"S3", "no stale AAD", no_stale_aad},
    {"S3", "a new key after AAD", key_after_aad},
    {"S16", "direction only, in the message", direction_only_in_message},
    {"S16", "switch of direction", switch_direction},
    {"S16", "switch of direction before final", switch_before_final},
    {"S4", "AAD of no bytes", empty_aad},
    {"S12 S19", "empty message", empty_message},
    {"S19", "*outl after each call", outl_is_set},
    {"S5", "a second text", second_text},
    {"S6", "speed", speed},
    {"S6", "speed on and off", speed_on_and_off},
    {"S7", "AAD after the text", aad_after_text},
    {"S8", "no key or no nonce", no_key_or_nonce},
    {"S8", "NULL input with a length", null_input},
    {"S5", "after final", after_final},
    {"S5", "a new key after the text", key_after_text},
    {"S16", "cipher given again", cipher_given_again},
    {"S9", "no tag", no_tag},
    {"S9", "wrong lengths of tags", wrong_tag_lengths},
    {"S10", "tag set at any time", set_at_any_time},
    {"S10", "tag set after the text", set_after_text},
    {"S10", "tag set while sealing", set_on_encrypt},
    {"S14", "tags read", get_tags},
    {"S11", "forged", forged},
    {"S1 S11", "EVP_Cipher", one_shot},
    {"S5 S9 S11", "EVP_Cipher failing", one_shot_failures},
    {"S15", "copies", copies},
    {"S18", "a chain of messages", chain},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
