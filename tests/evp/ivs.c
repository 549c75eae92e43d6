/* SPDX-License-Identifier: Apache-2.0
 *
 * IVs: lengths, orders, reuse of contexts, random ones, reading them back.
 */
#include "evp.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every IV length, the length set before or at init, with little and with much text behind it. */
static void all_lengths(void)
{
    static const size_t lens[] = {0, 1, 40, 700};
    uint8_t got[700], want[700], got_tag[16], want_tag[16];
    for (int k = 0; k < NKEYS; k++)
        for (size_t iv_len = 1; iv_len <= 128; iv_len++)
            for (size_t i = 0; i < COUNT(lens); i++) {
                struct msg m = rnd_msg(k, iv_len, rnd(91), lens[i]);
                where("%s, IV of %zu, text of %zu", evp_name[k], iv_len, m.len);
                CHECK(seal(ref[k], &m, want, want_tag));
                CHECK(seal(ours[k], &m, got, got_tag));
                CHECK_BYTES(got, want, m.len);
                CHECK_BYTES(got_tag, want_tag, 16);
                CHECK(open_(ours[k], &m, want, want_tag, 16, got));
                CHECK_BYTES(got, m.text, m.len);

                EVP_CIPHER_CTX *x = evp_ctx();
                CHECK(EVP_CipherInit_ex2(x, ours[k], m.key, NULL, 1, NULL) == 1);
                CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL) == 1);
                CHECK(EVP_CIPHER_CTX_get_iv_length(x) == (int)iv_len);
                CHECK(init_iv(x, m.iv, -1) == 1 && aad(x, m.aad, m.aad_len) && update(x, got, m.text, m.len) &&
                      finish(x) && get_tag(x, got_tag, 16) == 1);
                CHECK_BYTES(got, want, m.len);
                CHECK_BYTES(got_tag, want_tag, 16);
                EVP_CIPHER_CTX_free(x);
                CHECK(drain().total == 0);
            }
}

/* AAD of 0..90 bytes, each with each key size. */
static void aad_lengths(void)
{
    uint8_t got[64], want[64], got_tag[16], want_tag[16];
    for (int k = 0; k < NKEYS; k++)
        for (size_t n = 0; n <= 90; n++) {
            struct msg m = rnd_msg(k, 12, n, rnd(65));
            where("%s, AAD of %zu, text of %zu", evp_name[k], n, m.len);
            CHECK(seal(ref[k], &m, want, want_tag) && seal(ours[k], &m, got, got_tag));
            CHECK_BYTES(got, want, m.len);
            CHECK_BYTES(got_tag, want_tag, 16);
        }
}

static void bad_lengths(void)
{
    for (int enc = 0; enc < 2; enc++) {
        struct msg m = rnd_msg(K256, 12, 0, 0);
        EVP_CIPHER_CTX *x = evp_ctx();
        where("enc %d", enc);
        OK(begin(x, ours[K256], &m, enc));
        for (int n = -1; n <= 0; n++) { /* some versions of libcrypto answer these themselves */
            CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_IVLEN, n, NULL) != 1);
            CHECK(drain().total <= 1);
        }
        REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_IVLEN, 129, NULL));
        REFUSED(set_ivlen(x, 0));
        REFUSED(set_ivlen(x, 129));
        REFUSED(set_ivlen(x, SIZE_MAX));
        CHECK(EVP_CIPHER_CTX_get_iv_length(x) == 12);
        CHECK(works(x, K256));
        EVP_CIPHER_CTX_free(x);
    }
}

/* G21: the same length leaves the IV as it is, another one takes it away. */
static void length_after_iv(void)
{
    uint8_t got[32], want[32], got_tag[16], want_tag[16];
    for (int enc = 0; enc < 2; enc++)
        for (size_t len = 11; len <= 16; len++) {
            struct msg m = rnd_msg(K256, 12, 7, 32);
            where("enc %d, ivlen %zu after an IV of 12", enc, len);
            EVP_CIPHER_CTX *x = evp_ctx();
            CHECK(seal(ref[K256], &m, want, want_tag));
            OK(begin(x, ours[K256], &m, enc));
            OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_IVLEN, (int)len, NULL));
            if (len == 12) {
                if (!enc)
                    OK(set_tag(x, want_tag, 16));
                CHECK(aad(x, m.aad, 7) && update(x, got, enc ? m.text : want, 32) && finish(x));
                CHECK_BYTES(got, enc ? want : m.text, 32);
                if (enc)
                    CHECK(get_tag(x, got_tag, 16) == 1 && memcmp(got_tag, want_tag, 16) == 0);
            } else {
                memset(got, 0x5a, sizeof got);
                REFUSED(update(x, got, m.text, 32));
                CHECK(all_bytes(got, sizeof got, 0x5a));
                REFUSED(finish(x));
            }
            CHECK(set_ivlen(x, 12) == 1 && works(x, K256));
            EVP_CIPHER_CTX_free(x);
        }
    ERR_clear_error();
}

/* Same length again and again, in the middle of a message as well: no effect at all. */
static void same_length_mid_message(void)
{
    struct msg m = rnd_msg(K128, 12, 20, 100);
    uint8_t got[100], want[100], tag[16], want_tag[16];
    CHECK(seal(ref[K128], &m, want, want_tag));
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K128], &m, 1));
    for (size_t i = 0; i < 20; i++)
        CHECK(set_ivlen(x, 12) == 1 && aad(x, m.aad + i, 1));
    for (size_t i = 0; i < 100; i++)
        CHECK(set_ivlen(x, 12) == 1 && update(x, got + i, m.text + i, 1));
    CHECK(set_ivlen(x, 12) == 1 && finish(x) && set_ivlen(x, 12) == 1 && get_tag(x, tag, 16) == 1);
    CHECK_BYTES(got, want, 100);
    CHECK_BYTES(tag, want_tag, 16);
    EVP_CIPHER_CTX_free(x);
}

/* G22: the length given at init is that of the IV given at init. */
static void length_at_init(void)
{
    static const size_t lens[] = {8, 16, 1, 128, 12, 60};
    uint8_t got_tag[16], want_tag[16], none[1];
    for (size_t i = 0; i < COUNT(lens); i++) {
        struct msg m = rnd_msg(K256, lens[i], 9, 0);
        where("IV of %zu", lens[i]);
        EVP_CIPHER_CTX *r = evp_ctx();
        CHECK(EVP_EncryptInit_ex2(r, ref[K256], m.key, NULL, NULL) == 1);
        CHECK(EVP_CIPHER_CTX_ctrl(r, EVP_CTRL_AEAD_SET_IVLEN, (int)lens[i], NULL) == 1);
        CHECK(init_iv(r, m.iv, 1) == 1 && aad(r, m.aad, 9) && finish(r) && get_tag(r, want_tag, 16) == 1);
        EVP_CIPHER_CTX_free(r);
        CHECK(seal(ours[K256], &m, none, got_tag));
        CHECK_BYTES(got_tag, want_tag, 16);
        CHECK(open_(ours[K256], &m, none, want_tag, 16, none));
    }
    size_t bad = 129;
    OSSL_PARAM list[] = {OSSL_PARAM_construct_size_t("ivlen", &bad), OSSL_PARAM_construct_end()};
    struct msg m = rnd_msg(K256, 128, 0, 0);
    for (bad = 0; bad <= 129; bad += 129) {
        EVP_CIPHER_CTX *x = evp_ctx();
        where("ivlen %zu at init", bad);
        CHECK(EVP_EncryptInit_ex2(x, ours[K256], m.key, m.iv, list) != 1);
        CHECK(drain().total >= 1); /* libcrypto adds one of its own here in some versions */
        CHECK(works(x, K256));
        EVP_CIPHER_CTX_free(x);
    }
}

/* G17 */
static void thousand_ivs(void)
{
    for (int enc = 0; enc < 2; enc++) {
        struct msg m = rnd_msg(K256, 12, 0, 0);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[K256], &m, enc));
        for (int i = 0; i < 1000; i++) {
            uint8_t got[300], want[300], tag[16], want_tag[16];
            const uint8_t *key = m.key;
            m = rnd_msg(K256, 12, rnd(40), rnd(300));
            m.key = key;
            where("enc %d, message %d", enc, i);
            CHECK(seal(ours[K256], &m, want, want_tag));
            CHECK(init_iv(x, m.iv, -1) == 1);
            CHECK(enc || set_tag(x, want_tag, 16) == 1);
            CHECK(aad(x, m.aad, m.aad_len) && update(x, got, enc ? m.text : want, m.len) && finish(x));
            CHECK_BYTES(got, enc ? want : m.text, m.len);
            CHECK(!enc || (get_tag(x, tag, 16) == 1 && memcmp(tag, want_tag, 16) == 0));
        }
        EVP_CIPHER_CTX_free(x);
    }
    CHECK(drain().total == 0);
}

/* G19: cipher, direction, IV length, IV and key in each order that makes sense. */
static void orders(void)
{
    static const char *const order[] = {"LIK", "LKI", "KLI", "ILI-K", "IK", "KI", "B", "LB", "KLIK", "LIKK", "LIIK"};
    uint8_t got[50], want[50], tag[16], want_tag[16];
    for (int enc = 0; enc < 2; enc++)
        for (size_t o = 0; o < COUNT(order); o++)
            for (size_t iv_len = 12; iv_len <= 20; iv_len += 8) {
                bool sets_length = strchr(order[o], 'L') != NULL;
                if (iv_len != 12 && !sets_length)
                    continue;
                struct msg m = rnd_msg(K192, iv_len, 11, 50);
                where("order %s, enc %d, IV of %zu", order[o], enc, iv_len);
                CHECK(seal(ref[K192], &m, want, want_tag));
                EVP_CIPHER_CTX *x = evp_ctx();
                OK(EVP_CipherInit_ex2(x, ours[K192], NULL, NULL, enc, NULL));
                for (const char *c = order[o]; *c != '\0'; c++)
                    switch (*c) {
                    case 'L':
                        OK(set_ivlen(x, iv_len));
                        break;
                    case 'I':
                        OK(init_iv(x, m.iv, -1));
                        break;
                    case 'K':
                        OK(init_key(x, m.key, enc));
                        break;
                    case 'B':
                        OK(EVP_CipherInit_ex2(x, NULL, m.key, m.iv, enc, NULL));
                        break;
                    default:
                        OK(EVP_CipherInit_ex2(x, NULL, NULL, NULL, -1, NULL));
                    }
                CHECK(enc || set_tag(x, want_tag, 16) == 1);
                CHECK(aad(x, m.aad, 11) && update(x, got, enc ? m.text : want, 50) && finish(x));
                CHECK_BYTES(got, enc ? want : m.text, 50);
                CHECK(!enc || (get_tag(x, tag, 16) == 1 && memcmp(tag, want_tag, 16) == 0));
                EVP_CIPHER_CTX_free(x);
            }
    CHECK(drain().total == 0);
}

/* G23 */
static void random_ivs(void)
{
    static const size_t lens[] = {12, 13, 16, 64, 128};
    for (size_t i = 0; i < COUNT(lens); i++) {
        size_t n = lens[i];
        uint8_t iv[2][128], again[128], ct[2][40], tag[16], out[40], want[40], want_tag[16];
        struct msg m = rnd_msg(K256, n, 5, 40);
        for (int j = 0; j < 2; j++) {
            where("IV of %zu, context %d", n, j);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(EVP_EncryptInit_ex2(x, ours[K256], m.key, NULL, NULL));
            OK(set_ivlen(x, n));
            CHECK(aad(x, m.aad, 5));
            OK(get_octets(x, "updated-iv", iv[j], n));
            OK(get_octets(x, "iv", again, n));
            CHECK(memcmp(iv[j], again, n) == 0);
            unsigned generated = 9;
            OSSL_PARAM ask[] = {OSSL_PARAM_construct_uint("iv-generated", &generated), OSSL_PARAM_construct_end()};
            OK(EVP_CIPHER_CTX_get_params(x, ask));
            CHECK(generated == 1);
            CHECK(update(x, ct[j], m.text, 40) && finish(x) && get_tag(x, tag, 16) == 1);
            OK(get_octets(x, "updated-iv", again, n));
            CHECK_BYTES(again, iv[j], n);

            m.iv = iv[j];
            CHECK(seal(ref[K256], &m, want, want_tag));
            CHECK_BYTES(ct[j], want, 40);
            CHECK_BYTES(tag, want_tag, 16);
            CHECK(open_(ours[K256], &m, ct[j], tag, 16, out));
            CHECK(open_(ref[K256], &m, ct[j], tag, 16, out));

            REFUSED(update(x, out, m.text, 1)); /* over; no second random IV by itself */
            OK(init_key(x, m.key, 1));
            REFUSED(update(x, out, m.text, 1));
            EVP_CIPHER_CTX_free(x);
        }
        CHECK(memcmp(iv[0], iv[1], n) != 0);
        CHECK(!all_bytes(iv[0], n, 0));
    }
}

/* Asked for before the message begins, a random IV is that of the message: OpenSSL 4 does so, earlier ones refuse. An IV
 * of the caller's takes its place. */
static void random_iv_asked_for(void)
{
    static const char *const names[] = {"iv", "updated-iv"};
    for (size_t way = 0; way < 8; way++) {
        const bool key_first = way & 1, given_after_all = way & 2;
        const char *name = names[way >> 2];
        struct msg m = rnd_msg(K192, 12, 5, 40);
        uint8_t iv[2][12], ct[40], tag[16], out[40];
        where("%s, key %s, IV given %d", name, key_first ? "first" : "last", given_after_all);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(EVP_EncryptInit_ex2(x, ours[K192], key_first ? m.key : NULL, NULL, NULL));
        OK(get_octets(x, name, iv[0], 12));
        OK(get_octets(x, name, iv[1], 12));
        CHECK_BYTES(iv[1], iv[0], 12);
        CHECK(!all_bytes(iv[0], 12, 0));
        unsigned generated = 9;
        OSSL_PARAM ask[] = {OSSL_PARAM_construct_uint("iv-generated", &generated), OSSL_PARAM_construct_end()};
        OK(EVP_CIPHER_CTX_get_params(x, ask));
        CHECK(generated == 1);
        if (given_after_all)
            OK(init_iv(x, m.iv, 1));
        else
            m.iv = iv[0];
        if (!key_first)
            OK(init_key(x, m.key, 1));
        CHECK(aad(x, m.aad, 5) && update(x, ct, m.text, 40) && finish(x) && get_tag(x, tag, 16) == 1);
        CHECK(open_(ref[K192], &m, ct, tag, 16, out));
        CHECK_BYTES(out, m.text, 40);
        REFUSED(update(x, out, m.text, 1)); /* asking again makes no second one */
        OK(get_octets(x, name, iv[1], 12));
        CHECK_BYTES(iv[1], m.iv, 12);
        REFUSED(update(x, out, m.text, 1));
        EVP_CIPHER_CTX_free(x);
    }
}

/* A random IV also for the empty message, for text without AAD, and through the one-shot call. */
static void random_iv_elsewhere(void)
{
    struct msg m = rnd_msg(K128, 12, 0, 33);
    for (int way = 0; way < 3; way++) {
        uint8_t iv[12], ct[33], tag[16], want[33], want_tag[16];
        where("way %d", way);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(EVP_EncryptInit_ex2(x, ours[K128], m.key, NULL, NULL));
        if (way == 1)
            OK(update(x, ct, m.text, 33));
        if (way == 2)
            CHECK(EVP_Cipher(x, ct, m.text, 33) == 33);
        OK(finish(x));
        OK(get_tag(x, tag, 16));
        OK(get_octets(x, "iv", iv, 12));
        m.iv = iv;
        m.len = way == 0 ? 0 : 33;
        CHECK(seal(ref[K128], &m, want, want_tag));
        CHECK_BYTES(tag, want_tag, 16);
        CHECK_BYTES(ct, want, m.len);
        EVP_CIPHER_CTX_free(x);
        m.len = 33;
    }
}

/* Parent and child go on with one context and one generator that have been used: their IVs differ. */
static void random_iv_after_fork(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 0);
    uint8_t iv[2][12];
    int ends[2], status = -1;
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(EVP_EncryptInit_ex2(x, ours[K256], m.key, NULL, NULL));
    OK(finish(x));
    EVP_CIPHER_CTX_reset(x);
    OK(EVP_EncryptInit_ex2(x, ours[K256], m.key, NULL, NULL));
    NEED(pipe(ends) == 0);
    const pid_t pid = fork();
    const bool made = finish(x) && get_octets(x, "iv", iv[0], 12) == 1;
    if (pid == 0)
        _exit(made && write(ends[1], iv[0], 12) == 12 ? 0 : 1);
    CHECK(pid > 0 && made && read(ends[0], iv[1], 12) == 12);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(memcmp(iv[0], iv[1], 12) != 0);
    close(ends[0]);
    close(ends[1]);
    EVP_CIPHER_CTX_free(x);
}

static void short_random_iv(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 10);
    for (size_t n = 1; n < 12; n++) {
        uint8_t out[10];
        where("ivlen %zu", n);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(EVP_EncryptInit_ex2(x, ours[K256], m.key, NULL, NULL));
        OK(set_ivlen(x, n));
        memset(out, 0x5a, sizeof out);
        REFUSED(update(x, out, m.text, 10));
        CHECK(all_bytes(out, sizeof out, 0x5a));
        CHECK(set_ivlen(x, 12) == 1 && works(x, K256));
        EVP_CIPHER_CTX_free(x);
    }
}

/* An IV that the caller gave is not called generated. */
static void given_is_not_generated(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 0);
    unsigned generated = 9;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_uint("iv-generated", &generated), OSSL_PARAM_construct_end()};
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(EVP_EncryptInit_ex2(x, ours[K256], m.key, m.iv, NULL));
    OK(EVP_CIPHER_CTX_get_params(x, ask));
    CHECK(generated == 0);
    CHECK(finish(x));
    EVP_CIPHER_CTX_free(x);
}

/* G24 */
static void decrypt_without_iv(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 20);
    uint8_t out[20], tag[16] = {0};
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(EVP_DecryptInit_ex2(x, ours[K256], m.key, NULL, NULL));
    OK(set_tag(x, tag, 16));
    memset(out, 0x5a, sizeof out);
    REFUSED(aad(x, m.text, 20));
    REFUSED(update(x, out, m.text, 20));
    REFUSED(finish(x));
    CHECK(all_bytes(out, sizeof out, 0x5a));
    CHECK(works(x, K256));
    EVP_CIPHER_CTX_free(x);
}

/* G25 */
static void read_back(void)
{
    static const char *const names[] = {"iv", "updated-iv"};
    for (size_t i = 0; i < 2; i++)
        for (size_t n = 1; n <= 128; n += n < 12 ? 11 : 29) {
            struct msg m = rnd_msg(K256, n, 0, 0);
            uint8_t room[140];
            where("%s of %zu", names[i], n);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(EVP_DecryptInit_ex2(x, ours[K256], m.key, NULL, NULL));
            OK(set_ivlen(x, n));
            memset(room, 0xee, sizeof room);
            CHECK(get_octets(x, names[i], room, n) != 1); /* none yet */
            CHECK(all_bytes(room, sizeof room, 0xee));
            CHECK(drain().total == 1);

            OK(init_iv(x, m.iv, 1));
            REFUSED(get_octets(x, names[i], room, n - 1));
            CHECK(all_bytes(room, sizeof room, 0xee));
            OK(get_octets(x, names[i], room, n));
            CHECK_BYTES(room, m.iv, n);
            CHECK(all_bytes(room + n, sizeof room - n, 0xee));
            memset(room, 0xee, sizeof room);
            OSSL_PARAM list[] = {OSSL_PARAM_construct_octet_string(names[i], room, n + 1),
                                 OSSL_PARAM_construct_end()};
            OK(EVP_CIPHER_CTX_get_params(x, list));
            CHECK(list[0].return_size == n);
            CHECK_BYTES(room, m.iv, n);
            CHECK(all_bytes(room + n, sizeof room - n, 0xee));

            void *at = NULL;
            OSSL_PARAM ptr[] = {OSSL_PARAM_construct_octet_ptr(names[i], &at, n), OSSL_PARAM_construct_end()};
            OK(EVP_CIPHER_CTX_get_params(x, ptr));
            CHECK(at != NULL && memcmp(at, m.iv, n) == 0);
            if (n <= 16) {
                CHECK(EVP_CIPHER_CTX_get_updated_iv(x, room, n) == 1 && memcmp(room, m.iv, n) == 0);
                CHECK(EVP_CIPHER_CTX_get_original_iv(x, room, n) == 1 && memcmp(room, m.iv, n) == 0);
            }
            CHECK(finish(x));
            OK(get_octets(x, names[i], room, n)); /* after the message, too */
            CHECK_BYTES(room, m.iv, n);
            EVP_CIPHER_CTX_free(x);
        }
}

static const struct evp_case cases[] = {
    {"G1", "IVs of 1..128 bytes", all_lengths},
    {"G1", "AAD of 0..90 bytes", aad_lengths},
    {"G21", "IV lengths that are refused", bad_lengths},
    {"G21", "IV length after the IV", length_after_iv},
    {"G21", "the same IV length in a message", same_length_mid_message},
    {"G22", "IV length at init", length_at_init},
    {"G17", "1000 messages under one key", thousand_ivs},
    {"G19", "orders of IV, length, key", orders},
    {"G23", "random IVs", random_ivs},
    {"G23", "random IVs that are asked for", random_iv_asked_for},
    {"G23", "random IVs in other ways", random_iv_elsewhere},
    {"G23", "random IVs after a fork", random_iv_after_fork},
    {"G23", "random IVs are not short", short_random_iv},
    {"G23", "a given IV is not a generated one", given_is_not_generated},
    {"G24", "decryption without IV", decrypt_without_iv},
    {"G25", "reading the IV", read_back},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
