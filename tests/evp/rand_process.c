/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator as the one that RAND_bytes uses: which name is offered when, who wins, seedings that reach all
 * generators of a process, threads, other parents and children, TLS.
 */
#include "rands.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include <openssl/ec.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* [random] random = the generator under test, by way of the sections that evp_config writes. */
#define RANDOM_SECTION "[t_init]\nrandom = t_random\n[t_random]\nrandom = $ENV::OURS\n[t_hwaead]\n"

static OSSL_LIB_CTX *with(const char *lines, const char *properties, bool activate)
{
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
    if (a == NULL || setenv("OURS", evp_rand_name(), 1) != 0)
        abort();
    evp_config(a, lines, properties, activate);
    return a;
}

static bool offered(OSSL_LIB_CTX *a, const char *name)
{
    EVP_RAND *kind = EVP_RAND_fetch(a, name, "provider=hwaead");
    const bool there = kind != NULL;
    if (there)
        CHECK(strcmp(EVP_RAND_get0_name(kind), name) == 0 && EVP_RAND_is_a(kind, name));
    EVP_RAND_free(kind);
    ERR_clear_error();
    return there;
}

/* Random bytes from each of the three, which are the provider's. */
static bool random_by(OSSL_LIB_CTX *a, const char *provider)
{
    uint8_t one[64] = {0}, two[64] = {0};
    bool good = RAND_bytes_ex(a, one, sizeof one, 0) == 1 && RAND_priv_bytes_ex(a, two, sizeof two, 256) == 1;
    good = good && memcmp(one, two, 64) != 0 && !all_bytes(one, 64, 0) && !all_bytes(two, 64, 0);
    good = good && strcmp(rand_provider(RAND_get0_primary(a)), provider) == 0;
    good = good && strcmp(rand_provider(RAND_get0_public(a)), provider) == 0;
    good = good && strcmp(rand_provider(RAND_get0_private(a)), provider) == 0;
    return good && EVP_RAND_get_state(RAND_get0_primary(a)) == 1 && RAND_bytes_ex(a, one, 0, 0) == 1;
}

/* ---- Names ---- */

static void names(void)
{
    static const struct {
        const char *lines;
        bool activate, ctr_drbg;
    } configs[] = {
        {"", true, false},
        {"replace_ctr_drbg = 0\n", true, false},
        {"replace_ctr_drbg = 1\n", true, true},
        {"", false, false}, /* waits to be loaded by name, with a section of its own all the same */
        {"replace_ctr_drbg = 0\n", false, false},
        {"replace_ctr_drbg = 1\n", false, true},
    };
    for (size_t i = 0; i < COUNT(configs); i++) {
        where("activate %d, %s", configs[i].activate, configs[i].lines);
        OSSL_LIB_CTX *a = with(configs[i].lines, NULL, configs[i].activate);
        OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
        CHECK(p != NULL);
        CHECK(offered(a, "HWAEAD-CTR-DRBG") && offered(a, "HWAEAD-DRBG"));
        CHECK(offered(a, "CTR-DRBG") == configs[i].ctr_drbg);
        CHECK((strstr(evp_provider_text(a, "buildinfo"), "CTR-DRBG") != NULL) == configs[i].ctr_drbg);
        OSSL_PROVIDER_unload(p);
        OSSL_LIB_CTX_free(a);
    }
    where("by its path");
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, evp_module());
    CHECK(p != NULL && offered(a, "HWAEAD-CTR-DRBG") && offered(a, "CTR-DRBG"));
    OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(a);
}

/* Nobody else is there: no default, no seed source. */
static void alone(void)
{
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, evp_module());
    NEED(p != NULL);
    CHECK(random_by(a, evp_module())); /* the name that it was loaded by */
    EVP_RAND_CTX *primary = RAND_get0_primary(a);
    NEED(primary != NULL);
    CHECK(rand_number(primary, "reseed_requests") == 256 && rand_number(primary, "reseed_time_interval") == 3600);
    CHECK(drain().total == 0);
    OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(a);
}

/* ---- R2 R3 R17: who serves ---- */

static void selections(void)
{
    static const struct {
        const char *lines, *properties, *provider;
    } configs[] = {
        {"", NULL, "default"},
        {"", "?provider=hwaead", "default"},                         /* R3 */
        {"replace_ctr_drbg = 0\n", "?provider=hwaead", "default"},
        {"replace_ctr_drbg = 1\n", "?provider=hwaead", "hwaead"},
        {"replace_ctr_drbg = 1\n", "?provider=default", "default"},
        {RANDOM_SECTION, NULL, "hwaead"},                            /* R2 */
        {RANDOM_SECTION, "?provider=hwaead", "hwaead"},
        {"replace_ctr_drbg = 1\n" RANDOM_SECTION, "?provider=hwaead", "hwaead"},
        {"module = /nonexistent/hwaead.so\nreplace_ctr_drbg = 1\n", "?provider=hwaead", "default"},
    };
    for (size_t i = 0; i < COUNT(configs); i++) {
        OSSL_LIB_CTX *a = with(configs[i].lines, configs[i].properties, true);
        ERR_clear_error();
        where("%s, %s", configs[i].lines, configs[i].properties == NULL ? "none" : configs[i].properties);
        CHECK(random_by(a, configs[i].provider));
        EVP_PKEY *key = EVP_PKEY_Q_keygen(a, NULL, "EC", "P-256");
        CHECK(key != NULL);
        EVP_PKEY_free(key);
        CHECK(drain().total == 0);
        OSSL_LIB_CTX_free(a);
    }
    where("the module is missing, and [random] names us");
    OSSL_LIB_CTX *a = with("module = /nonexistent/hwaead.so\n" RANDOM_SECTION, NULL, true);
    uint8_t out[16];
    CHECK(RAND_bytes_ex(a, out, sizeof out, 0) != 1);
    ERR_clear_error();
    OSSL_LIB_CTX_free(a);
}

/* Both offer the name, and nobody prefers one: whoever it is, it works, and stays. */
static void no_preference(void)
{
    for (int i = 0; i < 2; i++) {
        OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
        OSSL_PROVIDER *first = OSSL_PROVIDER_load(a, i == 0 ? evp_module() : "default");
        OSSL_PROVIDER *second = OSSL_PROVIDER_load(a, i == 0 ? "default" : evp_module());
        uint8_t out[40];
        NEED(first != NULL && second != NULL);
        CHECK(RAND_bytes_ex(a, out, sizeof out, 0) == 1);
        const char *provider = rand_provider(RAND_get0_primary(a));
        printf("%s loaded first: CTR-DRBG is that of %s\n", i == 0 ? "hwaead" : "default",
               strcmp(provider, "default") == 0 ? "default" : "hwaead");
        CHECK(random_by(a, provider));
        OSSL_PROVIDER_unload(first);
        OSSL_PROVIDER_unload(second);
        CHECK(RAND_bytes_ex(a, out, sizeof out, 0) == 1); /* the contexts keep their provider */
        OSSL_LIB_CTX_free(a);
    }
}

/* ---- R4 R5 R10 ---- */

static OSSL_LIB_CTX *ours_only(void)
{
    return with(RANDOM_SECTION, "?provider=hwaead", true);
}

static void requests(void)
{
    static uint8_t out[10 << 20];
    static const size_t lens[] = {0, 1, 15, 16, 17, 80, 81, 4096, 65535, 65536, 65537, 131072, 131073, sizeof out};
    OSSL_LIB_CTX *a = ours_only();
    NEED(random_by(a, "hwaead"));
    for (size_t i = 0; i < COUNT(lens); i++) {
        memset(out, 0, lens[i]);
        where("%zu bytes", lens[i]);
        OK(RAND_bytes_ex(a, out, lens[i], 0));
        OK(RAND_priv_bytes_ex(a, out, lens[i], 256));
        if (lens[i] >= 65536)
            CHECK(!rand_any_shared(out, 1, lens[i] / 16 * 16));
    }
    CHECK(RAND_bytes_ex(a, out, 16, 257) != 1);
    ERR_clear_error();
    EVP_RAND_CTX *three[] = {RAND_get0_primary(a), RAND_get0_public(a), RAND_get0_private(a)};
    for (size_t i = 0; i < COUNT(three); i++) {
        where("generator %zu", i);
        CHECK(rand_number(three[i], "max_request") == 65536 && rand_number(three[i], "strength") == 256);
        CHECK(rand_number(three[i], "state") == 1 && rand_number(three[i], "reseed_counter") >= 1);
        CHECK(rand_number(three[i], "reseed_requests") == (i == 0 ? 256 : 65536));
        CHECK(rand_number(three[i], "reseed_time_interval") == (i == 0 ? 3600 : 420));
        CHECK(EVP_RAND_get_strength(three[i]) == 256);
    }
    OSSL_LIB_CTX_free(a);
}

/* How often RAND_add, RAND_seed and RAND_poll, once each, seed the primary of a context that is made the default. */
static uint64_t seedings(OSSL_LIB_CTX *a, const char *provider)
{
    OSSL_LIB_CTX *old = OSSL_LIB_CTX_set0_default(a);
    uint8_t out[16] = {0};
    CHECK(random_by(NULL, provider) && RAND_status() == 1);
    const uint64_t before = rand_number(RAND_get0_primary(NULL), "reseed_counter");
    RAND_add(out, sizeof out, 0);
    RAND_seed(out, sizeof out);
    CHECK(RAND_poll() == 1);
    const uint64_t after = rand_number(RAND_get0_primary(NULL), "reseed_counter");
    CHECK(RAND_bytes(out, sizeof out) == 1 && drain().total == 0);
    OSSL_LIB_CTX_set0_default(old);
    OSSL_LIB_CTX_free(a);
    return after - before;
}

static void seedings_spread(void)
{
    OSSL_LIB_CTX *a = ours_only();
    uint8_t out[16];
    NEED(random_by(a, "hwaead"));
    EVP_RAND_CTX *primary = RAND_get0_primary(a), *public = RAND_get0_public(a);
    uint64_t p = rand_number(primary, "reseed_counter"), c = rand_number(public, "reseed_counter");
    for (int i = 0; i < 5; i++) {
        where("round %d", i);
        OK(RAND_bytes_ex(a, out, sizeof out, 0));
        CHECK(rand_number(public, "reseed_counter") == c); /* nothing happens by itself */
        OK(EVP_RAND_reseed(primary, 0, NULL, 0, out, sizeof out)); /* as RAND_add does */
        CHECK(rand_number(primary, "reseed_counter") == ++p && rand_number(public, "reseed_counter") == c);
        OK(RAND_bytes_ex(a, out, sizeof out, 0));
        CHECK(rand_number(public, "reseed_counter") == ++c);
        CHECK(rand_number(primary, "reseed_counter") == p);
    }
    OK(rand_set_uint(public, "reseed_requests", 3));
    for (int i = 0; i < 12; i++)
        OK(RAND_bytes_ex(a, out, sizeof out, 0));
    CHECK(rand_number(public, "reseed_counter") > c + 3);
    OSSL_LIB_CTX_free(a);

    where("the default context");
    const uint64_t times = seedings(ours_only(), "hwaead");
    CHECK(times == seedings(OSSL_LIB_CTX_new(), "default"));
    CHECK(times == 3 || times == 2); /* RAND_poll of OpenSSL 3.0.2 seeds nothing */
}

/* ---- R8 R9: other parents, other children ---- */

static void relatives(void)
{
    static const char *const kinds[] = {"CTR-DRBG", "HASH-DRBG", "HMAC-DRBG"};
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (int locking = 0; locking < 2; locking++) {
            char cipher[] = "AES-256-CTR", digest[] = "SHA512", mac[] = "HMAC";
            OSSL_PARAM list[] = {OSSL_PARAM_construct_utf8_string("cipher", cipher, 0),
                                 OSSL_PARAM_construct_utf8_string("digest", digest, 0),
                                 OSSL_PARAM_construct_utf8_string("mac", mac, 0), OSSL_PARAM_construct_end()};
            /* seed source -> ours -> theirs -> ours */
            EVP_RAND_CTX *seed = rand_other(lib, "SEED-SRC", "provider=default", NULL);
            NEED(EVP_RAND_instantiate(seed, 0, 0, NULL, 0, NULL) == 1);
            EVP_RAND_CTX *first = rand_ours(lib, seed);
            NEED(rand_start(first) == 1);
            CHECK(!locking || EVP_RAND_enable_locking(first) == 1);
            EVP_RAND_CTX *theirs = rand_other(lib, kinds[i], "provider=default", first);
            where("%s, locking %d", kinds[i], locking);
            NEED(EVP_RAND_instantiate(theirs, 0, 0, NULL, 0, list) == 1);
            CHECK(EVP_RAND_get_strength(theirs) == 256 && rand_works(theirs, 100));
            CHECK(!locking || EVP_RAND_enable_locking(theirs) == 1);
            EVP_RAND_CTX *last = rand_ours(lib, theirs);
            NEED(rand_start(last) == 1);
            CHECK(!locking || EVP_RAND_enable_locking(last) == 1);
            CHECK(rand_works(last, 100) && EVP_RAND_reseed(last, 1, NULL, 0, NULL, 0) == 1 && rand_works(last, 65537));
            uint8_t nonce[32] = {0};
            CHECK(EVP_RAND_nonce(last, nonce, sizeof nonce) == 1 && !all_bytes(nonce, sizeof nonce, 0));
            const uint64_t before = rand_number(last, "reseed_counter");
            CHECK(EVP_RAND_reseed(first, 0, NULL, 0, nonce, sizeof nonce) == 1);
            CHECK(rand_works(theirs, 16) && rand_works(last, 16));
            CHECK(rand_number(last, "reseed_counter") > before);
            CHECK(drain().total == 0);
            EVP_RAND_CTX_free(first); /* in any order: children hold their parents */
            EVP_RAND_CTX_free(seed);
            CHECK(rand_works(last, 16));
            EVP_RAND_CTX_free(theirs);
            CHECK(EVP_RAND_reseed(last, 0, NULL, 0, NULL, 0) == 1 && rand_works(last, 16));
            EVP_RAND_CTX_free(last);
        }
    where("a weak parent");
    EVP_RAND_CTX *weak = rand_source(lib, 128), *r = rand_ours(lib, weak);
    uint8_t in[48] = {1}, out[16] = {0};
    CHECK(rand_feed(weak, in, 48, in, 16) == 1);
    REFUSED(rand_start(r));
    CHECK(EVP_RAND_generate(r, out, sizeof out, 0, 0, NULL, 0) != 1 && all_bytes(out, sizeof out, 0));
    ERR_clear_error();
    EVP_RAND_CTX_free(r);
    EVP_RAND_CTX_free(weak);
}

/* R14 through libcrypto: the source has too little, then enough. */
static void source_dries_up(void)
{
    EVP_RAND_CTX *source = rand_source(lib, 256), *r = rand_ours(lib, source);
    uint8_t in[48] = {1}, out[32] = {0};
    CHECK(rand_feed(source, in, 31, in, 16) == 1);
    REFUSED(rand_start(r));
    CHECK(EVP_RAND_get_state(r) == 2);
    CHECK(EVP_RAND_generate(r, out, sizeof out, 0, 0, NULL, 0) != 1 && all_bytes(out, sizeof out, 0));
    ERR_clear_error();
    CHECK(rand_feed(source, in, 48, in, 16) == 1);
    OK(EVP_RAND_generate(r, out, sizeof out, 0, 0, NULL, 0));
    CHECK(EVP_RAND_get_state(r) == 1);
    CHECK(rand_feed(source, in, 8, in, 16) == 1);
    CHECK(EVP_RAND_generate(r, out, sizeof out, 0, 1, NULL, 0) != 1 && EVP_RAND_get_state(r) == 2);
    CHECK(EVP_RAND_verify_zeroization(r) == 1);
    ERR_clear_error();
    CHECK(rand_feed(source, in, 48, in, 16) == 1);
    OK(EVP_RAND_reseed(r, 0, NULL, 0, NULL, 0));
    OK(EVP_RAND_uninstantiate(r));
    CHECK(EVP_RAND_verify_zeroization(r) == 1 && EVP_RAND_get_state(r) == 0);
    CHECK(EVP_RAND_generate(r, out, sizeof out, 0, 0, NULL, 0) != 1);
    ERR_clear_error();
    EVP_RAND_CTX_free(r);
    EVP_RAND_CTX_free(source);
}

/* ---- R12 R13: threads ---- */

struct worker {
    OSSL_LIB_CTX *lib;
    EVP_RAND_CTX *shared; /* may be NULL */
    uint8_t *out;
    int rounds;
    bool good;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    w->good = true;
    for (int i = 0; i < w->rounds; i++) {
        uint8_t *out = w->out + 32 * i;
        if (w->shared != NULL && i % 4 == 0)
            w->good &= EVP_RAND_generate(w->shared, out, 32, 256, i % 64 == 0, NULL, 0) == 1;
        else
            w->good &= i % 2 ? RAND_bytes_ex(w->lib, out, 32, 0) == 1 : RAND_priv_bytes_ex(w->lib, out, 32, 0) == 1;
        if (w->shared != NULL && i % 100 == 50)
            w->good &= EVP_RAND_reseed(w->shared, 0, NULL, 0, out, 32) == 1 &&
                       rand_number(w->shared, "reseed_time") != UINT64_MAX &&
                       rand_set_uint(w->shared, "reseed_requests", 5 + (unsigned)i) == 1;
    }
    return NULL;
}

static void many_threads(void)
{
    enum { THREADS = 64, ROUNDS = 1000 };
    static uint8_t out[THREADS][ROUNDS][32];
    for (int shared = 0; shared < 2; shared++) {
        OSSL_LIB_CTX *a = ours_only();
        pthread_t thread[THREADS];
        struct worker worker[THREADS];
        NEED(random_by(a, "hwaead"));
        for (int i = 0; i < THREADS; i++) {
            worker[i] = (struct worker){a, shared ? RAND_get0_primary(a) : NULL, out[i][0], ROUNDS, false};
            NEED(pthread_create(&thread[i], NULL, work, &worker[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            CHECK(worker[i].good);
        }
        CHECK(!rand_any_shared(out[0][0], THREADS * ROUNDS, 32));
        OSSL_LIB_CTX_free(a);
    }
}

static void many_short_threads(void)
{
    OSSL_LIB_CTX *a = ours_only();
    size_t before = 0;
    uint8_t out[64];
    NEED(random_by(a, "hwaead"));
    for (int i = 0; i < 3000; i++) {
        pthread_t thread;
        struct worker worker = {a, NULL, out, 2, false};
        NEED(pthread_create(&thread, NULL, work, &worker) == 0);
        pthread_join(thread, NULL);
        CHECK(worker.good);
        if (i == 500)
            before = mallinfo2().uordblks;
    }
    const size_t after = mallinfo2().uordblks;
    where("%zu -> %zu bytes", before, after);
    CHECK(SANITIZED || after < before + 2500 * 16);
    OSSL_LIB_CTX_free(a);
}

/* ---- X3: no system call on the way ---- */

static void in_a_sandbox(void)
{
    enum { WELL = 42, NO_SECCOMP = 43 };
    OSSL_LIB_CTX *a = ours_only();
    int status = -1;
    if (UNDER_TSAN) {
        printf("Not done under ThreadSanitizer, which has a thread of its own in each process.\n");
        OSSL_LIB_CTX_free(a);
        return;
    }
    NEED(random_by(a, "hwaead"));
    const pid_t child = fork();
    if (child == 0) {
        uint8_t out[200];
        bool good = RAND_bytes_ex(a, out, sizeof out, 0) == 1 && RAND_priv_bytes_ex(a, out, sizeof out, 0) == 1;
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) /* from here on read, write and exit */
            syscall(SYS_exit, NO_SECCOMP);
        for (size_t n = 0; n < sizeof out; n++) {
            good = good && RAND_bytes_ex(a, out, n, 0) == 1;
            good = good && RAND_priv_bytes_ex(a, out, n, 0) == 1;
        }
        syscall(SYS_exit, good ? WELL : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    where("status %x", (unsigned)status);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SECCOMP)
        printf("Not done: there is no seccomp here.\n");
    else
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == WELL);
    OSSL_LIB_CTX_free(a);
}

/* ---- R19: a TLS handshake, TLS 1.3 and 1.2, all randomness ours ---- */

static X509 *certificate(OSSL_LIB_CTX *a, EVP_PKEY *key)
{
    X509 *x = X509_new_ex(a, NULL);
    X509_NAME *name = X509_NAME_new();
    bool good = X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0) == 1;
    good &= X509_set_subject_name(x, name) == 1 && X509_set_issuer_name(x, name) == 1;
    X509_NAME_free(name);
    good &= ASN1_INTEGER_set(X509_get_serialNumber(x), 1) == 1;
    good &= X509_gmtime_adj(X509_getm_notBefore(x), -60) != NULL;
    good &= X509_gmtime_adj(X509_getm_notAfter(x), 3600) != NULL;
    good &= X509_set_pubkey(x, key) == 1;
    EVP_MD *md = EVP_MD_fetch(a, "SHA256", NULL);
    good &= X509_sign(x, key, md) > 0;
    EVP_MD_free(md);
    CHECK(good);
    return x;
}

static bool talk(SSL *client, SSL *server)
{
    char text[] = "hello", got[sizeof text] = "";
    bool client_done = false, server_done = false;
    for (int i = 0; i < 20 && !(client_done && server_done); i++) {
        client_done = SSL_do_handshake(client) == 1;
        server_done = SSL_do_handshake(server) == 1;
    }
    return client_done && server_done && SSL_write(client, text, sizeof text) == (int)sizeof text &&
           SSL_read(server, got, sizeof got) == (int)sizeof text && strcmp(text, got) == 0;
}

static bool serves_directly(OSSL_LIB_CTX *a)
{
    int answer = 0;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_int("hwaead.random-provider", &answer), OSSL_PARAM_construct_end()};
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
    const bool good = p != NULL && OSSL_PROVIDER_get_params(p, ask) == 1 && answer == 1;
    OSSL_PROVIDER_unload(p);
    return good;
}

static void handshakes(void)
{
    static const struct {
        const char *first, *lines;
        unsigned long since; /* version of OpenSSL */
    } ways[] = {
        {"", "replace_ctr_drbg = 1\n", 0},
        {"", RANDOM_SECTION, 0},
        {"random = t_random\n", "[t_random]\nrandom_provider = hwaead\n[t_hwaead]\n", 0x30500000},
    };
    for (size_t i = 0; i < COUNT(ways) && OpenSSL_version_num() >= ways[i].since; i++) {
        evp_first_line = ways[i].first;
        OSSL_LIB_CTX *a = with(ways[i].lines, "?provider=hwaead", true);
        evp_first_line = "";
        EVP_PKEY *key = EVP_PKEY_Q_keygen(a, NULL, "EC", "P-256");
        NEED(key != NULL);
        X509 *x = certificate(a, key);
        SSL_CTX *client_ctx = SSL_CTX_new_ex(a, NULL, TLS_client_method());
        SSL_CTX *server_ctx = SSL_CTX_new_ex(a, NULL, TLS_server_method());
        NEED(client_ctx != NULL && server_ctx != NULL);
        CHECK(SSL_CTX_use_certificate(server_ctx, x) == 1 && SSL_CTX_use_PrivateKey(server_ctx, key) == 1);
        static const int versions[] = {TLS1_3_VERSION, TLS1_2_VERSION};
        for (size_t v = 0; v < COUNT(versions); v++) {
            SSL *client = SSL_new(client_ctx), *server = SSL_new(server_ctx);
            BIO *one = NULL, *two = NULL;
            where("%s, version %x", ways[i].lines, (unsigned)versions[v]);
            CHECK(BIO_new_bio_pair(&one, 0, &two, 0) == 1);
            SSL_set_bio(client, one, one);
            SSL_set_bio(server, two, two);
            CHECK(SSL_set_max_proto_version(client, versions[v]) == 1);
            SSL_set_connect_state(client);
            SSL_set_accept_state(server);
            CHECK(talk(client, server) && SSL_version(client) == versions[v]);
            SSL_free(client);
            SSL_free(server);
        }
        CHECK(serves_directly(a) == (ways[i].since != 0));
        if (ways[i].since == 0) {
            CHECK(strcmp(rand_provider(RAND_get0_public(a)), "hwaead") == 0);
            CHECK(strcmp(rand_provider(RAND_get0_private(a)), "hwaead") == 0);
        }
        ERR_clear_error();
        SSL_CTX_free(client_ctx);
        SSL_CTX_free(server_ctx);
        X509_free(x);
        EVP_PKEY_free(key);
        OSSL_LIB_CTX_free(a);
    }
}

static const struct evp_case cases[] = {
    {"R3", "when the name CTR-DRBG is offered", names},
    {"R18", "hwaead alone", alone},
    {"R2 R3 R17", "who serves", selections},
    {"R3", "two that offer the name", no_preference},
    {"R4 R5", "requests", requests},
    {"R10 R15", "seedings that spread", seedings_spread},
    {"R8 R9", "other parents and children", relatives},
    {"R14 R16", "a source that dries up", source_dries_up},
    {"R12", "many threads", many_threads},
    {"R13", "many short threads", many_short_threads},
    {"X3", "in a sandbox", in_a_sandbox},
    {"R19", "TLS handshakes", handshakes},
};

int main(int argc, char **argv)
{
    alarm(300); /* a deadlock ends here (R18) */
    return evp_main(argc, argv, cases, COUNT(cases));
}
