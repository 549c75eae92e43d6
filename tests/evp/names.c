/* SPDX-License-Identifier: Apache-2.0
 *
 * Unmodified programs: the default library context with `default_properties = ?provider=hwaead`, the old functions
 * that fetch nothing themselves, CMS.
 */
#include "evp.h"

#include <string.h>

#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/obj_mac.h>

static const char *owner(const EVP_CIPHER *c)
{
    const OSSL_PROVIDER *p = c == NULL ? NULL : EVP_CIPHER_get0_provider(c);
    return p == NULL ? "nobody" : OSSL_PROVIDER_get0_name(p);
}

static bool configured(void)
{
    static bool done;
    if (!done)
        done = evp_config(NULL, "stats = 1\n", "?provider=hwaead", true);
    return CHECK(done) && CHECK(OSSL_PROVIDER_available(NULL, "hwaead") == 1);
}

static uint64_t counted(const char *key)
{
    uint64_t n = 0;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_uint64(key, &n), OSSL_PARAM_construct_end()};
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(NULL, "hwaead");
    CHECK(p != NULL && OSSL_PROVIDER_get_params(p, ask) == 1);
    OSSL_PROVIDER_unload(p);
    return n;
}

/* G37 */
static void old_functions(void)
{
    NEED(configured());
    const EVP_CIPHER *const old[NKEYS] = {EVP_aes_128_gcm(), EVP_aes_192_gcm(), EVP_aes_256_gcm()};
    static const char *const aliases[NKEYS] = {"id-aes128-GCM", "id-aes192-GCM", "id-aes256-GCM"};
    for (int k = 0; k < NKEYS; k++) {
        const EVP_CIPHER *const ways[] = {old[k], EVP_get_cipherbyname(evp_name[k]),
                                          EVP_get_cipherbyname(aliases[k])};
        for (size_t i = 0; i < COUNT(ways); i++) {
            struct msg m = rnd_msg(k, 12, 7, 50);
            uint8_t got[50], want[50], tag[16], want_tag[16];
            where("%s, way %zu", evp_name[k], i);
            NEED(ways[i] != NULL);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(EVP_EncryptInit_ex(x, ways[i], NULL, m.key, m.iv));
            CHECK(strcmp(owner(EVP_CIPHER_CTX_get0_cipher(x)), "hwaead") == 0);
            CHECK(aad(x, m.aad, 7) && update(x, got, m.text, 50) && finish(x) && get_tag(x, tag, 16) == 1);
            CHECK(seal(ref[k], &m, want, want_tag));
            CHECK_BYTES(got, want, 50);
            CHECK_BYTES(tag, want_tag, 16);
            EVP_CIPHER_CTX_free(x);
        }
        EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, evp_name[k], NULL);
        CHECK(strcmp(owner(c), "hwaead") == 0);
        EVP_CIPHER_free(c);
        c = EVP_CIPHER_fetch(NULL, evp_name[k], "provider=default");
        CHECK(strcmp(owner(c), "default") == 0);
        EVP_CIPHER_free(c);
    }
    CHECK(drain().total == 0);
}

/* C4: what is not ours is default's. */
static void others(void)
{
    NEED(configured());
    EVP_CIPHER *cbc = EVP_CIPHER_fetch(NULL, "AES-256-CBC", NULL);
    EVP_MD *md = EVP_MD_fetch(NULL, "SHA256", NULL);
    CHECK(strcmp(owner(cbc), "default") == 0);
    CHECK(md != NULL && strcmp(OSSL_PROVIDER_get0_name(EVP_MD_get0_provider(md)), "default") == 0);
    EVP_CIPHER_free(cbc);
    EVP_MD_free(md);
}

/* G38: sealed under one provider's properties, opened under the other's. */
static bool cms_seal(const EVP_CIPHER *c, const char *properties, const uint8_t *text, size_t n, BIO *out)
{
    static uint8_t kek[32] = {1, 2, 3}, id[4] = {9, 9, 9, 9};
    uint8_t *k = OPENSSL_memdup(kek, sizeof kek), *i = OPENSSL_memdup(id, sizeof id);
    BIO *in = BIO_new_mem_buf(text, (int)n);
    CMS_ContentInfo *cms = CMS_AuthEnvelopedData_create_ex(c, NULL, properties);
    bool good = cms != NULL && k != NULL && i != NULL && in != NULL &&
                CMS_add0_recipient_key(cms, NID_id_aes256_wrap, k, sizeof kek, i, sizeof id, NULL, NULL, NULL) &&
                CMS_set_detached(cms, 0) == 1 && CMS_final(cms, in, NULL, CMS_BINARY) == 1 &&
                i2d_CMS_bio(out, cms) == 1;
    CMS_ContentInfo_free(cms);
    BIO_free(in);
    return good;
}

static bool cms_open(const char *properties, BIO *in, uint8_t *text, size_t n)
{
    static uint8_t kek[32] = {1, 2, 3}, id[4] = {9, 9, 9, 9};
    CMS_ContentInfo *cms = CMS_ContentInfo_new_ex(NULL, properties);
    BIO *out = BIO_new(BIO_s_mem());
    bool good = cms != NULL && out != NULL && d2i_CMS_bio(in, &cms) != NULL &&
                CMS_decrypt_set1_key(cms, kek, sizeof kek, id, sizeof id) == 1 &&
                CMS_decrypt(cms, NULL, NULL, NULL, out, CMS_BINARY) == 1;
    size_t got = 0;
    while (good && got < n) {
        int r = BIO_read(out, text + got, (int)(n - got));
        if (r <= 0)
            break;
        got += (size_t)r;
    }
    good &= got == n;
    CMS_ContentInfo_free(cms);
    BIO_free(out);
    return good;
}

static void cms(void)
{
    NEED(configured());
    static const char *const properties[] = {"?provider=hwaead", "provider=default"};
    for (int k = 0; k < NKEYS; k++)
        for (int way = 0; way < 3; way++) {
            const int sealer = way == 1, opener = way == 0;
            static uint8_t text[5000], out[5000];
            size_t n = 1 + rnd(sizeof text);
            where("%s, sealed with %s, opened with %s, %zu bytes", evp_name[k], properties[sealer],
                  properties[opener], n);
            rnd_bytes(text, n);
            EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, evp_name[k], properties[sealer]);
            BIO *wire = BIO_new(BIO_s_mem());
            const uint64_t sealed = counted("hwaead.sealed"), opened = counted("hwaead.opened");
            CHECK(cms_seal(c, properties[sealer], text, n, wire));
            CHECK(counted("hwaead.sealed") == sealed + (sealer == 0));
            memset(out, 0, n);
            if (!CHECK(cms_open(properties[opener], wire, out, n)))
                ERR_print_errors_fp(stdout);
            CHECK(counted("hwaead.opened") == opened + (opener == 0));
            CHECK_BYTES(out, text, n);
            BIO_free(wire);
            EVP_CIPHER_free(c);

            /* a changed byte at the end, which is the tag, is noticed by ours as well */
            wire = BIO_new(BIO_s_mem());
            c = EVP_CIPHER_fetch(NULL, evp_name[k], properties[sealer]);
            CHECK(cms_seal(c, properties[sealer], text, n, wire));
            char *bytes = NULL;
            long len = BIO_get_mem_data(wire, &bytes);
            CHECK(len > 0);
            bytes[len - 1] = (char)(bytes[len - 1] ^ 1);
            CHECK(!cms_open(properties[opener], wire, out, n));
            ERR_clear_error();
            BIO_free(wire);
            EVP_CIPHER_free(c);
        }
}

static const struct evp_case cases[] = {
    {"G37 C1", "functions of old", old_functions},
    {"C4", "what is not ours", others},
    {"G38", "CMS AuthEnvelopedData", cms},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
