/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines that cannot run hwaead, or not all of its tiers: modules of this build whose cpu_x86.c or cpu_arm.c was told that the CPU
 * has less. And a module whose tags are wrong, to see that the self test, and this bench, notice.
 */
#include "evp.h"

#include <string.h>

static OSSL_LIB_CTX *with(const char *module, const char *lines, bool activate)
{
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
    evp_use_module(module);
    CHECK(a != NULL);
    evp_config(a, lines, "?provider=hwaead", activate);
    evp_use_module(NULL);
    ERR_clear_error();
    return a;
}

/* OSSL_PROVIDER_load fails, and one of the errors has the words. */
static bool load_fails(OSSL_LIB_CTX *a, const char *word, const char *word2)
{
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
    bool named = false;
    if (p != NULL)
        OSSL_PROVIDER_unload(p);
    for (;;) {
        const char *data = NULL;
        int flags = 0;
        if (ERR_get_error_all(NULL, NULL, NULL, &data, &flags) == 0)
            return p == NULL && named;
        if ((flags & ERR_TXT_STRING) && strstr(data, word) != NULL && strstr(data, word2) != NULL)
            named = true;
    }
}

static void no_aes(void)
{
    OSSL_LIB_CTX *a = with(POOR_NONE, "", false);
    CHECK(load_fails(a, "hwaead", "AES"));
    CHECK(OSSL_PROVIDER_available(a, "hwaead") == 0);
    OSSL_LIB_CTX_free(a);

    a = with(POOR_NONE, "", true); /* activated: default serves, nothing crashes */
    CHECK(OSSL_PROVIDER_available(a, "hwaead") == 0);
    EVP_CIPHER *c = evp_fetch(a, K256, NULL);
    CHECK(c != NULL && strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c)), "default") == 0);
    EVP_CIPHER_free(c);
    c = evp_fetch(a, K256, "provider=hwaead");
    CHECK(c == NULL);
    EVP_CIPHER_free(c);
    ERR_clear_error();
    OSSL_LIB_CTX_free(a);

    for (int i = 0; i < 3; i++) { /* a tier by name does not help */
        static const char *const lines[] = {"tier = aesni\n", "tier = armv8\n", "strict = 0\n"};
        where("%s", lines[i]);
        a = with(POOR_NONE, lines[i], false);
        CHECK(load_fails(a, "hwaead", "AES"));
        OSSL_LIB_CTX_free(a);
    }
}

/* strict = 1: the ciphers are there, and each use fails with the sentence. */
static void strict(const char *module, const char *lines, const char *word)
{
    OSSL_LIB_CTX *a = with(module, lines, true);
    CHECK(OSSL_PROVIDER_available(a, "hwaead") == 1);
    const char *text = evp_provider_text(a, "hwaead.tier");
    CHECK(text != NULL && strcmp(text, "none") == 0);
    text = evp_provider_text(a, "buildinfo");
    CHECK(text != NULL && strstr(text, word) != NULL);
    int status = 1;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_int("status", &status), OSSL_PARAM_construct_end()};
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
    NEED(p != NULL);
    CHECK(OSSL_PROVIDER_get_params(p, ask) == 1 && status == 0);
    for (int k = 0; k < NKEYS; k++) {
        struct msg m = rnd_msg(k, 12, 5, 16);
        uint8_t out[16], tag[16] = {0};
        where("%s, %s", lines, evp_name[k]);
        EVP_CIPHER *c = evp_fetch(a, k, NULL);
        NEED(c != NULL && strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c)), "hwaead") == 0);
        CHECK(EVP_CIPHER_get_key_length(c) == 16 + 8 * k);
        for (int enc = 0; enc < 2; enc++) {
            EVP_CIPHER_CTX *x = evp_ctx();
            int r = EVP_CipherInit_ex2(x, c, m.key, m.iv, enc, NULL);
            struct queue q = drain();
            CHECK(r != 1 && q.total == 1 && q.ours == 1 && strstr(q.text, word) != NULL);
            memset(out, 0x5a, sizeof out);
            REFUSED(update(x, out, m.text, 16));
            REFUSED(aad(x, m.aad, 5));
            REFUSED(finish(x));
            CHECK(EVP_Cipher(x, out, m.text, 16) == -1);
            ERR_clear_error();
            if (enc)
                REFUSED(get_tag(x, tag, 16));
            CHECK(all_bytes(out, sizeof out, 0x5a));
            EVP_CIPHER_CTX *copy = evp_ctx();
            EVP_CIPHER_CTX_copy(copy, x);
            EVP_CIPHER_CTX_free(copy);
            EVP_CIPHER_CTX_free(x);
            ERR_clear_error();
        }
        EVP_CIPHER_free(c);
    }
    CHECK(OSSL_PROVIDER_self_test(p) == 0);
    struct queue q = drain();
    CHECK(q.total >= 1);
    OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(a);
}

static void no_aes_but_strict(void)
{
    strict(POOR_NONE, "strict = 1\n", "AES");
}

/* A CPU for the least tier alone: that one runs, the others are refused by name. */
static void least(void)
{
    OSSL_LIB_CTX *a = with(POOR_LEAST, "", true);
    const char *text = evp_provider_text(a, "hwaead.tier");
    NEED(text != NULL && strcmp(text, evp_least_tier()) == 0);
    EVP_CIPHER *c = evp_fetch(a, K256, "provider=hwaead");
    EVP_CIPHER_CTX *x = evp_ctx();
    CHECK(c != NULL && EVP_CipherInit_ex2(x, c, NULL, NULL, 1, NULL) == 1 && works(x, K256));
    EVP_CIPHER_CTX_free(x);
    EVP_CIPHER_free(c);
    OSSL_LIB_CTX_free(a);
    static const char *const all[] = {"aesni", "vaes256", "vaes512", "armv8", "armv8_sha3"};
    for (size_t i = 0; i < COUNT(all); i++) {
        char lines[64] = "tier = ";
        if (strcmp(all[i], evp_least_tier()) == 0)
            continue;
        strcat(strcat(lines, all[i]), "\n");
        where("%s", lines);
        a = with(POOR_LEAST, lines, false);
        CHECK(load_fails(a, "tier", all[i]));
        OSSL_LIB_CTX_free(a);
        strict(POOR_LEAST, strcat(lines, "strict = 1\n"), all[i]);
    }
}

/* ---- Wrong tags: is it noticed? ---- */

static void corrupt(void)
{
    OSSL_LIB_CTX *a = with(CORRUPT, "", false);
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
    NEED(p != NULL);
    struct msg m = rnd_msg(K256, 12, 5, 50);
    uint8_t ct[50], want[50], out[50], tag[16], want_tag[16];
    EVP_CIPHER *c = evp_fetch(a, K256, "provider=hwaead");
    NEED(c != NULL);
    CHECK(seal(ref[K256], &m, want, want_tag) && seal(c, &m, ct, tag));
    CHECK(memcmp(tag, want_tag, 16) != 0);
    CHECK(open_(c, &m, ct, tag, 16, out));
    CHECK(!open_(ref[K256], &m, ct, tag, 16, out));
    CHECK(!open_(c, &m, want, want_tag, 16, out));
    EVP_CIPHER_CTX *x = evp_ctx();
    CHECK(EVP_CipherInit_ex2(x, c, NULL, NULL, 1, NULL) == 1);
    CHECK(!works(x, K256)); /* the check that other tests rely on */
    EVP_CIPHER_CTX_free(x);
    EVP_CIPHER_free(c);
    ERR_clear_error();
    CHECK(OSSL_PROVIDER_self_test(p) == 0); /* P18 */
    struct queue q = drain();
    CHECK(q.total == 1 && q.ours == 1 && strstr(q.text, evp_tier()) != NULL);
    OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(a);
}

static const struct evp_case cases[] = {
    {"P16", "a CPU without AES", no_aes},
    {"P16 CFG", "a CPU without AES, strict = 1", no_aes_but_strict},
    {"P16", "a CPU for the least tier", least},
    {"P18", "a module whose tags are wrong", corrupt},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
