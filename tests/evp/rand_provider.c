/* SPDX-License-Identifier: Apache-2.0
 *
 * R20: the provider's own function for random bytes, which is all that RAND_bytes calls in OpenSSL 3.5 and later where
 * `[random] random_provider` names hwaead. By direct calls on every libcrypto, and through those that have it.
 */
#include "direct.h"
#include "hooks.h"
#include "rands.h"
#include "reasons.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/rand.h>

/* libcrypto's numbers. */
enum { RANDOM_BYTES = 1032 };
enum { FOR_PUBLIC, FOR_PRIVATE };

typedef int random_bytes_fn(void *prov, int which, void *out, size_t n, unsigned int strength);

static struct core core;
static struct direct d;
static random_bytes_fn *give;

static bool start(void)
{
    static const char *settings[] = {"tier", NULL, NULL};
    settings[1] = evp_tier();
    core = (struct core){.settings = settings};
    give = NULL;
    if (!CHECK(direct_start(&d, direct_entry(evp_module()), &core) == 1))
        return false;
    for (const OSSL_DISPATCH *f = d.functions; f->function_id != 0; f++)
        if (f->function_id == RANDOM_BYTES)
            give = (random_bytes_fn *)f->function;
    return CHECK(give != NULL);
}

/* ---- Requests ---- */

static void requests(void)
{
    static uint8_t out[200002], again[200001];
    static const size_t lens[] = {0, 1, 12, 16, 32, 512, 513, 4096, 65536, 65537, 200001};
    NEED(start());
    for (int use = FOR_PUBLIC; use <= FOR_PRIVATE; use++)
        for (size_t i = 0; i < COUNT(lens); i++) {
            const size_t n = lens[i];
            memset(out, 0x77, sizeof out);
            where("use %d, %zu bytes", use, n);
            CHECK(give(d.prov, use, out, n, i % 2 ? 256 : 0) == 1 && out[n] == 0x77);
            CHECK(give(d.prov, use, again, n, 128) == 1 && (n < 12 || memcmp(out, again, n) != 0));
            CHECK(n < 65536 || !rand_any_shared(out, 1, n));
        }
    CHECK(core.errors == 0);
    memset(out, 0x77, sizeof out);
    CHECK(give(d.prov, FOR_PUBLIC, out, 16, 257) == 0 && all_bytes(out, sizeof out, 0x77));
    CHECK(core.errors == 1 && core.reason == R_RAND_STRENGTH);
    d.teardown(d.prov);
}

/* ---- A source that fails, for a thread that is new ---- */

static void *without_os(void *unused)
{
    uint8_t out[32];
    (void)unused;
    for (int use = FOR_PUBLIC; use <= FOR_PRIVATE; use++) {
        core.errors = 0;
        memset(out, 0x77, sizeof out);
        hooks_fail_random(true);
        CHECK(give(d.prov, use, out, sizeof out, 0) == 0 && all_bytes(out, sizeof out, 0));
        CHECK(core.errors == 1 && core.reason == R_ENTROPY);
        hooks_fail_random(false);
        CHECK(give(d.prov, use, out, sizeof out, 0) == 1 && !all_bytes(out, sizeof out, out[0]));
        const size_t calls = hooks_random_calls();
        hooks_reset();
        for (int i = 0; i < 500; i++)
            CHECK(give(d.prov, use, out, sizeof out, 0) == 1);
        CHECK(hooks_random_calls() == calls && hooks_allocations() == 0);
    }
    return NULL;
}

static void no_os(void)
{
    pthread_t thread;
    NEED(start() && pthread_create(&thread, NULL, without_os, NULL) == 0);
    pthread_join(thread, NULL);
    d.teardown(d.prov);
}

/* ---- Processes and threads ---- */

enum { PIECE = 64, PIECES = 8192 };
static struct {
    atomic_size_t used, failures;
    uint8_t piece[PIECES][PIECE];
} *heap;

static void give_out(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t at = atomic_fetch_add(&heap->used, 1);
        if (at >= PIECES || give(d.prov, (int)(i % 2), heap->piece[at], PIECE, 256) != 1)
            atomic_fetch_add(&heap->failures, 1);
    }
}

static pid_t split(bool raw)
{
    return raw ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
}

static void family(bool raw, int depth)
{
    pid_t child[3];
    for (int i = 0; i < 3; i++) {
        child[i] = split(raw);
        if (child[i] == 0) {
            alarm(10);
            if (depth > 0)
                family(raw, depth - 1);
            give_out(2);
            syscall(SYS_exit_group, 0);
        }
        if (i == 1)
            give_out(2);
    }
    for (int i = 0; i < 3; i++) {
        int status = -1;
        if (child[i] <= 0 || waitpid(child[i], &status, 0) != child[i] || status != 0)
            atomic_fetch_add(&heap->failures, 1);
    }
    give_out(2);
}

static void *many(void *unused)
{
    (void)unused;
    give_out(60);
    return NULL;
}

static void relatives(void)
{
    enum { THREADS = 64 };
    pthread_t thread[THREADS];
    NEED(start());
    heap = mmap(NULL, sizeof *heap, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    NEED(heap != MAP_FAILED);
    give_out(2);
    family(false, 2);
    family(true, 2);
    for (int i = 0; i < THREADS; i++)
        NEED(pthread_create(&thread[i], NULL, many, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    const size_t used = atomic_load(&heap->used);
    where("%zu pieces, %zu failures", used, atomic_load(&heap->failures));
    CHECK(used > 60 * THREADS + 100 && used <= PIECES && atomic_load(&heap->failures) == 0);
    CHECK(!rand_any_shared(heap->piece[0], used, PIECE));
    munmap(heap, sizeof *heap);
    d.teardown(d.prov);
}

/* ---- Through libcrypto ---- */

/* `random` stands before `providers`: the other way round OpenSSL 3.5 finds hwaead loaded already, and in putting back
 * what it found switches it off. */
static OSSL_LIB_CTX *with(const char *lines)
{
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
    if (a == NULL)
        abort();
    evp_first_line = "random = t_random\n";
    evp_config(a, lines, "?provider=hwaead", true);
    evp_first_line = "";
    ERR_clear_error();
    return a;
}

/* In a thread that is new, the first request of each kind needs a seed: it fails where no other generator serves. */
static void *first_requests(void *a)
{
    uint8_t out[32];
    hooks_fail_random(true);
    CHECK(RAND_bytes_ex(a, out, sizeof out, 0) != 1 && RAND_priv_bytes_ex(a, out, sizeof out, 0) != 1);
    struct queue q = drain();
    CHECK(q.ours >= 2 && q.reason == R_ENTROPY);
    hooks_fail_random(false);
    CHECK(RAND_bytes_ex(a, out, sizeof out, 0) == 1 && RAND_priv_bytes_ex(a, out, sizeof out, 0) == 1);
    CHECK(drain().total == 0);
    return NULL;
}

static void by_configuration(void)
{
#define SECTION "[t_random]\nrandom_provider = hwaead\n[t_hwaead]\n"
    static uint8_t out[1 << 20];
    const unsigned long version = OpenSSL_version_num();
    OSSL_LIB_CTX *a = with(SECTION);
    if (version < 0x30500000) {
        printf("Not done: this libcrypto (%s) has no random_provider. It goes on without us.\n",
               OpenSSL_version(OPENSSL_VERSION));
        CHECK(RAND_bytes_ex(a, out, 32, 0) == 1);
        CHECK(strcmp(rand_provider(RAND_get0_primary(a)), "default") == 0);
        OSSL_LIB_CTX_free(a);
        return;
    }
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, first_requests, a) == 0);
    pthread_join(thread, NULL);
    CHECK(OSSL_PROVIDER_available(a, "hwaead") == 1);
    CHECK(RAND_bytes_ex(a, out, sizeof out, 0) == 1 && !rand_any_shared(out, 1, sizeof out));
    CHECK(RAND_bytes_ex(a, out, 0, 0) == 1 && RAND_priv_bytes_ex(a, out, 16, 256) == 1);
    CHECK(RAND_bytes_ex(a, out, 16, 257) != 1);
    ERR_clear_error();
    EVP_PKEY *key = EVP_PKEY_Q_keygen(a, NULL, "EC", "P-256");
    CHECK(key != NULL);
    EVP_PKEY_free(key);
    OSSL_LIB_CTX_free(a);

    where("without the module libcrypto's own generator serves");
    a = with("module = /nonexistent/hwaead.so\n" SECTION);
    CHECK(RAND_bytes_ex(a, out, 32, 0) == 1);
    CHECK(strcmp(rand_provider(RAND_get0_primary(a)), "default") == 0);
    OSSL_LIB_CTX_free(a);
    printf("random_provider of %s: done\n", OpenSSL_version(OPENSSL_VERSION));
}

static const struct evp_case cases[] = {
    {"R20 R5", "requests", requests},
    {"R20 R14", "a source that fails", no_os},
    {"R20 R11 R12", "relatives and threads", relatives},
    {"R20", "by the configuration", by_configuration},
};

int main(int argc, char **argv)
{
    alarm(300);
    return evp_main(argc, argv, cases, COUNT(cases));
}
