/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory: none is asked for on the hot path, none is kept after a failure, none goes back with a secret in it.
 */
#include "direct.h"
#include "evp.h"
#include "hooks.h"
#include "reference.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static OSSL_provider_init_fn *entry;

static bool start(struct direct *d, struct core *core)
{
    static const char *settings[] = {"tier", NULL, NULL};
    settings[1] = evp_tier();
    if (entry == NULL)
        entry = direct_entry(evp_module());
    core->settings = settings;
    return direct_start(d, entry, core) == 1;
}

/* ---- X6 ---- */

static void no_allocations(void)
{
    static uint8_t buffer[65536];
    static const size_t lens[] = {0, 1, 16, 255, 1350, 16384, 65536};
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++) {
            struct msg m = rnd_msg(k, 12, 13, 0);
            uint8_t iv[128], tag[16], long_iv[60] = {0}, octet, fixed[12] = {0}, header[13] = {[12] = 60};
            size_t n = 60;
            OSSL_PARAM with_iv_len[] = {OSSL_PARAM_construct_size_t("ivlen", &n), OSSL_PARAM_construct_end()};
            EVP_CIPHER_CTX *x = evp_ctx();
            CHECK(begin(x, ours[k], &m, enc) == 1);
            CHECK(finish(x) || !enc);
            ERR_clear_error();
            where("%s, enc %d", evp_name[k], enc);
            hooks_reset();
            bool good = true;
            for (size_t i = 0; i < COUNT(lens); i++) {
                good &= EVP_CipherInit_ex2(x, NULL, i % 2 ? m.key : NULL, m.iv, enc, NULL) == 1;
                good &= aad(x, m.aad, 13) && update(x, buffer, buffer, lens[i]);
                if (enc) {
                    good &= finish(x) && get_tag(x, tag, 16) == 1;
                } else {
                    good &= set_tag(x, tag, 16) == 1;
                    finish(x); /* wrong, and no error is queued */
                }
                good &= get_octets(x, "iv", iv, 12) == 1;
            }
            /* other IV lengths, SSH, records */
            good &= EVP_CipherInit_ex2(x, NULL, NULL, long_iv, enc, with_iv_len) == 1 &&
                    update(x, buffer, buffer, 50);
            n = 12;
            good &= EVP_CipherInit_ex2(x, NULL, m.key, m.iv, enc, with_iv_len) == 1;
            good &= EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, -1, fixed) == 1;
            good &= EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_IV_GEN, 1, &octet) == 1;
            good &= EVP_Cipher(x, NULL, m.aad, 4) == 4 && EVP_Cipher(x, buffer, buffer, 64) == 64;
            good &= EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, 4, fixed) == 1;
            good &= EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == 16;
            int len;
            good &= EVP_CipherUpdate(x, buffer, &len, buffer, 60) == enc;
            const size_t asked = hooks_allocations(), given = hooks_frees();
            CHECK(good);
            CHECK(asked == 0);
            CHECK(given == 0);
            EVP_CIPHER_CTX_free(x);
        }
    CHECK(drain().total == 0);
}

/* The hooks do see what they are to see. */
static void hooks_work(void)
{
    hooks_reset();
    EVP_CIPHER_CTX *x = evp_ctx();
    CHECK(EVP_CipherInit_ex2(x, ours[K256], NULL, NULL, 1, NULL) == 1);
    CHECK(hooks_allocations() >= 2);
    EVP_CIPHER_CTX_free(x);
    CHECK(hooks_frees() >= 2);
}

/* One allocation a context, as much as it needs, and one free. */
static void one_a_context(void)
{
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    NEED(start(&d, &core) && direct_find(&d, "AES-256-GCM", &c));
    hooks_reset();
    void *ctx = c.newctx(d.prov);
    CHECK(hooks_allocations() == 1);
    void *copy = c.dupctx(ctx);
    CHECK(hooks_allocations() == 2 && hooks_frees() == 0);
    c.freectx(ctx);
    c.freectx(copy);
    CHECK(hooks_allocations() == 2 && hooks_frees() == 2);
    d.teardown(d.prov);
}

/* ---- P14 ---- */

static void failed_allocations(void)
{
    if (!hooks_can_fail()) {
        printf("Not done under AddressSanitizer: P14, allocations that fail. Other builds do it.\n");
        CHECK(true);
        return;
    }
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    NEED(start(&d, &core)); /* what is allocated once has been now */
    d.teardown(d.prov);
    size_t needed;
    for (size_t n = 1;; n++) {
        where("allocation %zu of init fails", n);
        hooks_reset();
        hooks_fail_at(n);
        int r = start(&d, &core);
        hooks_fail_at(0);
        if (r == 1) {
            needed = n - 1;
            break;
        }
        NEED(n < 100);
        CHECK(hooks_allocations() - 1 == hooks_frees()); /* all but the one that failed is given back */
    }
    CHECK(needed >= 1);
    NEED(direct_find(&d, "AES-256-GCM", &c));
    for (int k = 0; k < NKEYS; k++) {
        where("%s", evp_name[k]);
        NEED(direct_find(&d, evp_name[k], &c));
        core.errors = 0;
        hooks_fail_at(1);
        CHECK(c.newctx(d.prov) == NULL);
        hooks_fail_at(0);
        CHECK(core.errors == 1);
        void *ctx = c.newctx(d.prov);
        hooks_fail_at(1);
        CHECK(c.dupctx(ctx) == NULL);
        hooks_fail_at(0);
        CHECK(core.errors == 2);
        c.freectx(ctx);
    }
    d.teardown(d.prov);
}

/* The same through libcrypto: a context that cannot be had, and a copy. */
static void failed_contexts(void)
{
    if (!hooks_can_fail()) {
        printf("Not done under AddressSanitizer: P14 through EVP.\n");
        CHECK(true);
        return;
    }
    struct msg m = rnd_msg(K256, 12, 0, 0);
    for (size_t n = 1; n <= 3; n++) {
        where("allocation %zu fails", n);
        EVP_CIPHER_CTX *x = evp_ctx(), *y = evp_ctx();
        hooks_fail_at(n);
        int r = begin(x, ours[K256], &m, 1);
        hooks_fail_at(0);
        ERR_clear_error();
        CHECK(r == 1 || begin(x, ours[K256], &m, 1) == 1);
        hooks_fail_at(n);
        EVP_CIPHER_CTX_copy(y, x);
        hooks_fail_at(0);
        ERR_clear_error();
        CHECK(works(x, K256));
        EVP_CIPHER_CTX_free(x);
        EVP_CIPHER_CTX_free(y);
    }
}

/* ---- G41 ---- */

enum { SECRETS = 6 };

static struct {
    const char *name;
    uint8_t bytes[16];
} secret[SECRETS];
static const void *block;
static size_t block_size, found_in, zeros, looked;
static const char *found; /* the secret that was found last */

static bool holds(const uint8_t *at, size_t n, const uint8_t what[16])
{
    for (size_t i = 0; i + 16 <= n; i++)
        if (memcmp(at + i, what, 16) == 0)
            return true;
    return false;
}

static void look(const void *p, size_t n)
{
    if (p != block)
        return;
    looked++;
    for (size_t i = 0; i < SECRETS; i++)
        if (holds(p, n, secret[i].bytes)) {
            found_in++;
            found = secret[i].name;
        }
    /* the end of the block may be slack that was rounded up to, and not of the context */
    for (zeros = 0; zeros < block_size && ((const uint8_t *)p)[zeros] == 0; zeros++)
        continue;
}

static void reverse(uint8_t out[16], const uint8_t in[16])
{
    for (int i = 0; i < 16; i++)
        out[i] = in[15 - i];
}

static void name_secret(size_t i, const char *name, const uint8_t bytes[16])
{
    secret[i].name = name;
    memcpy(secret[i].bytes, bytes, 16);
}

/* A context in each state is freed; nothing of it may be left. */
static void wiped(void)
{
    static const char *const states[] = {"key",    "AAD",  "text",     "final",  "failed",
                                         "record", "copy", "key only", "rekeyed"};
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    NEED(start(&d, &core));
    for (int k = 0; k < NKEYS; k++)
        for (size_t s = 0; s < COUNT(states); s++)
            for (int enc = 0; enc < 2; enc++) {
                const size_t key_len = (size_t)(16 + 8 * k);
                struct msg m = rnd_msg(k, 12, 20, 100);
                struct ref_gcm key;
                uint8_t ct[100], tag[16], j0[16] = {0}, ks[16], swapped[16], wrong[16] = {1}, out[100];
                uint8_t fixed[4], header[13] = {[12] = 100}, record[100] = {0};
                size_t n;
                where("%s, enc %d, freed after %s", evp_name[k], enc, states[s]);
                NEED(direct_find(&d, evp_name[k], &c));
                CHECK(seal(ref[k], &m, ct, tag));
                ref_gcm_init(&key, m.key, key_len);
                memcpy(j0, m.iv, 12);
                j0[15] = 1;
                ref_aes_encrypt(&key.aes, ks, j0);
                reverse(swapped, key.h);
                name_secret(0, "the key", m.key);
                name_secret(1, "the last round key", key.aes.rk + 16 * key.aes.rounds);
                name_secret(2, "H", key.h);
                name_secret(3, "H, reversed", swapped);
                name_secret(4, "the tag", tag);
                name_secret(5, "E(K, J0)", ks);

                void *ctx = c.newctx(d.prov);
                block = hooks_last(&block_size);
                CHECK(block == ctx);
                OSSL_FUNC_cipher_encrypt_init_fn *init = enc ? c.einit : c.dinit;
                OSSL_PARAM set_wrong[] = {OSSL_PARAM_construct_octet_string("tag", enc ? tag : wrong, 16),
                                          OSSL_PARAM_construct_end()};
                memcpy(fixed, m.iv, 4);
                OSSL_PARAM tls[] = {OSSL_PARAM_construct_octet_string("tlsivfixed", fixed, 4),
                                    OSSL_PARAM_construct_octet_string("tlsaad", header, 13),
                                    OSSL_PARAM_construct_end()};
                CHECK(init(ctx, m.key, key_len, s == 7 ? NULL : m.iv, s == 7 ? 0 : 12, NULL) == 1);
                CHECK(holds(ctx, block_size, m.key)); /* it does hold a secret now */
                if (s >= 1 && s <= 4)
                    CHECK(c.update(ctx, NULL, &n, 0, m.aad, 20) == 1);
                if (s >= 2 && s <= 4)
                    CHECK(c.update(ctx, out, &n, 100, enc ? m.text : ct, 100) == 1);
                if (s == 4)
                    c.set_ctx(ctx, set_wrong);
                if (s == 3 || s == 4)
                    c.final(ctx, NULL, &n, 0);
                if (s == 3 && enc)
                    CHECK(holds(ctx, block_size, tag));
                if (s == 5) {
                    CHECK(c.set_ctx(ctx, tls) == 1);
                    CHECK(c.update(ctx, record, &n, 100, record, 100) == enc);
                }
                if (s == 8) { /* the old key must go already when the new one comes, or is refused */
                    CHECK(init(ctx, m.key, key_len - 1, NULL, 0, NULL) == 0);
                    CHECK(!holds(ctx, block_size, m.key) && !holds(ctx, block_size, key.h) &&
                          !holds(ctx, block_size, swapped));
                }
                void *other = NULL;
                if (s == 6) {
                    other = ctx;
                    ctx = c.dupctx(other);
                    block = hooks_last(&block_size);
                    CHECK(block == ctx && holds(ctx, block_size, m.key));
                }
                found_in = looked = 0;
                found = "nothing";
                hooks_on_free(look);
                c.freectx(ctx);
                hooks_on_free(NULL);
                where("%s, enc %d, freed after %s: %zu of %zu bytes zero, %s found", evp_name[k], enc, states[s],
                      zeros, block_size, found);
                CHECK(looked == 1);
                CHECK(found_in == 0);
                CHECK(zeros + 64 > block_size);
                c.freectx(other);
            }
    d.teardown(d.prov);
}

/* After final nothing of the message's key stream stays in the context; the key does. */
static void wiped_by_final(void)
{
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    NEED(start(&d, &core) && direct_find(&d, "AES-256-GCM", &c));
    struct msg m = rnd_msg(K256, 12, 20, 100);
    struct ref_gcm key;
    uint8_t ct[100], tag[16], out[100], j0[16] = {0}, ks[16], last[16];
    size_t n, size;
    CHECK(seal(ref[K256], &m, ct, tag));
    ref_gcm_init(&key, m.key, 32);
    memcpy(j0, m.iv, 12);
    j0[15] = 1;
    ref_aes_encrypt(&key.aes, ks, j0);
    j0[15] = 2 + 6; /* text of 100: the seventh block is the unfinished one */
    ref_aes_encrypt(&key.aes, last, j0);
    void *ctx = c.newctx(d.prov);
    hooks_last(&size);
    CHECK(c.einit(ctx, m.key, 32, m.iv, 12, NULL) == 1 && c.update(ctx, out, &n, 100, m.text, 100) == 1);
    CHECK(c.final(ctx, NULL, &n, 0) == 1);
    CHECK(!holds(ctx, size, ks));
    CHECK(!holds(ctx, size, last));
    CHECK(holds(ctx, size, m.key));
    c.freectx(ctx);
    d.teardown(d.prov);
}

/* ---- Entropy that does not come: one error, nothing random is made up, and later all is well again ---- */

static void *no_entropy_here(void *arg)
{
    struct msg m = rnd_msg(K256, 12, 0, 20);
    uint8_t out[20], iv[12], fixed[4] = {1, 2, 3, 4};
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(EVP_EncryptInit_ex2(x, ours[K256], m.key, NULL, NULL));
    hooks_fail_random(true);
    size_t before = hooks_random_calls();
    memset(out, 0x5a, sizeof out);
    REFUSED(update(x, out, m.text, 20));
    CHECK(hooks_random_calls() > before); /* it was this getrandom that was asked */
    REFUSED(finish(x));
    REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, 4, fixed));
    REFUSED(get_octets(x, "tlsivgen", iv, 12));
    CHECK(all_bytes(out, sizeof out, 0x5a));
    OK(init_iv(x, m.iv, 1)); /* a given IV needs none */
    OK(update(x, out, m.text, 20));
    EVP_CIPHER_CTX_free(x);
    x = evp_ctx();
    OK(EVP_EncryptInit_ex2(x, ours[K256], m.key, NULL, NULL));
    REFUSED(update(x, out, m.text, 20));
    hooks_fail_random(false);
    OK(update(x, out, m.text, 20));
    OK(get_octets(x, "iv", iv, 12));
    CHECK(!all_bytes(iv, 12, 0));
    EVP_CIPHER_CTX_free(x);
    return arg;
}

/* In a thread of its own, where no IV's seed has been drawn. */
static void no_entropy(void)
{
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, no_entropy_here, NULL) == 0);
    pthread_join(thread, NULL);
}

static const struct evp_case cases[] = {
    {"X6", "no allocations", no_allocations},
    {"X6", "the hooks work", hooks_work},
    {"X6", "one allocation a context", one_a_context},
    {"P14", "failed allocations", failed_allocations},
    {"P14", "failed contexts", failed_contexts},
    {"G41", "wiped when freed", wiped},
    {"G41", "wiped by final", wiped_by_final},
    {"G23 T5", "no entropy", no_entropy},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
