/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV: constants, names and parameters.
 */
#include "siv.h"

#include <stdio.h>
#include <string.h>

enum { MODE_GCM_SIV = 65541 }; /* libcrypto 3.0 has no name for it */

static EVP_CIPHER_CTX *begun(int k, int enc)
{
    struct msg m = rnd_msg(k, 12, 0, 0);
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, siv(k), &m, enc));
    return x;
}

/* ---- The cipher ---- */

static void count_name(const char *name, void *arg)
{
    (void)name;
    ++*(int *)arg;
}

static void getters(void)
{
    for (int k = 0; k < NKEYS; k++) {
        const EVP_CIPHER *c = siv(k);
        const unsigned long flags = EVP_CIPHER_get_flags(c);
        int names = 0;
        where("%s", siv_name[k]);
        NEED(c != NULL);
        CHECK(EVP_CIPHER_get_mode(c) == MODE_GCM_SIV);
        CHECK(EVP_CIPHER_get_key_length(c) == 16 + 8 * k);
        CHECK(EVP_CIPHER_get_iv_length(c) == 12);
        CHECK(EVP_CIPHER_get_block_size(c) == 1);
        CHECK(EVP_CIPHER_get_nid(c) == NID_undef);
        CHECK(flags & EVP_CIPH_FLAG_AEAD_CIPHER && flags & EVP_CIPH_CUSTOM_IV && flags & EVP_CIPH_FLAG_CUSTOM_CIPHER);
        CHECK(!(flags & (EVP_CIPH_RAND_KEY | EVP_CIPH_FLAG_CTS | EVP_CIPH_FLAG_TLS1_1_MULTIBLOCK)));
        CHECK(strcmp(EVP_CIPHER_get0_name(c), siv_name[k]) == 0);
        CHECK(EVP_CIPHER_names_do_all(c, count_name, &names) == 1 && names == 1);
        CHECK(EVP_CIPHER_get0_description(c) != NULL);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(EVP_CipherInit_ex2(x, c, NULL, NULL, 1, NULL));
        CHECK(EVP_CIPHER_CTX_get_key_length(x) == 16 + 8 * k && EVP_CIPHER_CTX_get_iv_length(x) == 12);
        CHECK(EVP_CIPHER_CTX_get_tag_length(x) == 16 && EVP_CIPHER_CTX_get_block_size(x) == 1);
        EVP_CIPHER_CTX_free(x);
    }
    ERR_clear_error();
}

static void constants(void)
{
    for (int k = 0; k < NKEYS; k++) {
        size_t block = 9, iv = 9, key = 9;
        unsigned int mode = 9;
        int is_aead = 9, custom = 9, cts = 9, multi = 9, randkey = 9;
        OSSL_PARAM all[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, &block),
                            OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &iv),
                            OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &key),
                            OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_MODE, &mode),
                            OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_AEAD, &is_aead),
                            OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_CUSTOM_IV, &custom),
                            OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_CTS, &cts),
                            OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, &multi),
                            OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_HAS_RAND_KEY, &randkey),
                            OSSL_PARAM_construct_end()};
        where("%s", siv_name[k]);
        EVP_CIPHER *c = EVP_CIPHER_fetch(lib, siv_name[k], NULL);
        NEED(c != NULL);
        OK(EVP_CIPHER_get_params(c, all));
        CHECK(block == 1 && iv == 12 && key == (size_t)(16 + 8 * k) && mode == MODE_GCM_SIV);
        CHECK(is_aead == 1 && custom == 1 && cts == 0 && multi == 0 && randkey == 0);
        EVP_CIPHER_free(c);
    }
}

static void names_and_properties(void)
{
    static const char *const spelled[NKEYS] = {"aes-128-gcm-siv", "Aes-192-Gcm-Siv", "AES-256-gcm-SIV"};
    static const char *const good[] = {"provider=hwaead", "?provider=hwaead", "?provider=hwaead,?fips=yes"};
    char tier[64];
    snprintf(tier, sizeof tier, "hwaead.tier=%s", evp_tier());
    for (int k = 0; k < NKEYS; k++) {
        for (size_t i = 0; i <= COUNT(good); i++) {
            const char *query = i < COUNT(good) ? good[i] : tier;
            where("%s with %s", spelled[k], query);
            EVP_CIPHER *c = EVP_CIPHER_fetch(lib, spelled[k], query);
            if (CHECK(c != NULL))
                CHECK(strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c)), "hwaead") == 0);
            EVP_CIPHER_free(c);
        }
        EVP_CIPHER *c = EVP_CIPHER_fetch(lib, spelled[k], "provider=hwaead,fips=yes");
        CHECK(c == NULL);
        EVP_CIPHER_free(c);
    }
    ERR_clear_error();
}

/* ---- Lists ---- */

struct key {
    const char *name;
    unsigned type;
};

static const struct key gettable[] = {
    {"keylen", OSSL_PARAM_UNSIGNED_INTEGER}, {"taglen", OSSL_PARAM_UNSIGNED_INTEGER}, {"tag", OSSL_PARAM_OCTET_STRING},
    {"ivlen", OSSL_PARAM_UNSIGNED_INTEGER}, {"iv", OSSL_PARAM_OCTET_STRING}, {"updated-iv", OSSL_PARAM_OCTET_STRING},
};
static const struct key settable[] = {
    {"keylen", OSSL_PARAM_UNSIGNED_INTEGER}, {"speed", OSSL_PARAM_UNSIGNED_INTEGER}, {"tag", OSSL_PARAM_OCTET_STRING},
    {"ivlen", OSSL_PARAM_UNSIGNED_INTEGER},
};

static void list_is(const OSSL_PARAM *list, const struct key *keys, size_t n, const char *what)
{
    size_t listed = 0;
    where("%s", what);
    NEED(list != NULL);
    while (list[listed].key != NULL)
        listed++;
    CHECK(listed == n);
    for (size_t i = 0; i < n; i++) {
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(list, keys[i].name);
        where("%s: %s", what, keys[i].name);
        if (CHECK(p != NULL))
            CHECK(p->data_type == keys[i].type);
    }
}

static void lists(void)
{
    for (int k = 0; k < NKEYS; k++) {
        EVP_CIPHER_CTX *x = begun(k, 1);
        list_is(EVP_CIPHER_gettable_ctx_params(siv(k)), gettable, COUNT(gettable), "gettable ctx");
        list_is(EVP_CIPHER_settable_ctx_params(siv(k)), settable, COUNT(settable), "settable ctx");
        list_is(EVP_CIPHER_CTX_gettable_params(x), gettable, COUNT(gettable), "gettable of a ctx");
        list_is(EVP_CIPHER_CTX_settable_params(x), settable, COUNT(settable), "settable of a ctx");
        CHECK(EVP_CIPHER_gettable_params(siv(k)) != NULL);
        EVP_CIPHER_CTX_free(x);
    }
}

/* What libcrypto sends to every cipher, and what nobody knows: skipped. */
static void unknown_keys(void)
{
    static const char *const names[] = {"padding", "num", "use-bits", "tls-version", "tls-mac-size", "rounds", "taglen",
                                        "tlsaad", "tlsivfixed", "tlsivgen", "randkey", "iv", "nonsense", ""};
    for (size_t i = 0; i < COUNT(names); i++) {
        EVP_CIPHER_CTX *x = begun(K256, 1);
        unsigned int number = 77;
        uint8_t octets[13] = {0};
        where("%s", names[i]);
        OK(set_param(x, OSSL_PARAM_construct_uint(names[i], &number)));
        OK(set_param(x, OSSL_PARAM_construct_octet_string(names[i], octets, 13)));
        OSSL_PARAM ask[] = {OSSL_PARAM_construct_uint(names[i], &number), OSSL_PARAM_construct_end()};
        if (strcmp(names[i], "taglen") != 0 && strcmp(names[i], "iv") != 0) {
            OK(EVP_CIPHER_CTX_get_params(x, ask));
            CHECK(!OSSL_PARAM_modified(ask) && number == 77);
        }
        CHECK(siv_works(x, K256));
        EVP_CIPHER_CTX_free(x);
    }
    EVP_CIPHER_CTX *x = begun(K256, 1);
    OSSL_PARAM none[] = {OSSL_PARAM_construct_end()};
    OK(EVP_CIPHER_CTX_set_params(x, none));
    OK(EVP_CIPHER_CTX_get_params(x, none));
    OK(EVP_CIPHER_CTX_set_padding(x, 0));
    OK(EVP_CIPHER_CTX_set_padding(x, 1));
    CHECK(siv_works(x, K256));
    EVP_CIPHER_CTX_free(x);
}

/* ---- Numbers ---- */

static void key_length(void)
{
    for (int k = 0; k < NKEYS; k++) {
        const int mine = 16 + 8 * k;
        size_t n;
        EVP_CIPHER_CTX *x = begun(k, 1);
        OK(get_size(x, "keylen", &n));
        CHECK(n == (size_t)mine);
        for (int len = 0; len <= 64; len++) {
            size_t as_size = (size_t)len;
            int64_t as_int = len;
            where("%s, keylen %d", siv_name[k], len);
            if (len == mine) {
                OK(EVP_CIPHER_CTX_set_key_length(x, len));
                OK(set_param(x, OSSL_PARAM_construct_size_t("keylen", &as_size)));
                OK(set_param(x, OSSL_PARAM_construct_int64("keylen", &as_int)));
            } else {
                CHECK(EVP_CIPHER_CTX_set_key_length(x, len) <= 0);
                CHECK(drain().total <= 1);
                REFUSED(set_param(x, OSSL_PARAM_construct_size_t("keylen", &as_size)));
            }
        }
        OK(get_size(x, "keylen", &n));
        CHECK(n == (size_t)mine && EVP_CIPHER_CTX_get_key_length(x) == mine);
        CHECK(siv_works(x, k));
        EVP_CIPHER_CTX_free(x);
    }
}

/* S13 */
static void nonce_length(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (size_t len = 0; len <= 130; len++) {
            where("%s, ivlen %zu", siv_name[k], len);
            EVP_CIPHER_CTX *x = begun(k, 1);
            size_t n;
            if (len == 12) {
                OK(set_ivlen(x, len));
                OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL));
            } else {
                REFUSED(set_ivlen(x, len));
                CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_IVLEN, (int)len, NULL) <= 0);
                CHECK(drain().total <= 1);
                struct msg bad = rnd_msg(k, 130, 0, 0);
                bad.iv_len = len;
                EVP_CIPHER_CTX *y = evp_ctx();
                CHECK(begin(y, siv(k), &bad, 1) <= 0);
                CHECK(drain().ours == 1); /* to which libcrypto may add its own */
                EVP_CIPHER_CTX_free(y);
            }
            OK(get_size(x, "ivlen", &n));
            CHECK(n == 12 && EVP_CIPHER_CTX_get_iv_length(x) == 12);
            CHECK(siv_works(x, k));
            EVP_CIPHER_CTX_free(x);
        }
    /* set amid a message to what it is: nothing happens */
    struct msg m = rnd_msg(K256, 12, 20, 40);
    uint8_t want[40], out[40], tag[16], got[16];
    siv_reference(&m, want, tag);
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, siv(K256), &m, 1));
    CHECK(aad(x, m.aad, 11));
    OK(set_ivlen(x, 12));
    REFUSED(set_ivlen(x, 16));
    CHECK(aad(x, m.aad + 11, 9) && update(x, out, m.text, 40));
    OK(set_ivlen(x, 12));
    OK(finish(x));
    OK(get_tag(x, got, 16));
    CHECK_BYTES(out, want, 40);
    CHECK_BYTES(got, tag, 16);
    EVP_CIPHER_CTX_free(x);
}

static void wrong_types(void)
{
    static const char *const numbers[] = {"keylen", "ivlen", "taglen"};
    uint8_t octets[8] = {0};
    size_t n = 12;
    EVP_CIPHER_CTX *x = begun(K256, 0);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        int64_t wide = -1;
        uint16_t narrow = 12;
        OSSL_PARAM odd[] = {{numbers[i], OSSL_PARAM_UNSIGNED_INTEGER, &narrow, sizeof narrow, 0},
                            OSSL_PARAM_construct_end()};
        where("%s", numbers[i]);
        REFUSED(get_octets(x, numbers[i], octets, 8));
        OSSL_PARAM ask[] = {OSSL_PARAM_construct_int64(numbers[i], &wide), OSSL_PARAM_construct_end()};
        OK(EVP_CIPHER_CTX_get_params(x, ask));
        CHECK(wide == (i == 0 ? 32 : i == 1 ? 12 : 16));
        REFUSED(EVP_CIPHER_CTX_get_params(x, odd));
        if (i == 2)
            continue;
        wide = -1;
        REFUSED(set_param(x, OSSL_PARAM_construct_octet_string(numbers[i], octets, 8)));
        REFUSED(set_param(x, OSSL_PARAM_construct_int64(numbers[i], &wide)));
        REFUSED(EVP_CIPHER_CTX_set_params(x, odd));
    }
    REFUSED(get_size(x, "iv", &n));
    CHECK(siv_works(x, K256));
    EVP_CIPHER_CTX_free(x);
}

/* ---- The nonce = deviation S6 ---- */

static void nonce_read(void)
{
    static const char *const names[] = {"iv", "updated-iv"};
    for (int k = 0; k < NKEYS; k++)
        for (size_t i = 0; i < COUNT(names); i++) {
            struct msg m = rnd_msg(k, 12, 0, 30), next = rnd_msg(k, 12, 0, 30);
            uint8_t room[40], out[30];
            void *pointer = NULL;
            where("%s, %s", siv_name[k], names[i]);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(EVP_CipherInit_ex2(x, siv(k), m.key, NULL, 1, NULL));
            memset(room, 0xee, sizeof room);
            REFUSED(get_octets(x, names[i], room, 12));
            CHECK(all_bytes(room, sizeof room, 0xee));
            OK(init_iv(x, m.iv, 1));
            for (int point = 0; point < 3; point++) {
                memset(room, 0xee, sizeof room);
                REFUSED(get_octets(x, names[i], room, 11));
                CHECK(all_bytes(room, sizeof room, 0xee));
                OK(get_octets(x, names[i], room, point == 1 ? 40 : 12));
                CHECK_BYTES(room, m.iv, 12);
                CHECK(all_bytes(room + 12, sizeof room - 12, 0xee));
                OSSL_PARAM ask[] = {OSSL_PARAM_construct_octet_ptr(names[i], &pointer, 0), OSSL_PARAM_construct_end()};
                OK(EVP_CIPHER_CTX_get_params(x, ask));
                CHECK(pointer != NULL && memcmp(pointer, m.iv, 12) == 0 && ask[0].return_size == 12);
                OSSL_PARAM size[] = {OSSL_PARAM_construct_octet_string(names[i], NULL, 0), OSSL_PARAM_construct_end()};
                OK(EVP_CIPHER_CTX_get_params(x, size));
                CHECK(size[0].return_size == 12);
                if (point == 0)
                    CHECK(update(x, out, m.text, 30));
                if (point == 1)
                    CHECK(finish(x));
            }
            OK(init_iv(x, next.iv, 1));
            OK(get_octets(x, names[i], room, 12));
            CHECK_BYTES(room, next.iv, 12);
            EVP_CIPHER_CTX_free(x);
        }
}

static const struct evp_case cases[] = {
    {"G35 S18", "what the cipher says of itself", getters},
    {"G35", "constants", constants},
    {"G36 P15", "names and properties", names_and_properties},
    {"G28", "lists", lists},
    {"G28 G29", "unknown keys", unknown_keys},
    {"G29", "length of keys", key_length},
    {"S13", "length of nonces", nonce_length},
    {"G28", "wrong types", wrong_types},
    {"G25", "the nonce read", nonce_read},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
