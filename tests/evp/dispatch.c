/* SPDX-License-Identifier: Apache-2.0
 *
 * The module's functions called directly: what libcrypto never passes, other cores, and the counters that no test
 * can wait for, set by hand.
 */
#include "cipher_gcm.h"
#include "direct.h"
#include "evp.h"

#include <string.h>

static OSSL_provider_init_fn *entry;

/* An instance on the tier of this run. */
static bool start(struct direct *d, struct core *core)
{
    static const char *settings[] = {"tier", NULL, NULL};
    settings[1] = evp_tier();
    if (entry == NULL)
        entry = direct_entry(evp_module());
    if (core->settings == NULL)
        core->settings = settings;
    return CHECK(direct_start(d, entry, core) == 1 && d->query != NULL && d->teardown != NULL);
}

static bool refuses(struct core *core, int result)
{
    bool good = result == 0 && core->errors == 1;
    core->errors = 0;
    return good;
}

/* Seals with a key and IV, compares with ref. */
static void seals_right(const struct direct_cipher *c, void *ctx, int k)
{
    struct msg m = rnd_msg(k, 12, 20, 300);
    uint8_t got[300], want[300], tag[16], want_tag[16];
    size_t n = 99;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_octet_string("tag", tag, 16), OSSL_PARAM_construct_end()};
    CHECK(seal(ref[k], &m, want, want_tag));
    CHECK(c->einit(ctx, m.key, (size_t)(16 + 8 * k), m.iv, 12, NULL) == 1);
    CHECK(c->update(ctx, NULL, &n, 0, m.aad, 20) == 1 && n == 20);
    CHECK(c->update(ctx, got, &n, 300, m.text, 300) == 1 && n == 300);
    CHECK(c->final(ctx, NULL, &n, 0) == 1 && n == 0);
    CHECK(c->get_ctx(ctx, ask) == 1);
    CHECK_BYTES(got, want, 300);
    CHECK_BYTES(tag, want_tag, 16);
}

/* ---- P6, P11 ---- */

static void provider_params(void)
{
    struct core core = {0};
    struct direct d;
    NEED(start(&d, &core));
    static const char *const texts[] = {"name", "version", "buildinfo", "hwaead.tier"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        char *p = NULL, room[300];
        where("%s", texts[i]);
        OSSL_PARAM as_ptr[] = {OSSL_PARAM_construct_utf8_ptr(texts[i], &p, 0), OSSL_PARAM_construct_end()};
        NEED(d.get_params(d.prov, as_ptr) == 1 && p != NULL && *p != '\0');
        size_t n = strlen(p);
        CHECK(as_ptr[0].return_size == n);
        CHECK(OSSL_PARAM_locate_const(d.gettable_params(d.prov), texts[i]) != NULL);

        memset(room, '#', sizeof room);
        OSSL_PARAM as_text[] = {OSSL_PARAM_construct_utf8_string(texts[i], room, sizeof room),
                                OSSL_PARAM_construct_end()};
        CHECK(d.get_params(d.prov, as_text) == 1 && strcmp(room, p) == 0 && as_text[0].return_size == n);
        memset(room, '#', sizeof room);
        as_text[0].data_size = n + 1;
        CHECK(d.get_params(d.prov, as_text) == 1 && strcmp(room, p) == 0 && room[n + 1] == '#');
        as_text[0].data = NULL;
        as_text[0].data_size = 0;
        as_text[0].return_size = 0;
        CHECK(d.get_params(d.prov, as_text) == 1 && as_text[0].return_size == n);
        memset(room, '#', sizeof room);
        as_text[0].data = room;
        as_text[0].data_size = n - 1;
        CHECK(refuses(&core, d.get_params(d.prov, as_text)));
        CHECK(room[n - 1] == '#' && room[n] == '#');
    }
    int status = 9;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_int("status", &status), OSSL_PARAM_construct_end()};
    CHECK(d.get_params(d.prov, ask) == 1 && status == 1);
    OSSL_PARAM none[] = {OSSL_PARAM_construct_int("nonsense", &status), OSSL_PARAM_construct_end()};
    CHECK(d.get_params(d.prov, none) == 1 && !OSSL_PARAM_modified(none));
    for (const OSSL_PARAM *p = d.gettable_params(d.prov); p->key != NULL; p++) {
        uint64_t number = 0;
        char *text = NULL;
        where("%s is listed", p->key);
        OSSL_PARAM one[] = {p->data_type == OSSL_PARAM_UTF8_PTR ? OSSL_PARAM_construct_utf8_ptr(p->key, &text, 0)
                                                                : OSSL_PARAM_construct_uint64(p->key, &number),
                            OSSL_PARAM_construct_end()};
        CHECK(d.get_params(d.prov, one) == 1 && OSSL_PARAM_modified(one));
    }
    CHECK(core.errors == 0);
    d.teardown(d.prov);
}

static void operations(void)
{
    struct core core = {0};
    struct direct d;
    NEED(start(&d, &core));
    for (int op = 0; op <= 1000; op++) {
        int no_cache = 77;
        const OSSL_ALGORITHM *a = d.query(d.prov, op, &no_cache);
        where("operation %d", op);
        CHECK(no_cache == 0);
        CHECK((a != NULL) == (op == OSSL_OP_CIPHER || op == OSSL_OP_RAND));
        for (; a != NULL && a->algorithm_names != NULL; a++) {
            CHECK(strstr(a->property_definition, "provider=hwaead") != NULL);
            CHECK(strstr(a->property_definition, evp_tier()) != NULL);
            CHECK(a->algorithm_description != NULL);
        }
    }
    CHECK(core.errors == 0);
    d.teardown(d.prov);
}

static void known_answers(void)
{
    struct core core = {0};
    struct direct d;
    NEED(start(&d, &core));
    NEED(d.self_test != NULL);
    CHECK(d.self_test(d.prov) == 1 && core.errors == 0);
    d.teardown(d.prov);
}

static void capabilities(void)
{
    struct core core = {0};
    struct direct d;
    NEED(start(&d, &core));
    for (const OSSL_DISPATCH *f = d.functions; f->function_id != 0; f++)
        CHECK(f->function_id != OSSL_FUNC_PROVIDER_GET_CAPABILITIES); /* no answer is a good one */
    d.teardown(d.prov);
}

/* Ids without library bits, ended by 0, each with a sentence of its own. */
static void reason_table(void)
{
    struct core core = {0};
    struct direct d;
    NEED(start(&d, &core));
    const OSSL_ITEM *r = d.reasons(d.prov);
    size_t n = 0;
    for (; r[n].id != 0; n++) {
        where("reason %u", r[n].id);
        CHECK(r[n].id < 1u << 12 && r[n].ptr != NULL && strlen(r[n].ptr) > 8);
        for (size_t i = 0; i < n; i++)
            CHECK(r[i].id != r[n].id && strcmp(r[i].ptr, r[n].ptr) != 0);
    }
    CHECK(n == REASON_END - 1);
    d.teardown(d.prov);
}

/* ---- P13 ---- */

static void poor_cores(void)
{
    static const int without[] = {0, CORE_NO_ERRORS, CORE_NO_MEMORY, CORE_NO_PARAMS, CORE_STRANGE,
                                  CORE_NO_ERRORS | CORE_NO_MEMORY | CORE_NO_PARAMS,
                                  CORE_NO_ERRORS | CORE_NO_MEMORY | CORE_NO_PARAMS | CORE_STRANGE};
    for (size_t i = 0; i < COUNT(without); i++) {
        struct core core = {.without = without[i]};
        struct direct d;
        struct direct_cipher c;
        where("core without %x", (unsigned)without[i]);
        NEED(start(&d, &core));
        for (int k = 0; k < NKEYS; k++) {
            NEED(direct_find(&d, evp_name[k], &c));
            void *ctx = c.newctx(d.prov);
            seals_right(&c, ctx, k);
            /* failures have nobody to tell, or one */
            size_t n;
            uint8_t out[1] = {0};
            CHECK(c.update(ctx, out, &n, 1, out, 1) == 0);
            CHECK(core.errors == (without[i] & CORE_NO_ERRORS ? 0 : 1));
            core.errors = 0;
            /* a random IV */
            uint8_t key[32] = {1}, iv[12] = {0};
            CHECK(c.einit(ctx, key, (size_t)(16 + 8 * k), NULL, 0, NULL) == 1);
            c.freectx(ctx);
            ctx = c.newctx(d.prov);
            CHECK(c.einit(ctx, key, (size_t)(16 + 8 * k), NULL, 0, NULL) == 1);
            CHECK(c.update(ctx, out, &n, 1, out, 1) == 1);
            OSSL_PARAM ask[] = {OSSL_PARAM_construct_octet_string("iv", iv, 12), OSSL_PARAM_construct_end()};
            CHECK(c.get_ctx(ctx, ask) == 1 && !all_bytes(iv, 12, 0));
            c.freectx(ctx);
        }
        d.teardown(d.prov);
    }
}

/* Two instances on one image, of two cores: each tells its own core. */
static void two_instances(void)
{
    struct core a = {0}, b = {0};
    struct direct d, e;
    struct direct_cipher c;
    size_t n;
    uint8_t out[4] = {0};
    NEED(start(&d, &a));
    NEED(start(&e, &b));
    CHECK(d.prov != e.prov);
    NEED(direct_find(&d, "AES-256-GCM", &c));
    void *x = c.newctx(d.prov), *y = c.newctx(e.prov);
    CHECK(c.update(x, out, &n, 4, out, 4) == 0 && a.errors == 1 && b.errors == 0);
    CHECK(c.update(y, out, &n, 4, out, 4) == 0 && a.errors == 1 && b.errors == 1);
    c.freectx(x);
    d.teardown(d.prov);
    seals_right(&c, y, K256);
    CHECK(c.update(y, out, &n, 4, out, 4) == 0 && b.errors == 2);
    c.freectx(y);
    e.teardown(e.prov);
}

/* ---- G26, G44, G9 ---- */

static void wrong_lengths(void)
{
    for (int k = 0; k < NKEYS; k++) {
        struct core core = {0};
        struct direct d;
        struct direct_cipher c;
        const size_t key_len = (size_t)(16 + 8 * k);
        uint8_t key[64] = {7}, iv[200] = {9}, out[16];
        size_t n;
        NEED(start(&d, &core));
        NEED(direct_find(&d, evp_name[k], &c));
        void *ctx = c.newctx(d.prov);
        for (size_t len = 0; len <= 64; len++)
            for (int enc = 0; enc < 2; enc++) {
                if (len == key_len)
                    continue;
                where("%s, enc %d, key of %zu", evp_name[k], enc, len);
                CHECK(c.einit(ctx, key, key_len, iv, 12, NULL) == 1);
                CHECK(refuses(&core, (enc ? c.einit : c.dinit)(ctx, key, len, NULL, 0, NULL)));
                memset(out, 0x5a, sizeof out);
                CHECK(refuses(&core, c.update(ctx, out, &n, 16, key, 16))); /* the old key is gone, too */
                CHECK(all_bytes(out, sizeof out, 0x5a));
                seals_right(&c, ctx, k);
            }
        for (size_t len = 0; len <= 200; len++) {
            where("%s, IV of %zu", evp_name[k], len);
            int r = c.einit(ctx, key, key_len, iv, len, NULL);
            CHECK(len >= 1 && len <= 128 ? r == 1 && core.errors == 0 : refuses(&core, r));
        }
        CHECK(refuses(&core, c.einit(ctx, NULL, 0, iv, SIZE_MAX, NULL)));
        seals_right(&c, ctx, k);
        c.freectx(ctx);
        d.teardown(d.prov);
    }
}

static void null_contexts(void)
{
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    NEED(start(&d, &core));
    for (int k = 0; k < NKEYS; k++) {
        where("%s", evp_name[k]);
        NEED(direct_find(&d, evp_name[k], &c));
        c.freectx(NULL);
        CHECK(c.dupctx(NULL) == NULL);
        CHECK(c.gettable(d.prov) != NULL && c.gettable_ctx(NULL, d.prov) != NULL);
        CHECK(c.settable_ctx(NULL, d.prov) != NULL);
        CHECK(c.get_params(NULL) == 1);
        /* a context goes without its provider */
        void *ctx = c.newctx(d.prov), *copy = c.dupctx(ctx);
        CHECK(copy != NULL && copy != ctx);
        c.freectx(ctx);
        seals_right(&c, copy, k);
        c.freectx(copy);
    }
    void *late = c.newctx(d.prov);
    d.teardown(d.prov);
    c.freectx(late);
}

static void out_sizes(void)
{
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    uint8_t key[32] = {1}, iv[12] = {2}, in[40] = {3}, out[64];
    size_t n = 77;
    NEED(start(&d, &core));
    NEED(direct_find(&d, "AES-256-GCM", &c));
    void *ctx = c.newctx(d.prov);
    CHECK(c.einit(ctx, key, 32, iv, 12, NULL) == 1);
    CHECK(c.update(ctx, out, &n, 40, in, 40) == 1 && n == 40);
    n = 77;
    CHECK(c.final(ctx, out, &n, 0) == 1 && n == 0);
    /* the one-shot call keeps to its room, and a refusal writes nothing */
    CHECK(c.einit(ctx, NULL, 0, iv, 12, NULL) == 1);
    memset(out, 0x5a, sizeof out);
    CHECK(refuses(&core, c.cipher(ctx, out, &n, 39, in, 40)));
    CHECK(all_bytes(out, sizeof out, 0x5a));
    CHECK(c.einit(ctx, NULL, 0, iv, 12, NULL) == 1);
    CHECK(c.cipher(ctx, out, &n, 40, in, 40) == 1 && n == 40);
    /* so does a record */
    uint8_t fixed[4] = {1, 2, 3, 4}, header[13] = {[12] = 60}, record[60] = {0};
    OSSL_PARAM set[] = {OSSL_PARAM_construct_octet_string("tlsivfixed", fixed, 4),
                        OSSL_PARAM_construct_octet_string("tlsaad", header, 13), OSSL_PARAM_construct_end()};
    CHECK(c.set_ctx(ctx, set) == 1);
    CHECK(refuses(&core, c.update(ctx, record, &n, 59, record, 60)));
    CHECK(all_bytes(record, sizeof record, 0));
    CHECK(c.set_ctx(ctx, set) == 1);
    CHECK(c.cipher(ctx, record, &n, 60, record, 60) == 1 && n == 60);
    c.freectx(ctx);
    d.teardown(d.prov);
    CHECK(core.errors == 0);
}

/* ---- G30 at the seam, T9 ---- */

/* Lengths over the limits are refused before a byte is touched: the buffers are address space and nothing more. */
static void limits(void)
{
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    const size_t text_max = (size_t)GCM_MAX_TEXT, aad_max = (size_t)GCM_MAX_AAD;
    uint8_t key[32] = {1}, iv[12] = {2}, some[64] = {3}, out[64], tag[16];
    size_t n;
    NEED(start(&d, &core));
    NEED(direct_find(&d, "AES-256-GCM", &c));
    void *ctx = c.newctx(d.prov);
    uint8_t *nowhere = forbidden_new(1 << 20);
    NEED(nowhere != NULL);
    static const size_t before[] = {0, 1, 15, 16, 17, 64};
    for (int enc = 0; enc < 2; enc++)
        for (size_t i = 0; i < COUNT(before); i++)
            for (int way = 0; way < 3; way++) {
                const size_t len = (way == 0   ? text_max + 1
                                    : way == 1 ? text_max + 17
                                               : SIZE_MAX) - (way == 2 ? 0 : before[i]);
                where("enc %d, %zu bytes after %zu", enc, len, before[i]);
                CHECK((enc ? c.einit : c.dinit)(ctx, key, 32, iv, 12, NULL) == 1);
                CHECK(c.update(ctx, NULL, &n, 0, some, 20) == 1);
                CHECK(c.update(ctx, out, &n, 64, some, before[i]) == 1);
                CHECK(refuses(&core, c.update(ctx, nowhere, &n, len, nowhere, len)));
                CHECK(refuses(&core, c.update(ctx, out, &n, 1, some, 1))); /* D4 */
                CHECK(refuses(&core, c.final(ctx, NULL, &n, 0)));
                /* AAD */
                CHECK((enc ? c.einit : c.dinit)(ctx, NULL, 0, iv, 12, NULL) == 1);
                CHECK(c.update(ctx, NULL, &n, 0, some, before[i]) == 1);
                CHECK(refuses(&core, c.update(ctx, NULL, &n, 0, nowhere, aad_max + 1 - before[i])));
                CHECK(refuses(&core, c.update(ctx, NULL, &n, 0, some, 1)));
                CHECK((enc ? c.einit : c.dinit)(ctx, NULL, 0, iv, 12, NULL) == 1);
                CHECK(refuses(&core, c.update(ctx, NULL, &n, 0, nowhere, SIZE_MAX)));
                seals_right(&c, ctx, K256);
            }

    /* Near the limit by setting the counter: the last byte is taken, one more is not. */
    struct gcm_ctx *inside = ctx;
    for (uint64_t left = 0; left <= 33; left++) {
        where("%llu bytes left", (unsigned long long)left);
        CHECK(c.einit(ctx, key, 32, iv, 12, NULL) == 1);
        CHECK(c.update(ctx, out, &n, 64, some, 32) == 1);
        inside->msg.text_len = GCM_MAX_TEXT - 48; /* a whole number of blocks, as 32 was */
        CHECK(c.update(ctx, out, &n, 64, some, 48 - left) == 1 || left > 48);
        memset(out, 0x5a, sizeof out);
        CHECK(refuses(&core, c.update(ctx, out, &n, 64, some, left + 1)));
        CHECK(all_bytes(out, sizeof out, 0x5a));
        CHECK(c.einit(ctx, key, 32, iv, 12, NULL) == 1);
        CHECK(c.update(ctx, out, &n, 64, some, 32) == 1);
        inside->msg.text_len = GCM_MAX_TEXT - 48;
        CHECK(c.update(ctx, out, &n, 64, some, 48 - left) == 1);
        CHECK(c.update(ctx, out, &n, 64, some, left) == 1);
        CHECK(c.final(ctx, NULL, &n, 0) == 1);
        OSSL_PARAM ask[] = {OSSL_PARAM_construct_octet_string("tag", tag, 16), OSSL_PARAM_construct_end()};
        CHECK(c.get_ctx(ctx, ask) == 1);
    }
    forbidden_free(nowhere, 1 << 20);
    c.freectx(ctx);
    d.teardown(d.prov);
}

/* The count of IVs ends before an IV comes twice; tlsaad does not restart it, nor a new IV; a new key does. */
static void count_of_ivs(void)
{
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    uint8_t key[32] = {1}, iv[12] = {2}, fixed[4] = {5}, header[13] = {[12] = 44}, record[60] = {0}, got[12];
    size_t n;
    OSSL_PARAM set_fixed[] = {OSSL_PARAM_construct_octet_string("tlsivfixed", fixed, 4), OSSL_PARAM_construct_end()};
    OSSL_PARAM announce[] = {OSSL_PARAM_construct_octet_string("tlsaad", header, 13), OSSL_PARAM_construct_end()};
    OSSL_PARAM gen[] = {OSSL_PARAM_construct_octet_string("tlsivgen", got, 12), OSSL_PARAM_construct_end()};
    NEED(start(&d, &core));
    NEED(direct_find(&d, "AES-256-GCM", &c));
    struct gcm_ctx *ctx = c.newctx(d.prov);
    CHECK(c.einit(ctx, key, 32, NULL, 0, NULL) == 1 && c.set_ctx(ctx, set_fixed) == 1);
    for (uint64_t i = 1; i <= 3; i++) {
        CHECK(c.set_ctx(ctx, announce) == 1);
        CHECK(ctx->ivs_made == i - 1);
        CHECK(c.update(ctx, record, &n, 60, record, 60) == 1);
        CHECK(ctx->ivs_made == i);
    }
    ctx->ivs_made = UINT64_MAX - 1;
    CHECK(c.set_ctx(ctx, announce) == 1 && c.update(ctx, record, &n, 60, record, 60) == 1);
    memset(record, 0x3c, sizeof record);
    for (int i = 0; i < 3; i++) {
        where("used up, %d", i);
        CHECK(c.set_ctx(ctx, announce) == 1);
        CHECK(refuses(&core, c.update(ctx, record, &n, 60, record, 60)));
        CHECK(all_bytes(record, sizeof record, 0x3c));
        CHECK(refuses(&core, c.get_ctx(ctx, gen)));
        CHECK(i != 1 || c.einit(ctx, NULL, 0, iv, 12, NULL) == 1); /* a new IV does not help ... */
        CHECK(i != 0 || c.set_ctx(ctx, set_fixed) == 1);
    }
    CHECK(c.einit(ctx, key, 32, NULL, 0, NULL) == 1 && c.set_ctx(ctx, set_fixed) == 1); /* ... a new key does */
    CHECK(c.set_ctx(ctx, announce) == 1 && c.update(ctx, record, &n, 60, record, 60) == 1);
    CHECK(c.get_ctx(ctx, gen) == 1);
    c.freectx(ctx);
    d.teardown(d.prov);
}

/* A message that is given up takes E(K, J0), its key stream and its hash or tag with it. */
static void given_up(void)
{
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    uint8_t key[32] = {1}, iv[12] = {2}, fixed[12] = {5}, header[13] = {[12] = 44}, some[20] = {3}, out[20];
    size_t n, iv_len = 13;
    OSSL_PARAM set_len[] = {OSSL_PARAM_construct_size_t("ivlen", &iv_len), OSSL_PARAM_construct_end()};
    OSSL_PARAM set_fixed[] = {OSSL_PARAM_construct_octet_string("tlsivfixed", fixed, 4), OSSL_PARAM_construct_end()};
    OSSL_PARAM announce[] = {OSSL_PARAM_construct_octet_string("tlsaad", header, 13), OSSL_PARAM_construct_end()};
    NEED(start(&d, &core));
    NEED(direct_find(&d, "AES-256-GCM", &c));
    for (int i = 0; i < 10; i++) {
        const int way = i / 2, pieces = 1 + i % 2;
        struct gcm_ctx *ctx = c.newctx(d.prov);
        where("way %d, text in %d pieces", way, pieces);
        CHECK(c.einit(ctx, key, 32, iv, 12, NULL) == 1);
        for (int piece = 0; piece < pieces; piece++)
            CHECK(c.update(ctx, out, &n, 20, some, 20) == 1);
        if (pieces == 1) /* or this would show nothing */
            CHECK(!all_bytes(ctx->msg.tag, 16, 0));
        else
            CHECK(!all_bytes(ctx->msg.ej0, 16, 0) && !all_bytes(ctx->msg.ks, 16, 0));
        switch (way) {
        case 0: CHECK(c.einit(ctx, key, 32, NULL, 0, NULL) == 1); break;
        case 1: CHECK(c.einit(ctx, NULL, 0, iv, 12, NULL) == 1); break;
        case 2: CHECK(c.set_ctx(ctx, set_len) == 1); break;
        case 3: CHECK(c.set_ctx(ctx, set_fixed) == 1); break;
        default: CHECK(c.set_ctx(ctx, announce) == 1); break;
        }
        CHECK(all_bytes(&ctx->msg, sizeof ctx->msg, 0));
        c.freectx(ctx);
    }
    d.teardown(d.prov);
}

/* A position-free context: moved byte by byte it goes on. */
static void moved(void)
{
    struct core core = {0};
    struct direct d;
    struct direct_cipher c;
    struct msg m = rnd_msg(K256, 12, 10, 90);
    uint8_t got[90], want[90], tag[16], want_tag[16];
    size_t n;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_octet_string("tag", tag, 16), OSSL_PARAM_construct_end()};
    CHECK(seal(ref[K256], &m, want, want_tag));
    NEED(start(&d, &core));
    NEED(direct_find(&d, "AES-256-GCM", &c));
    void *a = c.newctx(d.prov), *b = c.newctx(d.prov);
    CHECK(c.einit(a, m.key, 32, m.iv, 12, NULL) == 1);
    CHECK(c.update(a, NULL, &n, 0, m.aad, 10) == 1 && c.update(a, got, &n, 90, m.text, 37) == 1);
    memcpy(b, a, sizeof(struct gcm_ctx));
    memset(a, 0, sizeof(struct gcm_ctx));
    c.freectx(a);
    CHECK(c.update(b, got + 37, &n, 90, m.text + 37, 53) == 1 && c.final(b, NULL, &n, 0) == 1);
    CHECK(c.get_ctx(b, ask) == 1);
    CHECK_BYTES(got, want, 90);
    CHECK_BYTES(tag, want_tag, 16);
    c.freectx(b);
    d.teardown(d.prov);
}

static const struct evp_case cases[] = {
    {"P6", "parameters of the provider", provider_params},
    {"P11", "operations", operations},
    {"P18", "self test", known_answers},
    {"P12", "no capabilities", capabilities},
    {"P18", "reasons", reason_table},
    {"P13", "cores that offer little", poor_cores},
    {"P7", "two instances", two_instances},
    {"G26", "wrong lengths of key and IV", wrong_lengths},
    {"G44", "NULL contexts", null_contexts},
    {"G9", "sizes of outputs", out_sizes},
    {"G30", "limits", limits},
    {"G41", "a message that is given up is wiped", given_up},
    {"T9", "count of IVs", count_of_ivs},
    {"G32", "a moved context", moved},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
