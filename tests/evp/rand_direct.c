/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator by direct calls: what libcrypto does not let through, parents and operating systems that fail, and
 * what is left in memory.
 */
#include "rand_direct.h"
#include "fast_drbg.h"
#include "evp.h"
#include "hooks.h"
#include "reasons.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct core core;
static struct direct d;
static struct direct_rand r;
static bool seen[REASON_END];

static const char *reseed_seconds = "60";

static bool start(void)
{
    static const char *settings[] = {"tier", NULL, "reseed_seconds", NULL, NULL};
    static OSSL_provider_init_fn *entry;
    settings[1] = evp_tier();
    settings[3] = reseed_seconds;
    if (entry == NULL)
        entry = direct_entry(evp_module());
    core = (struct core){.settings = settings};
    alarm(60); /* a lock that is never given back ends the test */
    return CHECK(direct_start(&d, entry, &core) == 1) && CHECK(direct_rand_find(&d, evp_rand_name(), &r));
}

static void stop(void)
{
    alarm(0);
    d.teardown(d.prov);
}

/* CHECK that call fails with this as its only error. */
#define FAILS(wanted, call) \
    do { \
        core.errors = 0; \
        const bool good = !(call) && core.errors == 1 && core.reason == (uint32_t)(wanted); \
        seen[wanted] |= good; \
        if (!good) \
            where("%s: %zu errors, reason %u, wanted %d", #call, core.errors, core.reason, (int)(wanted)); \
        CHECK(good); \
    } while (0)
#define WORKS(call) \
    do { \
        core.errors = 0; \
        CHECK(call); \
        CHECK(core.errors == 0); \
    } while (0)

static int begin_rand(void *ctx)
{
    return r.instantiate(ctx, 0, 0, NULL, 0, NULL);
}

static int take(void *ctx, uint8_t *out, size_t n)
{
    return r.generate(ctx, out, n, 256, 0, NULL, 0);
}

/* n bytes that are not what was there. */
static bool gives(void *ctx, size_t n)
{
    static uint8_t out[65536 + 1];
    memset(out, 0x77, sizeof out);
    return take(ctx, out, n) == 1 && (n < 16 || !all_bytes(out, n, 0x77)) && out[n] == 0x77;
}

/* ---- R6 R16: limits and states ---- */

static void limits(void)
{
    static uint8_t out[65537];
    static const uint8_t in[100] = {1};
    NEED(start());
    for (int locking = 0; locking < 2; locking++)
        for (int df = 0; df < 2; df++) {
            where("locking %d, df %d", locking, df);
            void *c = r.newctx(d.prov, NULL, NULL);
            NEED(c != NULL);
            if (locking)
                WORKS(r.enable_locking(c));
            WORKS(direct_rand_set(&r, c, "use_derivation_function", (uint64_t)df));
            FAILS(R_RAND_NOT_INSTANTIATED, take(c, out, 1));
            FAILS(R_RAND_NOT_INSTANTIATED, r.reseed(c, 0, NULL, 0, NULL, 0));
            CHECK(direct_rand_number(&r, c, "state") == 0 && r.verify_zeroization(c) == 1);
            FAILS(R_RAND_STRENGTH, r.instantiate(c, 257, 0, NULL, 0, NULL));
            FAILS(R_RAND_STRENGTH, r.instantiate(c, UINT_MAX, 0, NULL, 0, NULL));
            if (!df)
                FAILS(R_RAND_INPUT_LENGTH, r.instantiate(c, 0, 0, in, 49, NULL));
            FAILS(R_RAND_INPUT_LENGTH, r.instantiate(c, 0, 0, in, ((size_t)1 << 30) + 1, NULL));
            CHECK(direct_rand_number(&r, c, "state") == 0);
            WORKS(r.instantiate(c, 256, 0, in, 48, NULL));
            CHECK(direct_rand_number(&r, c, "state") == 1 && r.verify_zeroization(c) == 0);
            CHECK(direct_rand_number(&r, c, "reseed_counter") == 1);
            FAILS(R_RAND_INSTANTIATED, begin_rand(c));
            FAILS(R_RAND_INSTANTIATED, direct_rand_set(&r, c, "use_derivation_function", (uint64_t)!df));
            WORKS(direct_rand_set(&r, c, "use_derivation_function", (uint64_t)df));

            memset(out, 0x77, sizeof out);
            FAILS(R_RAND_REQUEST, take(c, out, 65537));
            FAILS(R_RAND_REQUEST, take(c, out, SIZE_MAX));
            FAILS(R_RAND_STRENGTH, r.generate(c, out, 16, 257, 0, NULL, 0));
            FAILS(R_RAND_INPUT_LENGTH, r.generate(c, out, 16, 0, 0, in, ((size_t)1 << 30) + 1));
            FAILS(R_RAND_INPUT_LENGTH, r.reseed(c, 0, NULL, 0, in, ((size_t)1 << 30) + 1));
            FAILS(R_RAND_INPUT_LENGTH, r.reseed(c, 0, in, df ? 31 : 47, NULL, 0));
            FAILS(R_RAND_INPUT_LENGTH, r.reseed(c, 0, in, ((size_t)1 << 30) + 1, NULL, 0));
            if (!df) {
                FAILS(R_RAND_INPUT_LENGTH, r.generate(c, out, 16, 0, 0, in, 49));
                FAILS(R_RAND_INPUT_LENGTH, r.reseed(c, 0, in, 49, NULL, 0));
                FAILS(R_RAND_INPUT_LENGTH, r.reseed(c, 0, NULL, 0, in, 49));
            }
            CHECK(all_bytes(out, sizeof out, 0x77));
            CHECK(direct_rand_number(&r, c, "state") == 1 && direct_rand_number(&r, c, "reseed_counter") == 1);

            WORKS(take(c, out, 0) && all_bytes(out, 16, 0x77));
            WORKS(take(c, NULL, 0));
            WORKS(gives(c, 1) && gives(c, 16) && gives(c, 65536));
            WORKS(r.generate(c, out, 16, 0, 1, in, 48) && r.generate(c, out, 16, 1, 0, NULL, 99));
            CHECK(direct_rand_number(&r, c, "reseed_counter") == 2);
            WORKS(r.reseed(c, 0, in, 48, in, 48) && r.reseed(c, 1, NULL, 7, NULL, 7));
            CHECK(direct_rand_number(&r, c, "reseed_counter") == 4);

            WORKS(r.uninstantiate(c));
            CHECK(direct_rand_number(&r, c, "state") == 0 && r.verify_zeroization(c) == 1);
            memset(out, 0x77, 16);
            FAILS(R_RAND_NOT_INSTANTIATED, take(c, out, 16));
            CHECK(all_bytes(out, 16, 0x77));
            WORKS(r.uninstantiate(c)); /* again is no harm */
            WORKS(begin_rand(c) && gives(c, 32));
            CHECK(direct_rand_number(&r, c, "reseed_counter") == 5);
            r.freectx(c);
        }
    r.freectx(NULL);
    stop();
}

/* ---- R7: design (a) of the contract ---- */

static void locks(void)
{
    NEED(start());
    void *c = r.newctx(d.prov, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        CHECK(r.lock(c) == 1 && r.lock(c) == 1);
        WORKS(i == 1 || begin_rand(c));
        CHECK(direct_rand_number(&r, c, "max_request") == 65536);
        WORKS(gives(c, 32) && r.reseed(c, 0, NULL, 0, NULL, 0));
        r.unlock(c);
        WORKS(gives(c, 32));
        r.unlock(c);
        r.unlock(c);
        WORKS(r.enable_locking(c)); /* from the second round on, and twice */
    }
    r.freectx(c);
    stop();
}

/* ---- Parameters ---- */

static void parameters(void)
{
    static const struct {
        const char *key;
        uint64_t df, no_df;
    } lens[] = {
        {"min_entropylen", 32, 48}, {"max_entropylen", 1 << 30, 48}, {"min_noncelen", 16, 0},
        {"max_noncelen", 1 << 30, 0}, {"max_perslen", 1 << 30, 48}, {"max_adinlen", 1 << 30, 48},
        {"max_request", 65536, 65536}, {"strength", 256, 256}, {"use_derivation_function", 1, 0},
    };
    NEED(start());
    void *c = r.newctx(d.prov, NULL, NULL);
    for (int df = 1; df >= 0; df--) {
        WORKS(direct_rand_set(&r, c, "use_derivation_function", df ? 7 : 0));
        for (size_t i = 0; i < COUNT(lens); i++) {
            where("%s, df %d", lens[i].key, df);
            CHECK(direct_rand_number(&r, c, lens[i].key) == (df ? lens[i].df : lens[i].no_df));
        }
    }
    /* what is listed can be read, and set */
    size_t n = 0;
    for (const OSSL_PARAM *p = r.gettable(NULL, d.prov); p->key != NULL; p++, n++) {
        char room[32];
        OSSL_PARAM one[] = {*p, OSSL_PARAM_construct_end()};
        where("%s is listed", p->key);
        one[0].data = room;
        one[0].return_size = OSSL_PARAM_UNMODIFIED;
        if (one[0].data_size == 0)
            one[0].data_size = sizeof room;
        WORKS(r.get(c, one) && OSSL_PARAM_modified(one));
        one[0].data_type = OSSL_PARAM_OCTET_STRING;
        FAILS(R_PARAM, r.get(c, one));
    }
    CHECK(n == 15);
    n = 0;
    for (const OSSL_PARAM *p = r.settable(NULL, d.prov); p->key != NULL; p++, n++) {
        int64_t negative = -1;
        OSSL_PARAM one[] = {OSSL_PARAM_construct_int64(p->key, &negative), OSSL_PARAM_construct_end()};
        where("%s can be set", p->key);
        WORKS(direct_rand_set(&r, c, p->key, 1) && direct_rand_number(&r, c, p->key) == 1);
        FAILS(R_PARAM, r.set(c, one));
        one[0].data_type = OSSL_PARAM_UTF8_STRING;
        FAILS(R_PARAM, r.set(c, one));
        CHECK(direct_rand_number(&r, c, p->key) == 1);
    }
    CHECK(n == 3);
    where("others");
    FAILS(R_PARAM, direct_rand_set(&r, c, "reseed_requests", (uint64_t)1 << 32));
    WORKS(direct_rand_set(&r, c, "reseed_time_interval", (uint64_t)1 << 40));
    CHECK(direct_rand_number(&r, c, "reseed_time_interval") == (uint64_t)1 << 40);
    FAILS(R_PARAM, direct_rand_set(&r, c, "reseed_time_interval", (uint64_t)1 << 63));
    char cipher[] = "AES-128-CTR", nonsense[] = "x";
    OSSL_PARAM ignored[] = {OSSL_PARAM_construct_utf8_string("cipher", cipher, 0),
                            OSSL_PARAM_construct_utf8_string("digest", nonsense, 0),
                            OSSL_PARAM_construct_utf8_string("mac", nonsense, 0),
                            OSSL_PARAM_construct_utf8_string("properties", nonsense, 0),
                            OSSL_PARAM_construct_utf8_string("provider-name", nonsense, 0),
                            OSSL_PARAM_construct_end()};
    WORKS(r.set(c, ignored) && r.set(c, NULL) && r.get(c, NULL));
    WORKS(r.instantiate(c, 0, 0, NULL, 0, ignored));
    r.freectx(c);

    where("at the instantiation");
    int off = 0, bad = -1;
    unsigned int requests = 9;
    OSSL_PARAM list[] = {OSSL_PARAM_construct_int("use_derivation_function", &off),
                         OSSL_PARAM_construct_uint("reseed_requests", &requests), OSSL_PARAM_construct_end()};
    OSSL_PARAM wrong[] = {OSSL_PARAM_construct_int("reseed_requests", &bad), OSSL_PARAM_construct_end()};
    c = r.newctx(d.prov, NULL, NULL);
    FAILS(R_PARAM, r.instantiate(c, 0, 0, NULL, 0, wrong));
    CHECK(direct_rand_number(&r, c, "state") == 0);
    WORKS(r.instantiate(c, 0, 0, NULL, 0, list));
    CHECK(direct_rand_number(&r, c, "reseed_requests") == 9 && direct_rand_number(&r, c, "max_adinlen") == 48);
    r.freectx(c);
    stop();
}

/* ---- R15: when a new seeding is due ---- */

static void by_count(void)
{
    NEED(start());
    for (unsigned limit = 0; limit <= 5; limit++) {
        void *c = r.newctx(d.prov, NULL, NULL);
        where("%u requests", limit);
        WORKS(direct_rand_set(&r, c, "reseed_requests", limit) && begin_rand(c));
        for (unsigned request = 1; request <= 40; request++) {
            WORKS(gives(c, request % 4 * 16));
            CHECK(direct_rand_number(&r, c, "reseed_counter") == (limit == 0 ? 1 : 1 + (request - 1) / limit));
        }
        r.freectx(c);
    }
    /* without wishes: 256 */
    void *c = r.newctx(d.prov, NULL, NULL);
    WORKS(begin_rand(c));
    for (int i = 0; i < 256; i++)
        WORKS(gives(c, 16));
    CHECK(direct_rand_number(&r, c, "reseed_counter") == 1);
    WORKS(gives(c, 16));
    CHECK(direct_rand_number(&r, c, "reseed_counter") == 2);
    r.freectx(c);
    stop();
}

static void by_time(void)
{
    NEED(start());
    void *c = r.newctx(d.prov, NULL, NULL), *never = r.newctx(d.prov, NULL, NULL);
    WORKS(direct_rand_set(&r, c, "reseed_time_interval", 1) && begin_rand(c));
    WORKS(direct_rand_set(&r, never, "reseed_time_interval", 0) && begin_rand(never));
    const uint64_t first = direct_rand_number(&r, c, "reseed_time"), now = (uint64_t)time(NULL);
    CHECK(first + 3 > now && first <= now);
    usleep(2100000);
    WORKS(gives(c, 16) && gives(never, 16));
    CHECK(direct_rand_number(&r, c, "reseed_counter") == 2 && direct_rand_number(&r, never, "reseed_counter") == 1);
    CHECK(direct_rand_number(&r, c, "reseed_time") >= first + 2);
    r.freectx(c);
    r.freectx(never);
    stop();
}

/* The configuration's limit holds whatever the parameters say; and at its end the parent draws, too, for it may be
 * a copy. */
static void by_time_at_most(void)
{
    struct parent p;
    reseed_seconds = "1";
    NEED(start());
    reseed_seconds = "60";
    parent_init(&p);
    void *never = r.newctx(d.prov, NULL, NULL), *late = r.newctx(d.prov, NULL, NULL);
    void *child = r.newctx(d.prov, late, r.table), *other = r.newctx(d.prov, &p, parent_table(0));
    WORKS(direct_rand_set(&r, never, "reseed_time_interval", 0) && begin_rand(never));
    WORKS(direct_rand_set(&r, late, "reseed_time_interval", 3600) && begin_rand(late));
    WORKS(begin_rand(child) && begin_rand(other) && gives(child, 16) && gives(other, 16) && p.pr == 0);
    CHECK(direct_rand_number(&r, late, "reseed_time_interval") == 3600); /* as it was set */
    usleep(1100000);
    WORKS(gives(child, 16) && gives(other, 16) && p.pr == 1);
    CHECK(direct_rand_number(&r, child, "reseed_counter") == 2);
    CHECK(direct_rand_number(&r, late, "reseed_counter") == 2);
    WORKS(gives(never, 16));
    CHECK(direct_rand_number(&r, never, "reseed_counter") == 2);
    r.freectx(child);
    r.freectx(other);
    r.freectx(never);
    r.freectx(late);
    stop();
}

/* A seed is as old as its parent's, however it came: else each generation of generators would double the time. */
static void by_age_of_the_parent(void)
{
    struct parent p;
    NEED(start());
    parent_init(&p);
    const uint64_t now = (uint64_t)time(NULL);
    p.seeded_at = now - 50;
    void *c = r.newctx(d.prov, &p, parent_table(0)), *grandchild = r.newctx(d.prov, c, r.table);
    WORKS(begin_rand(c) && begin_rand(grandchild));
    CHECK(direct_rand_number(&r, c, "reseed_time") == now - 50);
    CHECK(direct_rand_number(&r, grandchild, "reseed_time") == now - 50);
    WORKS(gives(grandchild, 16) && gives(c, 16) && p.pr == 0);
    CHECK(direct_rand_number(&r, grandchild, "reseed_counter") == 1);
    p.seeded_at = now - 61;
    WORKS(r.reseed(c, 0, NULL, 0, NULL, 0) && p.pr == 0);
    CHECK(direct_rand_number(&r, c, "reseed_time") == now - 61);
    WORKS(gives(c, 16) && p.pr == 1); /* too old at once */
    CHECK(direct_rand_number(&r, c, "reseed_time") >= now);
    p.seeded_at = now + 1000; /* another clock than ours */
    WORKS(r.reseed(c, 0, NULL, 0, NULL, 0));
    CHECK(direct_rand_number(&r, c, "reseed_time") < now + 1000);
    r.freectx(grandchild);
    r.freectx(c);
    stop();
}

/* ---- R14: the operating system gives nothing ---- */

static void no_os(void)
{
    uint8_t out[32];
    NEED(start());
    void *c = r.newctx(d.prov, NULL, NULL);
    hooks_fail_random(true);
    FAILS(R_ENTROPY, begin_rand(c));
    CHECK(direct_rand_number(&r, c, "state") == 2 && r.verify_zeroization(c) == 1);
    memset(out, 0x77, sizeof out);
    FAILS(R_ENTROPY, take(c, out, sizeof out)); /* tries again, and fails again */
    FAILS(R_ENTROPY, r.reseed(c, 0, NULL, 0, NULL, 0));
    CHECK(all_bytes(out, sizeof out, 0x77));
    hooks_fail_random(false);
    WORKS(gives(c, 32)); /* by itself */
    CHECK(direct_rand_number(&r, c, "state") == 1);

    where("a reseeding that fails");
    static const uint8_t in[48] = {1};
    for (int how = 0; how < 4; how++) {
        hooks_fail_random(true);
        if (how == 0)
            FAILS(R_ENTROPY, r.reseed(c, 0, NULL, 0, NULL, 0));
        else if (how == 1)
            FAILS(R_ENTROPY, r.reseed(c, 0, in, 48, in, 48)); /* the caller's entropy alone is not taken */
        else if (how == 2)
            FAILS(R_ENTROPY, r.generate(c, out, sizeof out, 0, 1, NULL, 0));
        else
            FAILS(R_ENTROPY, direct_rand_set(&r, c, "reseed_requests", 1) && take(c, out, 32) && take(c, out, 32));
        CHECK(direct_rand_number(&r, c, "state") == 2 && r.verify_zeroization(c) == 1);
        memset(out, 0x77, sizeof out);
        FAILS(R_ENTROPY, take(c, out, sizeof out));
        CHECK(all_bytes(out, sizeof out, 0x77));
        hooks_fail_random(false);
        WORKS(how % 2 ? gives(c, 32) : r.reseed(c, 0, NULL, 0, NULL, 0) && gives(c, 32));
        CHECK(direct_rand_number(&r, c, "state") == 1);
    }
    hooks_fail_random(true);
    FAILS(R_ENTROPY, r.reseed(c, 0, NULL, 0, NULL, 0));
    hooks_fail_random(false);
    WORKS(r.instantiate(c, 0, 0, NULL, 0, NULL)); /* from the failed state, too */
    r.freectx(c);

    where("no system call on the way");
    c = r.newctx(d.prov, NULL, NULL);
    size_t calls = hooks_random_calls();
    WORKS(begin_rand(c) && hooks_random_calls() == calls + 2); /* a draw for the entropy, one for the nonce */
    hooks_reset();
    for (int i = 0; i < 100; i++)
        WORKS(gives(c, 100));
    CHECK(hooks_random_calls() == calls + 2 && hooks_allocations() == 0);
    r.freectx(c);
    stop();
}

/* ---- Parents ---- */

static void good_parents(void)
{
    static const int without[] = {0, WITHOUT_NONCE, WITHOUT_GET_SEED, WITHOUT_CLEAR_SEED, WITHOUT_LOCK,
                                  WITHOUT_NONCE | WITHOUT_GET_SEED, WITHOUT_NONCE | WITHOUT_LOCK,
                                  WITHOUT_NONCE | WITHOUT_GET_SEED | WITHOUT_CLEAR_SEED | WITHOUT_LOCK};
    NEED(start());
    for (size_t i = 0; i < COUNT(without); i++)
        for (int df = 0; df < 2; df++) {
            const bool lockable = !(without[i] & WITHOUT_LOCK), gives_seed = !(without[i] & WITHOUT_GET_SEED);
            const bool has_nonce = !(without[i] & WITHOUT_NONCE), clears = !(without[i] & WITHOUT_CLEAR_SEED);
            struct parent p;
            parent_init(&p);
            p.keeps = !clears;
            where("without %d, df %d", without[i], df);
            void *c = r.newctx(d.prov, &p, parent_table(without[i]));
            CHECK(p.asked == 0 && p.locks == 0 && p.enable_lockings == 0);
            WORKS(direct_rand_set(&r, c, "use_derivation_function", (uint64_t)df));
            const size_t calls = hooks_random_calls();
            WORKS(r.instantiate(c, 0, 1, NULL, 0, NULL));
            CHECK(p.pr == 1 && p.get_seeds == gives_seed && p.generates == !gives_seed);
            CHECK(p.nonces == (df && has_nonce ? 2 : 0));
            CHECK(p.last_len == (!df || !has_nonce ? 48 : 32));
            if (gives_seed) {
                CHECK(p.entropy == 8 * (int)p.min && p.min == p.last_len);
                CHECK(p.max == (df ? ((size_t)1 << 30) + (has_nonce ? 0 : 16) : 48));
            }
            WORKS(gives(c, 100));
            CHECK(p.seed_number == (df && has_nonce ? 2 : 1));
            WORKS(r.reseed(c, 0, NULL, 0, NULL, 0));
            CHECK(p.pr == 0 && p.last_len == (df ? 32 : 48));
            p.longer = df ? 100 : 0;
            WORKS(r.generate(c, NULL, 0, 0, 1, NULL, 0));
            CHECK(p.pr == 1);
            CHECK(direct_rand_number(&r, c, "reseed_counter") == 3);
            p.seedings = 5; /* the parent was seeded */
            WORKS(gives(c, 100));
            CHECK(direct_rand_number(&r, c, "reseed_counter") == 4);
            WORKS(gives(c, 100));
            CHECK(direct_rand_number(&r, c, "reseed_counter") == 4);
            WORKS(r.enable_locking(c) && p.enable_lockings == 1);
            CHECK(p.locks == p.unlocks && (p.locks > 0) == lockable && !p.held);
            CHECK(p.called_unlocked == !lockable);
            CHECK(p.clear_seeds == (clears && gives_seed ? 4 : 0));
            CHECK(hooks_random_calls() == calls); /* the parent is the only source */
            r.freectx(c);
        }
    stop();
}

/* What the n-th answer of the parent is. */
static struct drbg_input answer(uint8_t *bytes, size_t len, unsigned number)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(i + number * 37);
    return (struct drbg_input){bytes, len};
}

static bool is_fast(void)
{
    return strcmp(evp_rand_name(), "HWAEAD-DRBG") == 0;
}

static hwaead_err model_generate(struct fast_drbg *model, uint8_t *out, size_t n, struct drbg_input addin)
{
    return is_fast() ? fast_generate(model, out, n, addin) : drbg_generate(&model->drbg, out, n, addin);
}

static hwaead_err model_reseed(struct fast_drbg *model, struct drbg_input entropy, struct drbg_input addin)
{
    fast_discard(model);
    return drbg_reseed(&model->drbg, entropy, addin);
}

/* What goes into the generator of the core, and in which order. */
static void exactly(void)
{
    static const int without[] = {0, WITHOUT_NONCE, WITHOUT_GET_SEED, WITHOUT_NONCE | WITHOUT_GET_SEED};
    static const uint8_t text[48] = "personalisation, entropy and additional input";
    static const struct drbg_input none;
    NEED(start());
    for (size_t i = 0; i < COUNT(without); i++)
        for (int df = 0; df < 2; df++) {
            const bool separate = df && !(without[i] & WITHOUT_NONCE);
            struct parent p;
            struct fast_drbg model = {.left = 0};
            uint8_t one[48], two[48], got[100], want[100];
            parent_init(&p);
            where("without %d, df %d", without[i], df);
            void *c = r.newctx(d.prov, &p, parent_table(without[i]));
            WORKS(direct_rand_set(&r, c, "use_derivation_function", (uint64_t)df));
            WORKS(r.instantiate(c, 0, 0, text, 48, NULL));
            unsigned number = separate ? 2 : 1;
            struct drbg_input entropy = answer(one, separate ? 32 : 48, number), nonce = none;
            if (separate) {
                nonce = answer(two, 16, 1);
            } else if (df) {
                entropy.len = 32;
                nonce = (struct drbg_input){one + 32, 16};
            }
            CHECK(drbg_instantiate(&model.drbg, kernel_of(HWAEAD_TIER_AUTO), df, entropy, nonce,
                                   (struct drbg_input){text, 48}) == HWAEAD_OK);
            WORKS(take(c, got, sizeof got));
            CHECK(model_generate(&model, want, sizeof want, none) == HWAEAD_OK);
            CHECK_BYTES(got, want, sizeof want);

            WORKS(r.reseed(c, 0, text, 48, text, 7)); /* the caller's entropy first */
            CHECK(model_reseed(&model, (struct drbg_input){text, 48}, (struct drbg_input){text, 7}) == HWAEAD_OK);
            CHECK(model_reseed(&model, answer(one, df ? 32 : 48, ++number), none) == HWAEAD_OK);
            WORKS(r.generate(c, got, sizeof got, 0, 0, text, 9));
            CHECK(model_generate(&model, want, sizeof want, (struct drbg_input){text, 9}) == HWAEAD_OK);
            CHECK_BYTES(got, want, sizeof want);

            WORKS(r.generate(c, got, sizeof got, 0, 1, text, 9)); /* additional input goes into the reseeding only */
            CHECK(model_reseed(&model, answer(one, df ? 32 : 48, ++number), (struct drbg_input){text, 9}) == HWAEAD_OK);
            CHECK(model_generate(&model, want, sizeof want, none) == HWAEAD_OK);
            CHECK_BYTES(got, want, sizeof want);
            r.freectx(c);
        }
    stop();
}

/* Each of these ends without output, with one error, and the next good answer mends it. */
static void bad_parents(void)
{
    enum { FAILING, NOTHING, SHORT, LONG, WEAK, NO_NONCE_LENGTH, NONCE_SHRINKS, NONCE_HUGE, LOCK, BADS };
    NEED(start());
    for (int df = 0; df < 2; df++)
        for (int bad = 0; bad < BADS; bad++)
            for (int later = 0; later < 2; later++) {
                const bool is_nonce = bad == NO_NONCE_LENGTH || bad == NONCE_SHRINKS || bad == NONCE_HUGE;
                if (is_nonce && !df)
                    continue;
                struct parent p;
                uint8_t out[16];
                parent_init(&p);
                void *c = r.newctx(d.prov, &p, parent_table(0));
                where("df %d, bad parent %d, later %d", df, bad, later);
                WORKS(direct_rand_set(&r, c, "use_derivation_function", (uint64_t)df));
                WORKS(!later || begin_rand(c));
                p.fails = bad == FAILING;
                p.gives_nothing = bad == NOTHING;
                p.longer = bad == SHORT ? -1 : bad == LONG && !df ? 1 : 0;
                p.strength = bad == WEAK ? 255 : 256;
                p.nonce_len = bad == NO_NONCE_LENGTH ? 15 : bad == NONCE_HUGE ? ((size_t)1 << 30) + 1 : 0;
                p.second_nonce_len = bad == NONCE_SHRINKS ? 15 : 0;
                p.cannot_lock = bad == LOCK;
                if (bad == LONG && df)
                    p.longer = 7; /* as good as any */
                memset(out, 0x77, sizeof out);
                if ((bad == LONG && df) || (is_nonce && later)) { /* no nonce at a reseeding */
                    WORKS(later ? r.reseed(c, 0, NULL, 0, NULL, 0) : begin_rand(c));
                    r.freectx(c);
                    CHECK(p.locks == p.unlocks);
                    continue;
                }
                const int reason = bad == WEAK   ? R_RAND_PARENT_STRENGTH
                                   : bad == LOCK ? R_RAND_PARENT_LOCK
                                                 : R_RAND_PARENT;
                if (later)
                    FAILS(reason, r.generate(c, out, sizeof out, 0, 1, NULL, 0));
                else
                    FAILS(reason, begin_rand(c));
                CHECK(direct_rand_number(&r, c, "state") == 2 && r.verify_zeroization(c) == 1);
                FAILS(reason, take(c, out, sizeof out));
                CHECK(all_bytes(out, sizeof out, 0x77));
                if (bad == LOCK)
                    FAILS(R_RAND_PARENT_LOCK, r.enable_locking(c));
                else
                    CHECK(p.locks == p.unlocks);
                const unsigned int number = p.seed_number;
                parent_init(&p);
                p.seed_number = number;
                WORKS(gives(c, 64));
                CHECK(direct_rand_number(&r, c, "state") == 1);
                r.freectx(c);
            }
    stop();
}

/* Ours as the parent, by its bare functions: each is safe alone. */
static void as_parent(void)
{
    unsigned char *seed = NULL, out[64];
    NEED(start());
    for (int locking = 0; locking < 2; locking++) {
        void *c = r.newctx(d.prov, NULL, NULL);
        seed = NULL;
        WORKS(!locking || r.enable_locking(c));
        FAILS(R_RAND_NOT_INSTANTIATED, r.get_seed(c, &seed, 256, 32, 100, 0, NULL, 0) != 0);
        FAILS(R_RAND_NOT_INSTANTIATED, r.nonce(c, out, 256, 16, 16) != 0);
        CHECK(seed == NULL);
        WORKS(begin_rand(c));
        static const struct {
            int entropy;
            size_t min, max, want;
        } asks[] = {
            {256, 32, 1 << 30, 32}, {256, 48, 48, 48}, {384, 48, 1 << 30, 48}, {384, 0, 48, 48}, {-1, 1, 1, 1},
            {1, 0, 1, 1}, {0, 65536, 65536, 65536}, {255, 0, 100, 32},
            {256, 0, 31, 0}, {0, 0, 100, 0}, {256, 100, 99, 0}, {0, 65537, 1 << 30, 0},
        };
        for (size_t i = 0; i < COUNT(asks); i++) {
            where("entropy %d, %zu..%zu", asks[i].entropy, asks[i].min, asks[i].max);
            seed = NULL;
            core.errors = 0;
            const size_t n = r.get_seed(c, &seed, asks[i].entropy, asks[i].min, asks[i].max, 0, out, 8);
            CHECK(n == asks[i].want && (seed != NULL) == (n != 0) && core.errors == (n == 0));
            CHECK(n < 16 || !all_bytes(seed, n, seed[0]));
            if (seed != NULL)
                r.clear_seed(c, seed, n);
        }
        r.clear_seed(c, NULL, 0);
        const uint64_t seedings = direct_rand_number(&r, c, "reseed_counter");
        CHECK(r.get_seed(c, &seed, 256, 32, 32, 1, NULL, 0) == 32);
        r.clear_seed(c, seed, 32);
        CHECK(direct_rand_number(&r, c, "reseed_counter") == seedings + 1); /* prediction resistance */
        where("nonces");
        memset(out, 0x77, sizeof out);
        WORKS(r.nonce(c, NULL, 256, 16, 100) == 16);
        WORKS(r.nonce(c, out, 256, 16, 100) == 16 && !all_bytes(out, 16, 0x77) && out[16] == 0x77);
        FAILS(R_PARAM, r.nonce(c, out, 256, 16, 15) != 0);
        FAILS(R_PARAM, r.nonce(c, out, 256, 0, 15) != 0);
        FAILS(R_RAND_STRENGTH, r.nonce(c, out, 257, 16, 16) != 0);
        FAILS(R_RAND_REQUEST, r.nonce(c, out, 256, 65537, 65537) != 0);
        r.freectx(c);
    }
    stop();
}

/* A parent whose table is a copy of ours is asked like any other. */
static void tables_copied(void)
{
    OSSL_DISPATCH copy[32];
    size_t n = 0;
    NEED(start());
    while (r.table[n].function_id != 0 && n < COUNT(copy) - 1)
        n++;
    memcpy(copy, r.table, (n + 1) * sizeof *copy);
    void *c = r.newctx(d.prov, NULL, NULL);
    WORKS(begin_rand(c));
    void *children[] = {r.newctx(d.prov, c, copy), r.newctx(d.prov, c, r.table)};
    for (size_t i = 0; i < COUNT(children); i++) {
        where("child %zu", i);
        WORKS(begin_rand(children[i]) && gives(children[i], 16));
        CHECK(direct_rand_number(&r, children[i], "reseed_counter") == 1);
        WORKS(r.reseed(c, 0, NULL, 0, NULL, 0) && gives(children[i], 16) && gives(children[i], 16));
        CHECK(direct_rand_number(&r, children[i], "reseed_counter") == 2);
        r.freectx(children[i]);
    }
    r.freectx(c);
    stop();
}

/* ---- Memory ---- */

static bool has(const uint8_t *block, size_t size, const uint8_t bytes[16])
{
    return memmem(block, size, bytes, 16) != NULL;
}

/* What is handed out is nowhere in the context any more. What waits is there, with the fast generator, until a new
 * seeding or additional input: the context is put back each time, as what waited is known when it came out. */
static void nothing_handed_out(void)
{
    enum { RESEEDING, ADDITIONAL, PREDICTION, PARENTS_SEEDING, END, WAYS };
    uint8_t out[32], next[32];
    size_t size = 0;
    NEED(start());
    void *parent = r.newctx(d.prov, NULL, NULL), *c = r.newctx(d.prov, parent, r.table);
    const uint8_t *block = hooks_last(&size);
    NEED(block == c && size >= 512);
    uint8_t *before = malloc(size);
    WORKS(begin_rand(parent) && begin_rand(c));
    for (int way = 0; way < WAYS; way++) {
        where("way %d", way);
        WORKS(take(c, out, sizeof out) && !has(block, size, out) && !has(block, size, out + 16));
        memcpy(before, c, size);
        WORKS(take(c, next, sizeof next) && !has(block, size, next) && !has(block, size, next + 16));
        CHECK(has(before, size, next) == is_fast() && has(before, size, next + 16) == is_fast());
        memcpy(c, before, size);
        if (way == RESEEDING)
            WORKS(r.reseed(c, 0, NULL, 0, NULL, 0));
        else if (way == ADDITIONAL)
            WORKS(r.generate(c, out, 1, 0, 0, out, 16));
        else if (way == PREDICTION)
            WORKS(r.generate(c, out, 0, 0, 1, NULL, 0));
        else if (way == PARENTS_SEEDING)
            WORKS(r.reseed(parent, 0, NULL, 0, NULL, 0) && take(c, out, 1));
        else
            WORKS(r.uninstantiate(c));
        CHECK(!has(block, size, next) && !has(block, size, next + 16));
    }
    free(before);
    r.freectx(c);
    r.freectx(parent);
    stop();
}

/* A parent that cannot be locked when its seed is to go back: the seed is wiped all the same. */
static void seed_not_given_back(void)
{
    struct parent p;
    NEED(start());
    parent_init(&p);
    p.keeps = true;
    p.lockable = 1;
    void *c = r.newctx(d.prov, &p, parent_table(0));
    WORKS(begin_rand(c));
    CHECK(p.locks == 2 && p.get_seeds == 1 && p.clear_seeds == 0 && p.last_len >= 32);
    CHECK(all_bytes(p.room, p.last_len, 0));
    r.freectx(c);
    where("without clear_seed the parent's memory stays as it is");
    parent_init(&p);
    p.keeps = true;
    c = r.newctx(d.prov, &p, parent_table(WITHOUT_CLEAR_SEED));
    WORKS(begin_rand(c));
    CHECK(p.get_seeds == 1 && !all_bytes(p.room, p.last_len, 0));
    r.freectx(c);
    stop();
}

static size_t secrets;
static void look(const void *block, size_t n)
{
    /* n may be more than was used: malloc rounds up, and so do contexts, to lines of 64 bytes */
    secrets += !all_bytes(block, n > 256 ? n - 128 : 16, 0);
}

/* Contexts, seeds and nonces are wiped before they are given back. */
static void nothing_left(void)
{
    struct parent p;
    unsigned char *seed = NULL;
    NEED(start());
    secrets = 0;
    parent_init(&p);
    void *c = r.newctx(d.prov, NULL, NULL), *child = r.newctx(d.prov, c, r.table);
    p.nonce_len = p.second_nonce_len = 64;
    hooks_on_free(look);
    WORKS(begin_rand(c) && begin_rand(child) && gives(child, 100) && r.reseed(child, 1, NULL, 0, NULL, 0));
    CHECK(r.get_seed(c, &seed, 256, 64, 64, 0, NULL, 0) == 64);
    r.clear_seed(c, seed, 64);
    r.freectx(child);
    r.freectx(c);
    hooks_on_free(NULL);
    where("%zu blocks with something in them", secrets);
    CHECK(secrets == 0);
    stop();
}

static void no_memory(void)
{
    unsigned char *seed = NULL;
    if (!hooks_can_fail()) {
        printf("Not done under AddressSanitizer: allocations that fail.\n");
        return;
    }
    NEED(start());
    hooks_fail_at(1);
    FAILS(R_MEMORY, r.newctx(d.prov, NULL, NULL) != NULL);
    void *c = r.newctx(d.prov, NULL, NULL), *child = r.newctx(d.prov, c, r.table);
    WORKS(begin_rand(c));
    hooks_fail_at(1);
    FAILS(R_MEMORY, r.get_seed(c, &seed, 256, 64, 64, 0, NULL, 0) != 0);
    hooks_fail_at(1);
    core.errors = 0;
    CHECK(!begin_rand(child) && core.errors >= 1);
    hooks_fail_at(0);
    WORKS(gives(child, 32));
    r.freectx(child);
    r.freectx(c);
    stop();
}

static void all_reasons(void)
{
    for (int reason = R_RAND_NOT_INSTANTIATED; reason <= R_RAND_PARENT_LOCK; reason++) {
        where("reason %d", reason);
        CHECK(seen[reason]);
    }
    CHECK(R_RAND_PARENT_LOCK + 1 == R_SEED_PARENT); /* the next is tested in rand_seed.c */
}

static const struct evp_case cases[] = {
    {"R6 R16", "limits and states", limits},
    {"R7", "locks", locks},
    {"R4", "parameters", parameters},
    {"R15", "seedings by count", by_count},
    {"R15", "seedings by time", by_time},
    {"R15 CFG", "seedings by time at most", by_time_at_most},
    {"R15", "seedings by the age of the parent's", by_age_of_the_parent},
    {"R14", "an operating system without entropy", no_os},
    {"R9", "good parents", good_parents},
    {"R9", "what exactly goes in", exactly},
    {"R14", "bad parents", bad_parents},
    {"R8", "as a parent", as_parent},
    {"R8", "tables that are copies", tables_copied},
    {"R16", "what was handed out is gone", nothing_handed_out},
    {"R16", "a seed that cannot be given back", seed_not_given_back},
    {"R16", "nothing is left in memory", nothing_left},
    {"R14", "no memory", no_memory},
    {"ERR", "all reasons of the generator", all_reasons},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
