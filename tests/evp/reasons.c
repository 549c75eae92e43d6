/* SPDX-License-Identifier: Apache-2.0
 *
 * Every reason in the module's table is raised, by the call that it is meant for, as the only error of that call,
 * with nothing written; and its sentence is what a program shows.
 */
#include "cipher_gcm.h"
#include "direct.h"
#include "evp.h"
#include "hooks.h"

#include <stdio.h>
#include <string.h>

static bool seen[REASON_END];

/* call failed, and queued exactly this. */
#define RAISES(reason, call) raises((reason), (call) > 0, __LINE__, #call)

static void raises(enum reason reason, bool success, int line, const char *text)
{
    struct queue q = drain();
    const bool good = !success && q.total == 1 && q.ours == 1 && q.reason == (int)reason;
    seen[reason] |= good;
    if (!good)
        where("%s: reason %d, %zu errors, wanted %d", text, q.reason, q.total, (int)reason);
    check_count(good, __FILE__, line, text);
    where("%s", text);
}

/* A context in order for the next error: enc, with key and IV. */
static EVP_CIPHER_CTX *ready(int enc)
{
    struct msg m = rnd_msg(K256, 12, 0, 0);
    EVP_CIPHER_CTX *x = evp_ctx();
    CHECK(begin(x, ours[K256], &m, enc) == 1);
    return x;
}

static void by_evp(void)
{
    struct msg m = rnd_msg(K256, 12, 8, 64);
    uint8_t out[200], tag[32] = {0}, iv[16];
    int n;
    memset(out, 0x5a, sizeof out);

    EVP_CIPHER_CTX *x = ready(1);
    RAISES(R_PARAM, set_param(x, OSSL_PARAM_construct_octet_string("ivlen", tag, 8)));
    RAISES(R_PARAM, get_octets(x, "keylen", out, 8));
    RAISES(R_IV_LENGTH, set_ivlen(x, 129));
    RAISES(R_TAG_WHEN_SEALING, set_tag(x, tag, 16));
    RAISES(R_NO_TAG_YET, get_tag(x, out, 16));
    RAISES(R_NO_INPUT, EVP_CipherUpdate(x, out, &n, NULL, 16));
    EVP_CIPHER_CTX_free(x);

    x = ready(1);
    RAISES(R_OVERLAP, update(x, out + 1, out, 16));
    RAISES(R_MESSAGE_OVER, update(x, out, m.text, 16));
    EVP_CIPHER_CTX_free(x);

    x = ready(1);
    CHECK(update(x, out + 100, m.text, 16));
    RAISES(R_AAD_AFTER_TEXT, aad(x, m.aad, 8));
    EVP_CIPHER_CTX_free(x);

    x = ready(1);
    CHECK(finish(x));
    RAISES(R_TAG_LENGTH, get_tag(x, out, 17));
    RAISES(R_MESSAGE_OVER, finish(x));
    EVP_CIPHER_CTX_free(x);

    x = ready(0);
    RAISES(R_TAG_LENGTH, set_tag(x, tag, 17));
    RAISES(R_NO_TAG_YET, get_tag(x, out, 16));
    RAISES(R_NO_TAG_SET, finish(x));
    EVP_CIPHER_CTX_free(x);

    x = evp_ctx();
    CHECK(EVP_CipherInit_ex2(x, ours[K256], NULL, m.iv, 1, NULL) == 1);
    RAISES(R_NO_KEY, update(x, out, m.text, 16));
    CHECK(EVP_CipherInit_ex2(x, ours[K256], m.key, NULL, 0, NULL) == 1);
    RAISES(R_NO_IV, update(x, out, m.text, 16));
    RAISES(R_NO_IV, get_octets(x, "iv", out, 12));
    CHECK(EVP_CipherInit_ex2(x, ours[K256], m.key, NULL, 1, NULL) == 1 && set_ivlen(x, 8) == 1);
    RAISES(R_RANDOM_IV_LENGTH, update(x, out, m.text, 16));
    EVP_CIPHER_CTX_free(x);

    x = evp_ctx();
    CHECK(EVP_CipherInit_ex2(x, ours[K256], m.key, NULL, 1, NULL) == 1);
    hooks_fail_random(true);
    RAISES(R_ENTROPY, update(x, out, m.text, 16));
    hooks_fail_random(false);
    EVP_CIPHER_CTX_free(x);

    x = ready(1);
    RAISES(R_NO_FIXED_IV, get_octets(x, "tlsivgen", iv, 8));
    RAISES(R_FIXED_IV_LENGTH, EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, 3, tag));
    CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, 4, tag) == 1);
    RAISES(R_TLS_IV_WHEN_SEALING, EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_INV, 8, tag));
    RAISES(R_TLS_AAD, EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, 13, tag));
    uint8_t header[13] = {[12] = 60};
    CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == 16);
    RAISES(R_TLS_RECORD, update(x, out, m.text, 60));
    EVP_CIPHER_CTX_free(x);
    CHECK(all_bytes(out, 100, 0x5a)); /* nothing was written but by the good call */
}

/* A wrong tag is no error of the queue. */
static void wrong_tag(void)
{
    uint8_t tag[16] = {0};
    EVP_CIPHER_CTX *x = ready(0);
    CHECK(set_tag(x, tag, 16) == 1);
    FAILS_SILENTLY(finish(x));
    EVP_CIPHER_CTX_free(x);
}

/* The call, not through libcrypto, failed for exactly this reason. */
#define DIRECTLY(wanted, call) \
    do { \
        core.errors = 0; \
        bool good = !(call) && core.errors == 1 && core.reason == (uint32_t)(wanted); \
        where("%s: %zu errors, reason %u, wanted %d", #call, core.errors, core.reason, (int)(wanted)); \
        seen[wanted] |= CHECK(good); \
    } while (0)

/* AES-GCM-SIV's own. */
static void by_siv(void)
{
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    uint8_t key[32] = {1}, nonce[12] = {2}, text[32] = {3};
    size_t n = 13;
    OSSL_PARAM tag[] = {OSSL_PARAM_construct_octet_string("tag", text, 15), OSSL_PARAM_construct_end()};
    OSSL_PARAM key_len[] = {OSSL_PARAM_construct_size_t("keylen", &n), OSSL_PARAM_construct_end()};
    NEED(direct_start(&d, evp_entry(), &core) == 1 && direct_find(&d, "AES-256-GCM-SIV", &c));
    void *x = c.newctx(d.prov);
    DIRECTLY(R_NONCE_LENGTH, c.dinit(x, key, 32, nonce, 11, NULL));
    DIRECTLY(R_KEY_LENGTH_FIXED, c.set_ctx(x, key_len));
    DIRECTLY(R_SIV_TAG_LENGTH, c.set_ctx(x, tag));
    CHECK(c.dinit(x, key, 32, nonce, 12, NULL) == 1);
    DIRECTLY(R_NO_TAG_BEFORE_TEXT, c.update(x, text, &n, 32, text, 32));
    CHECK(c.einit(x, key, 32, nonce, 12, NULL) == 1);
    DIRECTLY(R_NO_TAG_OF_TEXT, c.get_ctx(x, tag));
    DIRECTLY(R_SIV_AAD_TOO_LONG, c.update(x, NULL, &n, 0, text, SIZE_MAX));
    CHECK(c.einit(x, NULL, 0, nonce, 12, NULL) == 1);
    DIRECTLY(R_SIV_TEXT_TOO_LONG, c.update(x, text, &n, 32, text, SIZE_MAX));
    CHECK(c.einit(x, NULL, 0, nonce, 12, NULL) == 1 && c.update(x, text, &n, 32, text, 32) == 1);
    DIRECTLY(R_SECOND_TEXT, c.update(x, text, &n, 32, text, 32));
    c.freectx(x);
    d.teardown(d.prov);
}

/* What libcrypto does not let through, or needs a context to be out of memory or of IVs. */
static void directly(void)
{
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    OSSL_provider_init_fn *entry = direct_entry(evp_module());
    uint8_t key[32] = {1}, iv[12] = {2}, text[32] = {3}, fixed[4] = {4};
    size_t n;
    NEED(direct_start(&d, entry, &core) == 1 && direct_find(&d, "AES-256-GCM", &c));
    struct gcm_ctx *ctx = c.newctx(d.prov);
    DIRECTLY(R_KEY_LENGTH, c.einit(ctx, key, 31, NULL, 0, NULL));
    CHECK(c.einit(ctx, key, 32, iv, 12, NULL) == 1);
    DIRECTLY(R_TEXT_TOO_LONG, c.update(ctx, text, &n, SIZE_MAX, text, (size_t)GCM_MAX_TEXT + 1));
    CHECK(c.einit(ctx, key, 32, iv, 12, NULL) == 1);
    DIRECTLY(R_AAD_TOO_LONG, c.update(ctx, NULL, &n, 0, text, (size_t)GCM_MAX_AAD + 1));
    CHECK(c.einit(ctx, key, 32, iv, 12, NULL) == 1);
    DIRECTLY(R_OUTPUT_TOO_SMALL, c.cipher(ctx, text, &n, 31, text, 32));
    OSSL_PARAM set[] = {OSSL_PARAM_construct_octet_string("tlsivfixed", fixed, 4), OSSL_PARAM_construct_end()};
    OSSL_PARAM gen[] = {OSSL_PARAM_construct_octet_string("tlsivgen", iv, 12), OSSL_PARAM_construct_end()};
    CHECK(c.einit(ctx, key, 32, NULL, 0, NULL) == 1 && c.set_ctx(ctx, set) == 1);
    ctx->ivs_made = UINT64_MAX;
    DIRECTLY(R_IVS_USED_UP, c.get_ctx(ctx, gen));
    c.freectx(ctx);
    if (hooks_can_fail()) {
        hooks_fail_at(1);
        DIRECTLY(R_MEMORY, c.newctx(d.prov) != NULL);
        hooks_fail_at(0);
    } else {
        printf("Not done under AddressSanitizer: the reason R_MEMORY, for which an allocation must fail.\n");
        seen[R_MEMORY] = true;
    }
    d.teardown(d.prov);

    const char *const settings[] = {"min_tag", "many", NULL};
    core.settings = settings;
    DIRECTLY(R_CONFIG, direct_start(&d, entry, &core));
    core.settings = NULL;
    DIRECTLY(R_CANNOT_RUN, direct_start(&d, direct_entry(POOR_NONE), &core));
    NEED(direct_start(&d, direct_entry(CORRUPT), &core) == 1);
    DIRECTLY(R_SELF_TEST, d.self_test(d.prov));
    d.teardown(d.prov);
}

static void all_of_them(void)
{
    for (int r = 1; r < R_RAND_NOT_INSTANTIATED; r++) { /* those of the generator: rand_direct.c */
        where("reason %d", r);
        CHECK(seen[r]);
    }
}

/* ERR_error_string shows the owner and the sentence. */
static void shown(void)
{
    uint8_t out[16];
    char line[256];
    EVP_CIPHER_CTX *x = ready(1);
    CHECK(finish(x));
    ERR_clear_error();
    CHECK(!update(x, out, out, 16));
    unsigned long e = ERR_peek_error();
    ERR_error_string_n(e, line, sizeof line);
    where("%s", line);
    CHECK(strstr(line, "hwaead") != NULL && strstr(line, "give a new IV") != NULL);
    const char *file = NULL, *func = NULL;
    int at = 0;
    ERR_peek_error_all(&file, &at, &func, NULL, NULL);
    CHECK(file != NULL && *file != '\0' && *file != '/' && at > 0 && func != NULL && *func != '\0');
    ERR_clear_error();
    EVP_CIPHER_CTX_free(x);
}

static const struct evp_case cases[] = {
    {"ERR BAD", "reasons through EVP", by_evp},
    {"ERR G12", "a wrong tag", wrong_tag},
    {"ERR BAD G30", "reasons by direct calls", directly},
    {"ERR BAD", "reasons of AES-GCM-SIV", by_siv},
    {"ERR", "all reasons", all_of_them},
    {"ERR", "what a program shows", shown},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
