/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV without libcrypto between: lengths that it does not let through, limits, which reason each failure has,
 * the counters, and what is left in memory.
 */
#include "cipher_siv.h"
#include "direct.h"
#include "hooks.h"
#include "reference.h"
#include "siv.h"

#include <stdio.h>
#include <string.h>

/* An instance on the tier of this run, with one cipher. */
struct instance {
    struct core core;
    struct direct d;
    struct direct_cipher c;
    size_t key_len;
};

static bool start(struct instance *i, const char *path, int k)
{
    static const char *settings[] = {"tier", NULL, "stats", "1", NULL};
    settings[1] = evp_tier();
    memset(i, 0, sizeof *i);
    i->core.settings = settings;
    i->key_len = (size_t)(16 + 8 * k);
    return CHECK(direct_start(&i->d, direct_entry(path), &i->core) == 1 && direct_find(&i->d, siv_name[k], &i->c));
}

static void stop(struct instance *i)
{
    CHECK(i->core.errors == 0);
    i->d.teardown(i->d.prov);
}

/* The call failed for this reason alone. */
#define FOR(i, wanted, call) for_reason((i), (wanted), (call), __LINE__, #call)

static void for_reason(struct instance *i, enum reason wanted, int result, int line, const char *text)
{
    const bool good = result == 0 && i->core.errors == 1 && i->core.reason == (uint32_t)wanted;
    if (!good)
        where("%s: %zu errors, reason %u, wanted %d", text, i->core.errors, i->core.reason, (int)wanted);
    check_count(good, __FILE__, line, text);
    i->core.errors = 0;
}

static int set_one(struct instance *i, void *ctx, OSSL_PARAM one)
{
    const OSSL_PARAM list[] = {one, OSSL_PARAM_construct_end()};
    return i->c.set_ctx(ctx, list);
}

static int get_one(struct instance *i, void *ctx, OSSL_PARAM one)
{
    OSSL_PARAM list[] = {one, OSSL_PARAM_construct_end()};
    return i->c.get_ctx(ctx, list);
}

static void seals_right(struct instance *i, void *ctx, int k)
{
    struct msg m = rnd_msg(k, 12, 20, 300);
    uint8_t got[300], want[300], tag[16], want_tag[16];
    size_t n = 99;
    siv_reference(&m, want, want_tag);
    CHECK(i->c.einit(ctx, m.key, i->key_len, m.iv, 12, NULL) == 1);
    CHECK(i->c.update(ctx, NULL, &n, 0, m.aad, 20) == 1 && n == 20);
    CHECK(i->c.update(ctx, got, &n, 300, m.text, 300) == 1 && n == 300);
    CHECK(get_one(i, ctx, OSSL_PARAM_construct_octet_string("tag", tag, 16)) == 1);
    CHECK(i->c.final(ctx, NULL, &n, 0) == 1 && n == 0);
    CHECK_BYTES(got, want, 300);
    CHECK_BYTES(tag, want_tag, 16);
}

/* ---- One reason a failure ---- */

static void reasons_of_failures(void)
{
    for (int k = 0; k < NKEYS; k++) {
        struct instance i;
        uint8_t key[40] = {1}, iv[12] = {2}, in[64] = {3}, out[64], tag[20] = {4};
        size_t n = 0;
        NEED(start(&i, evp_module(), k));
        struct siv_ctx *ctx = i.c.newctx(i.d.prov);
        memset(out, 0x5a, sizeof out);
#define EINIT(key_arg, iv_arg) CHECK(i.c.einit(ctx, (key_arg), i.key_len, (iv_arg), 12, NULL) == 1)
#define DINIT(key_arg, iv_arg) CHECK(i.c.dinit(ctx, (key_arg), i.key_len, (iv_arg), 12, NULL) == 1)
        FOR(&i, R_NO_KEY, i.c.update(ctx, out, &n, 16, in, 16));
        FOR(&i, R_NO_KEY, i.c.update(ctx, NULL, &n, 0, in, 16));
        FOR(&i, R_NO_KEY, i.c.final(ctx, NULL, &n, 0));
        FOR(&i, R_NO_IV, get_one(&i, ctx, OSSL_PARAM_construct_octet_string("iv", out, 12)));
        EINIT(key, NULL);
        FOR(&i, R_NO_IV, i.c.update(ctx, out, &n, 16, in, 16));
        FOR(&i, R_NO_IV, i.c.update(ctx, NULL, &n, 0, in, 16));
        FOR(&i, R_NO_IV, i.c.final(ctx, NULL, &n, 0));
        for (size_t len = 0; len <= 40; len++) {
            where("%s, length %zu", siv_name[k], len);
            if (len != 12)
                FOR(&i, R_NONCE_LENGTH, i.c.einit(ctx, NULL, 0, in, len, NULL));
            if (len == i.key_len)
                continue;
            EINIT(key, iv);
            FOR(&i, R_KEY_LENGTH, i.c.einit(ctx, key, len, NULL, 0, NULL));
            FOR(&i, R_NO_KEY, i.c.update(ctx, out, &n, 16, in, 16)); /* the old key is gone, too */
            FOR(&i, R_KEY_LENGTH_FIXED, set_one(&i, ctx, OSSL_PARAM_construct_size_t("keylen", &len)));
        }
        n = 13;
        FOR(&i, R_NONCE_LENGTH, set_one(&i, ctx, OSSL_PARAM_construct_size_t("ivlen", &n)));
        FOR(&i, R_PARAM, set_one(&i, ctx, OSSL_PARAM_construct_octet_string("ivlen", in, 8)));
        FOR(&i, R_PARAM, set_one(&i, ctx, OSSL_PARAM_construct_octet_string("speed", in, 4)));
        FOR(&i, R_PARAM, get_one(&i, ctx, OSSL_PARAM_construct_octet_string("taglen", out, 8)));

        EINIT(key, iv);
        FOR(&i, R_NO_TAG_OF_TEXT, get_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", out, 16)));
        FOR(&i, R_SIV_TAG_LENGTH, set_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", tag, 12)));
        FOR(&i, R_PARAM, get_one(&i, ctx, OSSL_PARAM_construct_octet_string("iv", out, 11)));
        FOR(&i, R_OVERLAP, i.c.update(ctx, out + 1, &n, 16, out, 16));
        FOR(&i, R_MESSAGE_OVER, i.c.update(ctx, out, &n, 16, in, 16));
        EINIT(NULL, iv);
        FOR(&i, R_NO_INPUT, i.c.update(ctx, out, &n, 16, NULL, 16));
        FOR(&i, R_MESSAGE_OVER, i.c.final(ctx, NULL, &n, 0));
        EINIT(NULL, iv);
        FOR(&i, R_OUTPUT_TOO_SMALL, i.c.cipher(ctx, out, &n, 15, in, 16));
        CHECK(all_bytes(out, sizeof out, 0x5a));
        CHECK(i.c.cipher(ctx, out, &n, 16, in, 16) == 1 && n == 16);
        FOR(&i, R_SECOND_TEXT, i.c.update(ctx, out, &n, 16, in, 16));
        EINIT(NULL, iv);
        CHECK(i.c.update(ctx, out, &n, 16, in, 16) == 1);
        FOR(&i, R_SIV_TAG_LENGTH, get_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", out, 12)));
        FOR(&i, R_AAD_AFTER_TEXT, i.c.update(ctx, NULL, &n, 0, in, 16));

        DINIT(NULL, iv);
        FOR(&i, R_NO_TAG_BEFORE_TEXT, i.c.update(ctx, out, &n, 16, in, 16));
        DINIT(NULL, iv);
        FOR(&i, R_NO_TAG_BEFORE_TEXT, i.c.final(ctx, NULL, &n, 0));
        FOR(&i, R_SIV_TAG_LENGTH, set_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", tag, 17)));
        FOR(&i, R_NO_TAG_OF_TEXT, get_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", out, 16)));
        CHECK(set_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", tag, 16)) == 1);
        DINIT(NULL, iv);
        CHECK(i.c.update(ctx, out, &n, 16, in, 16) == 1 && all_bytes(out, 16, 0)); /* a wrong tag raises nothing */
        CHECK(i.c.final(ctx, NULL, &n, 0) == 0 && i.core.errors == 0);
        FOR(&i, R_MESSAGE_OVER, i.c.final(ctx, NULL, &n, 0));
        seals_right(&i, ctx, k);
        i.c.freectx(ctx);
        stop(&i);
    }
}

/* Each reason has a sentence, and those of this mode a sentence about it. */
static void sentences(void)
{
    struct instance i;
    size_t found = 0;
    NEED(start(&i, evp_module(), K256));
    for (const OSSL_ITEM *r = i.d.reasons(i.d.prov); r->id != 0; r++)
        if (r->ptr != NULL && strstr(r->ptr, "GCM-SIV") != NULL)
            found++;
    CHECK(found >= 6);
    stop(&i);
}

/* ---- Limits (RFC 8452, 6): refused before a byte is touched, the buffers being address space and nothing more ---- */

static void limits(void)
{
    struct instance i;
    uint8_t key[32] = {1}, iv[12] = {2}, tag[16] = {3}, some[64] = {4}, out[64];
    size_t n;
    static const size_t over[] = {(size_t)SIV_MAX_TEXT + 1, (size_t)SIV_MAX_TEXT + 16, SIZE_MAX};
    NEED(start(&i, evp_module(), K256));
    struct siv_ctx *ctx = i.c.newctx(i.d.prov);
    uint8_t *nowhere = forbidden_new(1 << 20);
    NEED(nowhere != NULL);
    for (int enc = 0; enc < 2; enc++)
        for (size_t o = 0; o < COUNT(over); o++)
            for (unsigned speed = 0; speed < 2; speed++) {
                OSSL_FUNC_cipher_encrypt_init_fn *init = enc ? i.c.einit : i.c.dinit;
                where("enc %d, text of %#zx, speed %u", enc, over[o], speed);
                CHECK(set_one(&i, ctx, OSSL_PARAM_construct_uint("speed", &speed)) == 1);
                CHECK(init(ctx, key, 32, iv, 12, NULL) == 1);
                CHECK(set_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", tag, 16)) == 1);
                FOR(&i, R_SIV_TEXT_TOO_LONG, i.c.update(ctx, nowhere, &n, over[o], nowhere, over[o]));
                FOR(&i, R_MESSAGE_OVER, i.c.final(ctx, NULL, &n, 0));
                CHECK(init(ctx, NULL, 0, iv, 12, NULL) == 1);
                FOR(&i, R_SIV_AAD_TOO_LONG, i.c.update(ctx, NULL, &n, 0, nowhere, over[o]));
                FOR(&i, R_MESSAGE_OVER, i.c.update(ctx, out, &n, 64, some, 64));
                CHECK(init(ctx, NULL, 0, iv, 12, NULL) == 1); /* in pieces */
                CHECK(i.c.update(ctx, NULL, &n, 0, some, 16) == 1);
                ctx->msg.aad_len = SIV_MAX_AAD - 16;
                CHECK(i.c.update(ctx, NULL, &n, 0, some, 16) == 1);
                FOR(&i, R_SIV_AAD_TOO_LONG, i.c.update(ctx, NULL, &n, 0, some, 1));
                FOR(&i, R_MESSAGE_OVER, i.c.update(ctx, NULL, &n, 0, some, 1));
            }
    i.c.freectx(ctx);
    forbidden_free(nowhere, 1 << 20);
    stop(&i);
}

/* ---- Contexts ---- */

static void null_contexts(void)
{
    for (int k = 0; k < NKEYS; k++) {
        struct instance i;
        where("%s", siv_name[k]);
        NEED(start(&i, evp_module(), k));
        i.c.freectx(NULL);
        CHECK(i.c.dupctx(NULL) == NULL);
        CHECK(i.c.gettable(i.d.prov) != NULL && i.c.gettable_ctx(NULL, i.d.prov) != NULL);
        CHECK(i.c.settable_ctx(NULL, i.d.prov) != NULL);
        CHECK(i.c.get_params(NULL) == 1);
        void *ctx = i.c.newctx(i.d.prov), *copy = i.c.dupctx(ctx);
        CHECK(i.c.set_ctx(ctx, NULL) == 1 && i.c.get_ctx(ctx, NULL) == 1);
        i.c.freectx(ctx);
        seals_right(&i, copy, k);
        stop(&i);
        i.c.freectx(copy); /* a context goes without its provider */
    }
}

/* A context has no pointers into itself: moved byte by byte, amid a message, it goes on. */
static void moved(void)
{
    struct instance i;
    struct msg m = rnd_msg(K256, 12, 40, 90);
    uint8_t got[90], want[90], tag[16], want_tag[16];
    size_t n;
    siv_reference(&m, want, want_tag);
    NEED(start(&i, evp_module(), K256));
    void *a = i.c.newctx(i.d.prov), *b = i.c.newctx(i.d.prov);
    CHECK(i.c.einit(a, m.key, 32, m.iv, 12, NULL) == 1 && i.c.update(a, NULL, &n, 0, m.aad, 23) == 1);
    memcpy(b, a, sizeof(struct siv_ctx));
    memset(a, 0, sizeof(struct siv_ctx));
    i.c.freectx(a);
    CHECK(i.c.update(b, NULL, &n, 0, m.aad + 23, 17) == 1 && i.c.update(b, got, &n, 90, m.text, 90) == 1);
    CHECK(i.c.final(b, NULL, &n, 0) == 1);
    CHECK(get_one(&i, b, OSSL_PARAM_construct_octet_string("tag", tag, 16)) == 1);
    CHECK_BYTES(got, want, 90);
    CHECK_BYTES(tag, want_tag, 16);
    i.c.freectx(b);
    stop(&i);
}

/* ---- Counters, self test, and the module that spoils tags ---- */

static uint64_t counter(struct instance *i, const char *key)
{
    uint64_t n = UINT64_MAX;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_uint64(key, &n), OSSL_PARAM_construct_end()};
    CHECK(i->d.get_params(i->d.prov, ask) == 1);
    return n;
}

static void counters(void)
{
    for (int k = 0; k < NKEYS; k++) {
        struct instance i;
        struct msg m = rnd_msg(k, 12, 0, 50);
        uint8_t ct[50], tag[16], out[50];
        char sealed[64], opened[64];
        size_t n;
        const unsigned bits = (unsigned)(128 + 64 * k);
        snprintf(sealed, sizeof sealed, "hwaead.aes-%u-gcm-siv.sealed", bits);
        snprintf(opened, sizeof opened, "hwaead.aes-%u-gcm-siv.opened", bits);
        where("%s", siv_name[k]);
        siv_reference(&m, ct, tag);
        NEED(start(&i, evp_module(), k));
        CHECK(OSSL_PARAM_locate_const(i.d.gettable_params(i.d.prov), sealed) != NULL);
        void *ctx = i.c.newctx(i.d.prov);
        for (int round = 0; round < 3; round++) {
            CHECK(i.c.einit(ctx, m.key, i.key_len, m.iv, 12, NULL) == 1 && i.c.update(ctx, out, &n, 50, m.text, 50) == 1);
            CHECK(i.c.final(ctx, NULL, &n, 0) == 1);
        }
        for (int wrong = 0; wrong < 3; wrong++) {
            tag[wrong] ^= (uint8_t)(wrong > 1);
            CHECK(i.c.dinit(ctx, NULL, 0, m.iv, 12, NULL) == 1);
            CHECK(set_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", tag, 16)) == 1);
            CHECK(i.c.update(ctx, out, &n, 50, ct, 50) == 1);
            CHECK(i.c.final(ctx, NULL, &n, 0) == (wrong < 2));
        }
        CHECK(counter(&i, sealed) == 3 && counter(&i, opened) == 2);
        CHECK(counter(&i, "hwaead.sealed") == 3 && counter(&i, "hwaead.opened") == 2);
        CHECK(counter(&i, "hwaead.aes-256-gcm.sealed") == 0 && counter(&i, "hwaead.tls-records") == 0);
        i.c.freectx(ctx);
        stop(&i);
    }
}

static void self_test_passes(void)
{
    struct instance i;
    NEED(start(&i, evp_module(), K256));
    CHECK(i.d.self_test(i.d.prov) == 1);
    stop(&i);
}

/* The module of HWAEAD_CORRUPT_TAG gets along with itself and with nobody else. */
static void corrupt_module(void)
{
    for (int k = 0; k < NKEYS; k++) {
        struct instance i;
        struct msg m = rnd_msg(k, 12, 0, 50);
        uint8_t ct[50], tag[16], out[50], made[16];
        size_t n;
        where("%s", siv_name[k]);
        siv_reference(&m, ct, tag);
        NEED(start(&i, CORRUPT, k));
        void *ctx = i.c.newctx(i.d.prov);
        CHECK(i.c.einit(ctx, m.key, i.key_len, m.iv, 12, NULL) == 1 && i.c.update(ctx, out, &n, 50, m.text, 50) == 1);
        CHECK(get_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", made, 16)) == 1);
        CHECK_BYTES(out, ct, 50);
        CHECK(memcmp(made, tag, 16) != 0);
        for (int own = 0; own < 2; own++) {
            CHECK(i.c.dinit(ctx, NULL, 0, m.iv, 12, NULL) == 1);
            CHECK(set_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", own ? made : tag, 16)) == 1);
            CHECK(i.c.update(ctx, out, &n, 50, ct, 50) == 1);
            CHECK(i.c.final(ctx, NULL, &n, 0) == own);
        }
        i.c.freectx(ctx);
        stop(&i);
    }
}

/* ---- Memory ---- */

/* X6 */
static void no_allocations(void)
{
    static uint8_t buffer[65536];
    static const size_t lens[] = {0, 1, 16, 255, 1350, 16384, 65536};
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++)
            for (int speed = 0; speed < 2; speed++) {
                struct msg m = rnd_msg(k, 12, 300, 0);
                uint8_t iv[12], tag[16] = {0};
                EVP_CIPHER_CTX *x = evp_ctx();
                OK(begin(x, siv(k), &m, enc));
                OK(set_tag(x, tag, 16));
                OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_SET_SPEED, speed, NULL));
                where("%s, enc %d, speed %d", siv_name[k], enc, speed);
                hooks_reset();
                bool good = true;
                for (size_t i = 0; i < COUNT(lens); i++) {
                    good &= EVP_CipherInit_ex2(x, NULL, i % 2 ? m.key : NULL, m.iv, enc, NULL) == 1;
                    good &= set_tag(x, tag, 16) == 1 && aad(x, m.aad, 13) && aad(x, m.aad, 300 - lens[i] % 200);
                    good &= update(x, buffer, buffer, lens[i]) && (!speed || update(x, buffer, buffer, lens[i]));
                    good &= !enc || get_tag(x, tag, 16) == 1;
                    good &= finish(x) == enc && get_octets(x, "iv", iv, 12) == 1;
                    good &= EVP_CipherInit_ex2(x, NULL, NULL, m.iv, enc, NULL) == 1 && EVP_Cipher(x, NULL, m.aad, 5) == 5;
                    good &= EVP_Cipher(x, buffer, buffer, (unsigned)lens[i]) == (int)lens[i];
                    good &= EVP_Cipher(x, NULL, NULL, 0) == (enc ? 0 : -1);
                }
                const size_t asked = hooks_allocations(), given = hooks_frees();
                CHECK(good);
                CHECK(asked == 0 && given == 0);
                CHECK(drain().total == 0);
                EVP_CIPHER_CTX_free(x);
            }
}

static void allocations(void)
{
    struct instance i;
    NEED(start(&i, evp_module(), K256));
    hooks_reset();
    void *ctx = i.c.newctx(i.d.prov);
    CHECK(hooks_allocations() == 1);
    void *copy = i.c.dupctx(ctx);
    CHECK(hooks_allocations() == 2 && hooks_frees() == 0);
    i.c.freectx(copy);
    CHECK(hooks_frees() == 1);
    if (hooks_can_fail()) {
        hooks_fail_at(1);
        FOR(&i, R_MEMORY, i.c.newctx(i.d.prov) != NULL);
        hooks_fail_at(1);
        FOR(&i, R_MEMORY, i.c.dupctx(ctx) != NULL);
        hooks_fail_at(0);
    } else {
        printf("Not done under AddressSanitizer: allocations that fail. The same test does it in other builds.\n");
    }
    i.c.freectx(ctx);
    stop(&i);
}

/* The secrets of one message, to be looked for in a context. */
enum { KEY, LAST_ROUND_KEY, AUTH_KEY, ENC_KEY, LAST_ENC_ROUND_KEY, TAG, SECRETS };
static uint8_t secret[SECRETS][16];

static void find_secrets(const struct msg *m, size_t key_len, const uint8_t tag[16])
{
    struct ref_aes aes;
    uint8_t derived[6][16];
    ref_aes_init(&aes, m->key, key_len);
    memcpy(secret[KEY], m->key, 16);
    memcpy(secret[LAST_ROUND_KEY], aes.rk + 16 * aes.rounds, 16);
    for (uint8_t b = 0; b < 6; b++) { /* RFC 8452, 4 */
        uint8_t block[16] = {b};
        memcpy(block + 4, m->iv, 12);
        ref_aes_encrypt(&aes, derived[b], block);
        memcpy(b < 2 ? secret[AUTH_KEY] + 8 * b : derived[b - 2], derived[b], 8);
    }
    uint8_t enc_key[32];
    for (size_t b = 0; b < 4; b++)
        memcpy(enc_key + 8 * b, derived[b], 8);
    memcpy(secret[ENC_KEY], enc_key, 16);
    ref_aes_init(&aes, enc_key, key_len);
    memcpy(secret[LAST_ENC_ROUND_KEY], aes.rk + 16 * aes.rounds, 16);
    memcpy(secret[TAG], tag, 16);
}

static bool holds(const void *block, size_t n, int which)
{
    const uint8_t *at = block;
    for (size_t i = 0; i + 16 <= n; i++)
        if (memcmp(at + i, secret[which], 16) == 0)
            return true;
    return false;
}

static bool holds_message_keys(const void *block)
{
    const size_t n = sizeof(struct siv_ctx);
    return holds(block, n, AUTH_KEY) || holds(block, n, ENC_KEY) || holds(block, n, LAST_ENC_ROUND_KEY);
}

static const void *watched;
static size_t looked, left;

static void look(const void *block, size_t n)
{
    if (block != watched)
        return;
    looked++;
    for (int s = 0; s < SECRETS; s++)
        left += holds(block, n, s);
    left += !all_bytes(block, sizeof(struct siv_ctx), 0);
}

/* The message's own keys are there while it needs them, and not a call longer; nothing at all after the free. */
static void wiped(void)
{
    static const char *const ends[] = {"nothing", "text", "final", "nonce", "key", "AAD after text", "overlap",
                                       "direction", "second text", "empty final", "wrong tag"};
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++)
            for (unsigned speed = 0; speed < 2; speed++)
                for (int e = 0; e < (int)COUNT(ends); e++) {
                    struct instance i;
                    struct msg m = rnd_msg(k, 12, 40, 60);
                    uint8_t ct[60], tag[16], out[120] = {0}, other[12] = {7}, wrong[16] = {9};
                    size_t n;
                    siv_reference(&m, ct, tag);
                    NEED(start(&i, evp_module(), k));
                    find_secrets(&m, i.key_len, tag);
                    where("%s, enc %d, speed %u, %s", siv_name[k], enc, speed, ends[e]);
                    OSSL_FUNC_cipher_encrypt_init_fn *init = enc ? i.c.einit : i.c.dinit;
                    struct siv_ctx *ctx = i.c.newctx(i.d.prov);
                    CHECK(init(ctx, m.key, i.key_len, m.iv, 12, NULL) == 1);
                    CHECK(set_one(&i, ctx, OSSL_PARAM_construct_uint("speed", &speed)) == 1);
                    CHECK(set_one(&i, ctx, OSSL_PARAM_construct_octet_string("tag", e == 10 ? wrong : tag, 16)) == 1);
                    CHECK(holds(ctx, sizeof *ctx, KEY) && holds(ctx, sizeof *ctx, LAST_ROUND_KEY));
                    CHECK(!holds_message_keys(ctx)); /* derived when they are needed */
                    CHECK(i.c.update(ctx, NULL, &n, 0, m.aad, 40) == 1);
                    CHECK(holds(ctx, sizeof *ctx, AUTH_KEY) && holds(ctx, sizeof *ctx, LAST_ENC_ROUND_KEY));
                    const bool text = e == 1 || e == 2 || e == 5 || e == 7 || e == 8 || e == 10;
                    if (text) {
                        CHECK(i.c.update(ctx, out, &n, 60, enc ? m.text : ct, 60) == 1);
                        CHECK(holds_message_keys(ctx) == (speed == 1));
                    }
                    if (e == 2 || e == 9 || e == 10)
                        CHECK(i.c.final(ctx, NULL, &n, 0) == (enc || e == 2)); /* empty, the tag is another */
                    if (e == 3)
                        CHECK(init(ctx, NULL, 0, other, 12, NULL) == 1);
                    if (e == 4)
                        CHECK(init(ctx, out, i.key_len, NULL, 0, NULL) == 1 && !holds(ctx, sizeof *ctx, KEY));
                    if (e == 5)
                        FOR(&i, R_AAD_AFTER_TEXT, i.c.update(ctx, NULL, &n, 0, m.aad, 40));
                    if (e == 6)
                        FOR(&i, R_OVERLAP, i.c.update(ctx, out, &n, 60, out + 1, 60));
                    if (e == 7)
                        CHECK((enc ? i.c.dinit : i.c.einit)(ctx, NULL, 0, NULL, 0, NULL) == 1);
                    if (e == 8 && speed)
                        CHECK(i.c.update(ctx, out, &n, 60, enc ? m.text : ct, 60) == 1);
                    if (e == 8 && !speed)
                        FOR(&i, R_SECOND_TEXT, i.c.update(ctx, out, &n, 60, enc ? m.text : ct, 60));
                    const bool still = e == 0 || (speed && (e == 1 || e == 8));
                    CHECK(holds_message_keys(ctx) == still);

                    void *copy = i.c.dupctx(ctx);
                    for (int which = 0; which < 2; which++) {
                        watched = which == 0 ? copy : ctx;
                        looked = left = 0;
                        hooks_on_free(look);
                        i.c.freectx(which == 0 ? copy : (void *)ctx);
                        hooks_on_free(NULL);
                        CHECK(looked == 1 && left == 0);
                    }
                    stop(&i);
                }
}

static const struct evp_case cases[] = {
    {"S5 S7 S8 S9 S11 S13 S14 ERR", "the reason of each failure", reasons_of_failures},
    {"ERR", "sentences", sentences},
    {"BAD", "limits", limits},
    {"G44", "NULL contexts", null_contexts},
    {"S15 G32", "a moved context", moved},
    {"CFG", "counters", counters},
    {"P18", "self test", self_test_passes},
    {"S11", "the module that spoils tags", corrupt_module},
    {"X6", "no allocations", no_allocations},
    {"X6 P14", "one allocation a context", allocations},
    {"G41", "wiped", wiped},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
