/* SPDX-License-Identifier: Apache-2.0
 *
 * HWAEAD-SEED-SRC: by direct calls, and as the seed that libcrypto's generators and ours draw on.
 */
#include "hooks.h"
#include "rand_direct.h"
#include "rands.h"
#include "reasons.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/rand.h>

static struct core core;
static struct direct d;
static struct direct_rand s;

static bool start(void)
{
    static const char *settings[] = {"tier", NULL, NULL};
    settings[1] = evp_tier();
    core = (struct core){.settings = settings};
    return CHECK(direct_start(&d, direct_entry(evp_module()), &core) == 1)
           && CHECK(direct_rand_find(&d, "HWAEAD-SEED-SRC", &s));
}

static bool begin_seed(void *c)
{
    return s.instantiate(c, 0, 0, NULL, 0, NULL) == 1;
}

#define FAILS(wanted, call) \
    do { \
        core.errors = 0; \
        CHECK(!(call)); \
        where("%s: %zu errors, reason %u, wanted %d", #call, core.errors, core.reason, (int)(wanted)); \
        CHECK(core.errors == 1 && core.reason == (uint32_t)(wanted)); \
    } while (0)

/* ---- States and limits ---- */

static void states(void)
{
    static uint8_t out[65538], again[65536];
    static const size_t lens[] = {0, 1, 31, 32, 33, 48, 64, 100, 65536};
    NEED(start());
    FAILS(R_SEED_PARENT, s.newctx(d.prov, &core, s.table) != NULL);
    for (int locking = 0; locking < 2; locking++) {
        void *c = s.newctx(d.prov, NULL, NULL);
        NEED(c != NULL && (!locking || s.enable_locking(c) == 1));
        CHECK(direct_rand_number(&s, c, "state") == 0);
        FAILS(R_RAND_NOT_INSTANTIATED, s.generate(c, out, 1, 0, 0, NULL, 0));
        FAILS(R_RAND_NOT_INSTANTIATED, s.reseed(c, 0, NULL, 0, NULL, 0));
        FAILS(R_RAND_STRENGTH, s.instantiate(c, 257, 0, NULL, 0, NULL));
        CHECK(begin_seed(c) && begin_seed(c) && direct_rand_number(&s, c, "state") == 1);
        CHECK(direct_rand_number(&s, c, "strength") == 256 && direct_rand_number(&s, c, "max_request") == 65536);
        CHECK(s.lock(c) == 1 && s.lock(c) == 1);
        memset(out, 0x77, sizeof out);
        FAILS(R_RAND_STRENGTH, s.generate(c, out, 16, 257, 0, NULL, 0));
        FAILS(R_RAND_REQUEST, s.generate(c, out, 65537, 0, 0, NULL, 0));
        CHECK(all_bytes(out, sizeof out, 0x77));
        core.errors = 0;
        for (size_t i = 0; i < COUNT(lens); i++) {
            const size_t n = lens[i], calls = hooks_random_calls();
            memset(out, 0x77, sizeof out);
            where("%zu bytes", n);
            CHECK(s.generate(c, out, n, 256, i % 2 == 0, lens[i] ? out : NULL, lens[i] ? 8 : 0) == 1);
            CHECK(hooks_random_calls() == calls + (n + 31) / 32); /* each 32 bytes have a draw of their own */
            CHECK(out[n] == 0x77 && s.generate(c, again, n, 0, 0, NULL, 0) == 1);
            CHECK(n < 16 || memcmp(out, again, n) != 0);
            CHECK(n < 65536 || !rand_any_shared(out, 1, n));
        }
        CHECK(s.reseed(c, 1, out, 48, out, 8) == 1 && s.verify_zeroization(c) == 1);
        s.unlock(c);
        CHECK(s.uninstantiate(c) == 1 && direct_rand_number(&s, c, "state") == 0 && core.errors == 0);
        FAILS(R_RAND_NOT_INSTANTIATED, s.generate(c, out, 1, 0, 0, NULL, 0));
        CHECK(begin_seed(c) && s.generate(c, out, 32, 0, 0, NULL, 0) == 1);
        s.freectx(c);
    }
    s.freectx(NULL);
    size_t n = 0;
    for (const OSSL_PARAM *p = s.gettable(NULL, d.prov); p->key != NULL; p++)
        n++;
    CHECK(n == 3);
    CHECK(R_SEED_PARENT + 1 == REASON_END);
    d.teardown(d.prov);
}

static size_t secrets;
static void look(const void *block, size_t n)
{
    secrets += !all_bytes(block, n > 128 ? n - 64 : 16, 0);
}

static void seeds(void)
{
    static const struct {
        int entropy;
        size_t min, max, want;
    } asks[] = {
        {256, 32, 1 << 30, 32}, {256, 48, 48, 48}, {384, 48, 1 << 30, 48}, {384, 0, 48, 48}, {-1, 1, 1, 1},
        {256, 0, 31, 0}, {0, 0, 100, 0}, {256, 100, 99, 0}, {0, 65537, 1 << 30, 0},
    };
    NEED(start());
    void *c = s.newctx(d.prov, NULL, NULL);
    NEED(c != NULL && begin_seed(c));
    secrets = 0;
    for (size_t i = 0; i < COUNT(asks); i++) {
        unsigned char *seed = NULL;
        where("entropy %d, %zu..%zu", asks[i].entropy, asks[i].min, asks[i].max);
        core.errors = 0;
        const size_t n = s.get_seed(c, &seed, asks[i].entropy, asks[i].min, asks[i].max, 0, NULL, 0);
        CHECK(n == asks[i].want && (seed != NULL) == (n != 0) && core.errors == (n == 0));
        CHECK(n < 16 || !all_bytes(seed, n, seed[0]));
        hooks_on_free(n >= 16 ? look : NULL);
        s.clear_seed(c, seed, n);
        hooks_on_free(NULL);
    }
    hooks_on_free(look);
    s.freectx(c);
    hooks_on_free(NULL);
    where("%zu blocks with something in them", secrets);
    CHECK(secrets == 0);
    d.teardown(d.prov);
}

static void no_os(void)
{
    uint8_t out[100];
    unsigned char *seed = NULL;
    NEED(start());
    void *c = s.newctx(d.prov, NULL, NULL);
    NEED(c != NULL && begin_seed(c));
    for (int i = 0; i < 3; i++) {
        hooks_fail_random(true);
        memset(out, 0x77, sizeof out);
        FAILS(R_ENTROPY, s.generate(c, out, sizeof out, 0, 0, NULL, 0));
        CHECK(all_bytes(out, sizeof out, 0)); /* nothing of before */
        FAILS(R_ENTROPY, s.get_seed(c, &seed, 256, 32, 32, 0, NULL, 0) != 0);
        CHECK(seed == NULL);
        hooks_fail_random(false);
        core.errors = 0;
        CHECK(s.generate(c, out, sizeof out, 0, 0, NULL, 0) == 1 && core.errors == 0 && !all_bytes(out, 100, out[0]));
    }
    s.freectx(c);
    d.teardown(d.prov);
}

/* ---- Shared by threads, while the process forks ---- */

static atomic_bool done;

static void *hammer(void *c)
{
    static _Thread_local uint8_t out[4096];
    bool good = true;
    while (!atomic_load(&done))
        good &= s.generate(c, out, sizeof out, 0, 0, NULL, 0) == 1;
    return good ? c : NULL;
}

static void forks(void)
{
    enum { THREADS = 4, FORKS = 30 };
    pthread_t thread[THREADS];
    if (UNDER_TSAN) {
        printf("Not done under ThreadSanitizer: in a child it takes what threads of the parent did for a race.\n");
        return;
    }
    NEED(start());
    void *c = s.newctx(d.prov, NULL, NULL);
    NEED(c != NULL && begin_seed(c) && s.enable_locking(c) == 1);
    atomic_store(&done, false);
    for (int i = 0; i < THREADS; i++)
        NEED(pthread_create(&thread[i], NULL, hammer, c) == 0);
    for (int i = 0; i < FORKS; i++) {
        const pid_t child = fork();
        if (child == 0) {
            uint8_t out[64];
            alarm(10);
            const bool good = s.generate(c, out, sizeof out, 0, 0, NULL, 0) == 1;
            _exit(good && s.generate(c, out, sizeof out, 0, 0, NULL, 0) == 1 ? 0 : 1);
        }
        int status = -1;
        where("fork %d", i);
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    atomic_store(&done, true);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(thread[i], &result);
        CHECK(result == c);
    }
    s.freectx(c);
    d.teardown(d.prov);
}

/* ---- Through libcrypto ---- */

static void children(void)
{
    static const char *const kinds[][2] = {
        {"CTR-DRBG", "provider=default"}, {"HASH-DRBG", "provider=default"}, {"HMAC-DRBG", "provider=default"},
        {"HWAEAD-CTR-DRBG", "provider=hwaead"}, {"HWAEAD-DRBG", "provider=hwaead"},
    };
    for (size_t i = 0; i < COUNT(kinds); i++) {
        char cipher[] = "AES-256-CTR", digest[] = "SHA512", mac[] = "HMAC";
        OSSL_PARAM list[] = {OSSL_PARAM_construct_utf8_string("cipher", cipher, 0),
                             OSSL_PARAM_construct_utf8_string("digest", digest, 0),
                             OSSL_PARAM_construct_utf8_string("mac", mac, 0), OSSL_PARAM_construct_end()};
        EVP_RAND_CTX *seed = rand_other(lib, "HWAEAD-SEED-SRC", "provider=hwaead", NULL);
        NEED(EVP_RAND_instantiate(seed, 0, 0, NULL, 0, NULL) == 1);
        EVP_RAND_CTX *child = rand_other(lib, kinds[i][0], kinds[i][1], seed);
        const size_t calls = hooks_random_calls();
        where("%s", kinds[i][0]);
        CHECK(EVP_RAND_instantiate(child, 0, 0, NULL, 0, list) == 1 && hooks_random_calls() > calls);
        CHECK(rand_works(child, 100) && EVP_RAND_reseed(child, 1, NULL, 0, NULL, 0) == 1 && rand_works(child, 100));
        CHECK(EVP_RAND_enable_locking(child) == 1 && rand_works(child, 16) && rand_works(seed, 100));
        CHECK(drain().total == 0);
        EVP_RAND_CTX_free(seed);
        CHECK(EVP_RAND_reseed(child, 0, NULL, 0, NULL, 0) == 1);
        hooks_fail_random(true);
        CHECK(EVP_RAND_reseed(child, 1, NULL, 0, NULL, 0) != 1);
        hooks_fail_random(false);
        CHECK(rand_works(child, 32)); /* not for life */
        ERR_clear_error();
        EVP_RAND_CTX_free(child);
    }
}

/* [random] seed = HWAEAD-SEED-SRC, under each generator. */
static void by_configuration(void)
{
    static const char *const generators[] = {"CTR-DRBG", "HWAEAD-CTR-DRBG", "HWAEAD-DRBG"};
    for (size_t i = 0; i < COUNT(generators); i++) {
        char lines[256];
        uint8_t out[64] = {0};
        OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
        snprintf(lines, sizeof lines, "[t_init]\nrandom = t_random\n[t_random]\nrandom = %s\n"
                                      "seed = HWAEAD-SEED-SRC\n[t_hwaead]\n", generators[i]);
        NEED(a != NULL && evp_config(a, lines, "?provider=hwaead", true));
        where("%s", generators[i]);
        CHECK(RAND_bytes_ex(a, out, sizeof out, 0) == 1 && !all_bytes(out, sizeof out, 0));
        CHECK(RAND_priv_bytes_ex(a, out, sizeof out, 256) == 1);
        const size_t calls = hooks_random_calls();
        EVP_RAND_CTX *primary = RAND_get0_primary(a);
        NEED(primary != NULL && strcmp(EVP_RAND_get0_name(EVP_RAND_CTX_get0_rand(primary)), generators[i]) == 0);
        CHECK(EVP_RAND_reseed(primary, 0, NULL, 0, NULL, 0) == 1 && hooks_random_calls() > calls);
        CHECK(RAND_bytes_ex(a, out, sizeof out, 0) == 1 && drain().total == 0);
        OSSL_LIB_CTX_free(a);
    }
}

static const struct evp_case cases[] = {
    {"R4 R6 R7", "states and limits of the seed source", states},
    {"R8 R16", "seeds, and nothing left of them", seeds},
    {"R14", "an operating system without entropy", no_os},
    {"R11", "forks while threads draw", forks},
    {"R9 R14", "generators over the seed source", children},
    {"R9", "the seed of [random]", by_configuration},
};

int main(int argc, char **argv)
{
    alarm(300);
    return evp_main(argc, argv, cases, COUNT(cases));
}
