/* SPDX-License-Identifier: Apache-2.0
 *
 * The keys of our section in openssl.cnf: what each does, and that no malformed value passes.
 */
#include "direct.h"
#include "evp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwaead/hwaead.h>

static OSSL_LIB_CTX *with(const char *lines, bool activate)
{
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
    if (a == NULL)
        abort();
    evp_config(a, lines, NULL, activate);
    return a;
}

static const struct {
    const char *key, *bad[18], *good[16];
} keys[] = {
    {"tier", {"fast", "AESNI", "aesni,vaes256", "vaes", "0", "1", "none", "vaes5122", "aesn", "armv8-sha3", NULL},
     {"auto", NULL}},
    {"strict", {"2", "-1", "maybe", "01", "1x", "truee", "enable", "10", NULL}, {"0", "1", NULL}},
    {"replace_ctr_drbg", {"2", "-1", "maybe", "both", "HWAEAD-CTR-DRBG", NULL}, {"0", "1", NULL}},
    {"stats", {"2", "-1", "maybe", "all", "1.0", NULL}, {"0", "1", NULL}},
    {"min_tag",
     {"0", "17", "-1", "twelve", "4 bytes", "0x4", "1e1", "99999999999999999999999", "18446744073709551617", "+4",
      "4.0", NULL},
     {"1", "4", "8", "12", "13", "14", "15", "16", NULL}},
    {"reseed_seconds", {"0", "3601", "-1", "minute", "60 s", "1.5", "99999999999999999999999", NULL},
     {"1", "60", "3600", NULL}},
};

/* Loaded explicitly, the error is in the queue, with key and value in its text; nothing is offered. */
static void malformed(void)
{
    for (size_t k = 0; k < COUNT(keys); k++)
        for (size_t i = 0; keys[k].bad[i] != NULL; i++) {
            char lines[128];
            where("%s = %s", keys[k].key, keys[k].bad[i]);
            snprintf(lines, sizeof lines, "%s = %s\n", keys[k].key, keys[k].bad[i]);
            OSSL_LIB_CTX *a = with(lines, false);
            ERR_clear_error();
            OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
            CHECK(p == NULL);
            bool named = false;
            for (;;) {
                const char *data = NULL;
                int flags = 0;
                if (ERR_get_error_all(NULL, NULL, NULL, &data, &flags) == 0)
                    break;
                if ((flags & ERR_TXT_STRING) && strstr(data, keys[k].key) != NULL &&
                    strstr(data, keys[k].bad[i]) != NULL && strstr(data, "hwaead") != NULL)
                    named = true;
            }
            CHECK(named);
            CHECK(OSSL_PROVIDER_available(a, "hwaead") == 0);
            EVP_CIPHER *c = evp_fetch(a, K256, "provider=hwaead");
            CHECK(c == NULL);
            EVP_CIPHER_free(c);
            c = evp_fetch(a, K256, "?provider=hwaead"); /* default serves */
            CHECK(c != NULL);
            EVP_CIPHER_free(c);
            if (p != NULL)
                OSSL_PROVIDER_unload(p);
            OSSL_LIB_CTX_free(a);

            /* activated by the file: swallowed by libcrypto, but not loaded */
            a = with(lines, true);
            CHECK(OSSL_PROVIDER_available(a, "hwaead") == 0);
            OSSL_LIB_CTX_free(a);
            ERR_clear_error();
        }
}

static void well_formed(void)
{
    for (size_t k = 0; k < COUNT(keys); k++)
        for (size_t i = 0; keys[k].good[i] != NULL; i++) {
            char lines[128];
            where("%s = %s", keys[k].key, keys[k].good[i]);
            snprintf(lines, sizeof lines, "%s = %s\n", keys[k].key, keys[k].good[i]);
            OSSL_LIB_CTX *a = with(lines, true);
            CHECK(OSSL_PROVIDER_available(a, "hwaead") == 1);
            CHECK(drain().total == 0);
            OSSL_LIB_CTX_free(a);
        }
}

/* An empty value cannot come out of a file; from a core it can. */
static void odd_values(void)
{
    OSSL_provider_init_fn *entry = direct_entry(evp_module());
    char longest[3000];
    memset(longest, '1', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const char *const odd[] = {"", " ", "\t1", "1 ", "%s%n", longest};
    for (size_t k = 0; k < COUNT(keys); k++)
        for (size_t i = 0; i < COUNT(odd); i++) {
            const char *settings[] = {keys[k].key, odd[i], NULL};
            struct core core = {.settings = settings};
            struct direct d;
            where("%s = \"%.20s\"", keys[k].key, odd[i]);
            int r = direct_start(&d, entry, &core);
            CHECK(r == 0 && core.errors == 1);
            CHECK(strstr(core.text, keys[k].key) != NULL && strchr(core.text, '=') != NULL);
            if (r == 1)
                d.teardown(d.prov);
        }
}

static void unknown_keys(void)
{
    OSSL_LIB_CTX *a = with("isa = avx\nnonsense = 17\nciphers = none\nTIER = fast\nrand = off\n", true);
    CHECK(OSSL_PROVIDER_available(a, "hwaead") == 1);
    CHECK(drain().total == 0);
    OSSL_LIB_CTX_free(a);
}

/* Each tier that runs here can be forced and says so; each that does not is refused by name. */
static void tiers(void)
{
    static const char *const all[] = {"aesni", "vaes256", "vaes512", "armv8", "armv8_sha3"};
    for (size_t i = 0; i < COUNT(all); i++) {
        hwaead_tier t;
        bool runs = false;
        CHECK(hwaead_tier_by_name(&t, all[i]) == HWAEAD_OK);
        for (size_t j = 0; hwaead_tier_runnable(j) != HWAEAD_TIER_AUTO; j++)
            runs |= hwaead_tier_runnable(j) == t;
        char lines[64];
        snprintf(lines, sizeof lines, "tier = %s\n", all[i]);
        where("tier = %s, which %s here", all[i], runs ? "runs" : "does not run");
        OSSL_LIB_CTX *a = with(lines, false);
        OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
        if (runs) {
            NEED(p != NULL);
            CHECK(strcmp(evp_provider_text(a, "hwaead.tier"), all[i]) == 0);
            EVP_CIPHER *c = evp_fetch(a, K256, "provider=hwaead");
            EVP_CIPHER_CTX *x = evp_ctx();
            CHECK(c != NULL && EVP_CipherInit_ex2(x, c, NULL, NULL, 1, NULL) == 1 && works(x, K256));
            EVP_CIPHER_CTX_free(x);
            EVP_CIPHER_free(c);
        } else {
            CHECK(p == NULL);
            struct queue q = drain();
            CHECK(q.total >= 1);
        }
        if (p != NULL)
            OSSL_PROVIDER_unload(p);
        OSSL_LIB_CTX_free(a);
    }
    OSSL_LIB_CTX *a = with("", true);
    CHECK(strcmp(evp_provider_text(a, "hwaead.tier"), hwaead_tier_name(hwaead_tier_runnable(0))) == 0);
    OSSL_LIB_CTX_free(a);
    ERR_clear_error();
}

/* min_tag: shorter tags are refused, both read and set; the rest works. */
static void shortest_tag(void)
{
    for (size_t least = 1; least <= 16; least++) {
        char lines[64];
        uint8_t tag[16], ct[30], out[30];
        struct msg m = rnd_msg(K256, 12, 4, 30);
        snprintf(lines, sizeof lines, "min_tag = %zu\n", least);
        OSSL_LIB_CTX *a = with(lines, true);
        EVP_CIPHER *c = evp_fetch(a, K256, "provider=hwaead");
        NEED(c != NULL);
        CHECK(seal(c, &m, ct, tag));
        for (size_t n = 1; n <= 16; n++) {
            uint8_t got[16];
            where("min_tag = %zu, tag of %zu", least, n);
            EVP_CIPHER_CTX *x = evp_ctx();
            CHECK(begin(x, c, &m, 1) == 1 && aad(x, m.aad, 4) && update(x, out, m.text, 30) && finish(x));
            if (n < least)
                REFUSED(get_tag(x, got, n));
            else
                OK(get_tag(x, got, n));
            CHECK(begin(x, NULL, &m, 0) == 1);
            if (n < least) {
                REFUSED(set_tag(x, tag, n));
                CHECK(aad(x, m.aad, 4) && update(x, out, ct, 30));
                REFUSED(finish(x)); /* so there is none */
            } else {
                OK(set_tag(x, tag, n));
                CHECK(aad(x, m.aad, 4) && update(x, out, ct, 30));
                OK(finish(x));
            }
            EVP_CIPHER_CTX_free(x);
        }
        EVP_CIPHER_free(c);
        OSSL_LIB_CTX_free(a);
    }
}

/* stats = 1: what was done is counted, and nothing else; without it there is nothing to read. */
static uint64_t counter(OSSL_LIB_CTX *a, const char *key)
{
    uint64_t n = UINT64_MAX;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_uint64(key, &n), OSSL_PARAM_construct_end()};
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
    if (p == NULL || OSSL_PROVIDER_get_params(p, ask) != 1)
        n = UINT64_MAX - 1;
    OSSL_PROVIDER_unload(p);
    return n;
}

static void counters(void)
{
    OSSL_LIB_CTX *a = with("stats = 1\n", true), *b = with("", true);
    struct msg m = rnd_msg(K128, 12, 4, 30);
    uint8_t ct[30], tag[16], out[30];
    EVP_CIPHER *c = evp_fetch(a, K128, "provider=hwaead");
    NEED(c != NULL);
    CHECK(counter(b, "hwaead.sealed") == UINT64_MAX); /* unknown there */
    CHECK(counter(a, "hwaead.sealed") == 0 && counter(a, "hwaead.opened") == 0);
    for (int i = 0; i < 5; i++)
        CHECK(seal(c, &m, ct, tag));
    for (int i = 0; i < 3; i++)
        CHECK(open_(c, &m, ct, tag, 16, out));
    tag[0] ^= 1;
    CHECK(!open_(c, &m, ct, tag, 16, out)); /* not counted */
    CHECK(counter(a, "hwaead.sealed") == 5 && counter(a, "hwaead.opened") == 3);
    CHECK(counter(a, "hwaead.aes-128-gcm.sealed") == 5 && counter(a, "hwaead.aes-256-gcm.sealed") == 0);
    CHECK(counter(a, "hwaead.tls-records") == 0);
    uint8_t fixed[4] = {1, 2, 3, 4}, header[13] = {[12] = 60}, record[60] = {0};
    EVP_CIPHER_CTX *x = evp_ctx();
    CHECK(EVP_EncryptInit_ex2(x, c, m.key, NULL, NULL) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, 4, fixed) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == 16 && update(x, record, record, 60));
    CHECK(counter(a, "hwaead.sealed") == 6 && counter(a, "hwaead.tls-records") == 1);
    EVP_CIPHER_CTX_free(x);
    EVP_CIPHER_free(c);
    OSSL_LIB_CTX_free(a);
    OSSL_LIB_CTX_free(b);
}

static const char *serves(OSSL_LIB_CTX *a, const char *properties)
{
    EVP_CIPHER *c = evp_fetch(a, K256, properties);
    const char *name = c == NULL ? "nobody" : OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c));
    EVP_CIPHER_CTX *x = evp_ctx();
    CHECK(c != NULL && EVP_CipherInit_ex2(x, c, NULL, NULL, 1, NULL) == 1 && works(x, K256));
    EVP_CIPHER_CTX_free(x);
    EVP_CIPHER_free(c);
    return strcmp(name, "hwaead") == 0 ? "hwaead" : strcmp(name, "default") == 0 ? "default" : "another";
}

/* C2: default_properties decide, in whatever order the providers are named. */
static void order(void)
{
    for (int first = 0; first < 2; first++) {
        OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
        where("%s named first", first ? "hwaead" : "default");
        evp_hwaead_first = first;
        CHECK(evp_config(a, "", "?provider=hwaead", true));
        evp_hwaead_first = false;
        CHECK(strcmp(serves(a, NULL), "hwaead") == 0);
        CHECK(strcmp(serves(a, "provider=default"), "default") == 0);
        CHECK(strcmp(serves(a, "provider=hwaead"), "hwaead") == 0);
        OSSL_LIB_CTX_free(a);
    }
}

/* C2: a preference by `hwaead.use` stands beside a program's own properties. One by `provider` does not outlive a word of the
 * program's on `provider`: libcrypto merges properties by name. */
static void beside_the_programs_own(void)
{
    static const char *const own[] = {"provider!=fips", "?provider!=fips", "fips=no", "-fips", "provider!=fips,-fips", ""};
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new(), *b = OSSL_LIB_CTX_new();
    CHECK(evp_config(a, "", "?hwaead.use=yes", true) && evp_config(b, "", "?provider=hwaead", true));
    for (size_t i = 0; i < COUNT(own); i++) {
        where("with \"%s\"", own[i]);
        CHECK(strcmp(serves(a, own[i]), "hwaead") == 0);
    }
    CHECK(strcmp(serves(a, "provider=default"), "default") == 0);
    CHECK(strcmp(serves(a, "provider!=hwaead"), "default") == 0);
    CHECK(strcmp(serves(b, "provider!=fips"), "default") == 0);
    OSSL_LIB_CTX_free(b);
    OSSL_LIB_CTX_free(a);
}

/* C3: no module there: default serves. */
static void module_missing(void)
{
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
    evp_use_module("/nonexistent/hwaead.so");
    evp_config(a, "", "?provider=hwaead", true);
    evp_use_module(NULL);
    CHECK(OSSL_PROVIDER_available(a, "hwaead") == 0);
    CHECK(strcmp(serves(a, NULL), "default") == 0);
    OSSL_LIB_CTX_free(a);
    ERR_clear_error();
}

static const struct evp_case cases[] = {
    {"CFG C7", "malformed values", malformed},
    {"CFG", "good values", well_formed},
    {"CFG", "odd values", odd_values},
    {"CFG", "unknown keys", unknown_keys},
    {"CFG P16 G45", "each tier", tiers},
    {"CFG G13 G14", "min_tag", shortest_tag},
    {"CFG", "stats", counters},
    {"C1 C2", "order of the providers", order},
    {"C2", "beside a program's own properties", beside_the_programs_own},
    {"C3", "no module", module_missing},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
