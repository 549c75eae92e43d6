/* SPDX-License-Identifier: Apache-2.0
 *
 * R11: no two processes ever give out the same block, however they came to be, and none hangs on a lock whose
 * holder stayed behind in its parent. Each case with pages that the kernel wipes, and without: madvise fails, as it
 * does before Linux 4.14, or it does nothing and says that it did, as in QEMU's user mode.
 */
#include "rand_direct.h"
#include "rands.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/rand.h>

/* ---- madvise, for the module as well ---- */

enum { WIPE_ON_FORK = 18 };
static atomic_int kernel; /* of which kind it is */
enum { WIPES, FAILS, LIES, KERNELS };
static atomic_size_t advices;

__attribute__((visibility("default"))) int madvise(void *at, size_t n, int advice)
{
    atomic_fetch_add(&advices, 1);
    if (atomic_load(&kernel) == LIES)
        return 0;
    if (atomic_load(&kernel) == FAILS && advice == WIPE_ON_FORK) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_madvise, at, n, advice);
}

static const char *how;

/* Runs the case on each kind of kernel, with an instance of the provider that is fresh. */
static void on_each_kernel(void (*run)(OSSL_LIB_CTX *))
{
    static const char *const kernels[] = {"wiped pages", "madvise fails", "madvise lies"};
    for (int i = 0; i < KERNELS; i++) {
        atomic_store(&kernel, i);
        atomic_store(&advices, 0);
        how = kernels[i];
        if (i == WIPES && syscall(SYS_madvise, NULL, 0, -1) == 0)
            printf("note: this kernel's emulation lies of itself, so that no page is wiped\n");
        where("%s", how);
        OSSL_LIB_CTX *a = evp_lib_new();
        run(a);
        CHECK(subject_is_default || atomic_load(&advices) > 0);
        OSSL_LIB_CTX_free(a);
    }
    atomic_store(&kernel, WIPES);
}

/* ---- Families of processes ---- */

enum { PIECE = 64, PIECES = 4096 };

/* What all processes gave out, in memory that they share. */
static struct {
    atomic_size_t used;
    atomic_size_t failures;
    uint8_t piece[PIECES][PIECE];
} *heap;

static void heap_new(void)
{
    if (heap == NULL)
        heap = mmap(NULL, sizeof *heap, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (heap == MAP_FAILED)
        abort();
    atomic_store(&heap->used, 0);
    atomic_store(&heap->failures, 0);
}

static void note(bool good)
{
    if (!good)
        atomic_fetch_add(&heap->failures, 1);
}

static void give_out(EVP_RAND_CTX *const *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t at = atomic_fetch_add(&heap->used, 1);
        note(at < PIECES && EVP_RAND_generate(r[i], heap->piece[at], PIECE, 256, 0, NULL, 0) == 1);
    }
}

static void heap_check(size_t at_least)
{
    const size_t used = atomic_load(&heap->used);
    where("%s: %zu pieces, %zu failures", how, used, atomic_load(&heap->failures));
    CHECK(used >= at_least && used <= PIECES && atomic_load(&heap->failures) == 0);
    CHECK(!rand_any_shared(heap->piece[0], used, PIECE));
}

static pid_t by_fork(void)
{
    return fork();
}

/* What glibc's fork does, without glibc knowing. */
static pid_t by_clone(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static bool well(void)
{
    return atomic_load(&heap->failures) == 0;
}

/* A child that hangs is killed by its alarm. */
static void reap(pid_t child)
{
    int status = -1;
    note(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static _Noreturn void leave(void)
{
    syscall(SYS_exit_group, 0);
    __builtin_unreachable();
}

static void family(EVP_RAND_CTX *const *r, size_t n, pid_t (*split)(void), int depth)
{
    pid_t child[3];
    for (int i = 0; i < 3; i++) {
        child[i] = split();
        if (child[i] == 0) {
            alarm(10);
            if (depth > 0 && i < 2) /* one forks before it has used anything, one in the middle */
                family(r, n, split, depth - 1);
            give_out(r, n);
            if (depth > 0 && i == 2)
                family(r, n, split, depth - 1);
            leave();
        }
        if (i == 1)
            give_out(r, n);
    }
    for (int i = 0; i < 3; i++)
        reap(child[i]);
    give_out(r, n);
}

static void families(OSSL_LIB_CTX *a)
{
    for (int i = 0; i < 2; i++) {
        EVP_RAND_CTX *r[5];
        heap_new();
        r[0] = rand_ours(a, NULL);
        r[1] = rand_ours(a, r[0]);
        r[2] = rand_ours(a, r[1]);
        r[3] = rand_ours(a, NULL); /* shared, like a primary */
        r[4] = rand_ours(a, r[3]);
        for (size_t k = 0; k < COUNT(r); k++)
            NEED(rand_start(r[k]) == 1 && (k != 3 || EVP_RAND_enable_locking(r[k]) == 1));
        give_out(r, COUNT(r));
        family(r, COUNT(r), i == 0 ? by_fork : by_clone, 2);
        heap_check(5 * 30);
        for (size_t k = COUNT(r); k-- > 0;)
            EVP_RAND_CTX_free(r[k]);
    }
}

/* RAND_bytes and RAND_priv_bytes where libcrypto made the generators. */
static void libcryptos_own(OSSL_LIB_CTX *a)
{
    NEED(RAND_set_DRBG_type(a, subject_is_default ? "CTR-DRBG" : evp_rand_name(), NULL, NULL, NULL) == 1);
    EVP_RAND_CTX *r[] = {RAND_get0_public(a), RAND_get0_private(a), RAND_get0_primary(a)};
    NEED(r[0] != NULL && r[1] != NULL && r[2] != NULL);
    heap_new();
    give_out(r, COUNT(r));
    family(r, COUNT(r), by_fork, 2);
    family(r, COUNT(r), by_clone, 1);
    heap_check(3 * 40);
}

/* A context that was made, but not started, before the fork; and one that is freed in the child. */
static void other_states(OSSL_LIB_CTX *a)
{
    EVP_RAND_CTX *r[] = {rand_ours(a, NULL), rand_ours(a, NULL)};
    NEED(rand_start(r[1]) == 1 && EVP_RAND_enable_locking(r[0]) == 1);
    heap_new();
    pid_t child[3];
    for (int i = 0; i < 3; i++)
        if ((child[i] = fork()) == 0) {
            alarm(10);
            note(rand_start(r[0]) == 1);
            give_out(r, 2);
            EVP_RAND_CTX_free(r[0]);
            note(EVP_RAND_uninstantiate(r[1]) == 1 && rand_start(r[1]) == 1);
            give_out(r + 1, 1);
            leave();
        }
    for (int i = 0; i < 3; i++)
        reap(child[i]);
    CHECK(rand_start(r[0]) == 1);
    give_out(r, 2);
    heap_check(11);
    EVP_RAND_CTX_free(r[0]);
    EVP_RAND_CTX_free(r[1]);
}

/* ---- While other threads generate: the lock is nearly always held at the fork ---- */

static atomic_bool done;

static void *hammer(void *arg)
{
    static _Thread_local uint8_t out[65536];
    while (!atomic_load(&done))
        note(EVP_RAND_generate(arg, out, sizeof out, 256, 0, NULL, 0) == 1);
    return NULL;
}

static void under_fire(OSSL_LIB_CTX *a)
{
    enum { THREADS = 4, FORKS = 60 };
    pthread_t thread[THREADS];
    EVP_RAND_CTX *primary = rand_ours(a, NULL);
    NEED(rand_start(primary) == 1 && EVP_RAND_enable_locking(primary) == 1);
    EVP_RAND_CTX *r[] = {primary, rand_ours(a, primary)};
    NEED(rand_start(r[1]) == 1);
    heap_new();
    atomic_store(&done, false);
    for (int i = 0; i < THREADS; i++)
        NEED(pthread_create(&thread[i], NULL, hammer, primary) == 0);
    for (int i = 0; i < FORKS && well(); i++) {
        const pid_t child = i % 2 ? by_fork() : by_clone();
        if (child == 0) {
            alarm(10);
            give_out(r + i % 2, 1); /* the child generator asks the primary, or the primary itself is asked */
            give_out(r, 2);
            give_out(r, 2);
            const pid_t grandchild = by_clone();
            if (grandchild == 0) {
                alarm(10);
                give_out(r, 2);
                leave();
            }
            reap(grandchild);
            leave();
        }
        give_out(r, 2);
        reap(child);
    }
    atomic_store(&done, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    heap_check(FORKS * 9);
    EVP_RAND_CTX_free(r[1]);
    EVP_RAND_CTX_free(primary);
}

/* ---- The same for certain: a thread is inside, with the lock, when the process forks ---- */

static atomic_int inside; /* 1: wait in get_seed; 2: a thread is there; 0: pass */

static void stay(void)
{
    if (atomic_load(&inside) != 1)
        return;
    atomic_store(&inside, 2);
    while (atomic_load(&inside) == 2)
        usleep(1000);
}

static struct direct_rand direct;

static void *reseeding(void *ctx)
{
    return direct.reseed(ctx, 1, NULL, 0, NULL, 0) == 1 ? ctx : NULL;
}

static bool give_out_directly(void *ctx)
{
    const size_t at = atomic_fetch_add(&heap->used, 1);
    return at < PIECES && direct.generate(ctx, heap->piece[at], PIECE, 256, 0, NULL, 0) == 1;
}

static void lock_left_behind(OSSL_LIB_CTX *unused)
{
    struct core core = {0};
    struct direct d;
    struct parent p;
    pthread_t thread;
    (void)unused;
    if (subject_is_default)
        return;
    NEED(direct_start(&d, direct_entry(evp_module()), &core) == 1);
    NEED(direct_rand_find(&d, evp_rand_name(), &direct));
    parent_init(&p);
    p.in_get_seed = stay;
    void *c = direct.newctx(d.prov, &p, parent_table(WITHOUT_LOCK));
    heap_new();
    atomic_store(&inside, 0);
    NEED(direct.instantiate(c, 0, 0, NULL, 0, NULL) == 1 && direct.enable_locking(c) == 1);
    CHECK(give_out_directly(c));
    for (int round = 0; round < 4 && well(); round++) {
        atomic_store(&inside, 1);
        NEED(pthread_create(&thread, NULL, reseeding, c) == 0);
        while (atomic_load(&inside) != 2)
            usleep(1000);
        const pid_t child = round % 2 ? by_fork() : by_clone();
        if (child == 0) {
            alarm(10);
            atomic_store(&inside, 0);
            p.seed_number += 50 + 10 * (unsigned)round; /* a parent that notices forks */
            const size_t nonces = p.nonces;
            bool good = round < 2 || direct.reseed(c, 0, NULL, 0, NULL, 0) == 1;
            good = good && give_out_directly(c) && give_out_directly(c);
            good = good && p.nonces > nonces; /* half written, so a new start and not a reseeding */
            good = good && direct_rand_number(&direct, c, "state") == 1;
            direct.freectx(c);
            note(good && core.errors == 0);
            leave();
        }
        atomic_store(&inside, 0);
        void *result = NULL;
        pthread_join(thread, &result);
        CHECK(result == c);
        reap(child);
        where("%s, round %d", how, round);
        CHECK(give_out_directly(c) && well());
    }
    heap_check(13);
    direct.freectx(c);
    d.teardown(d.prov);
}

/* A fork in the middle of a request, as a signal handler or a parent may do it: both processes go on with it. */
enum { NOT_YET = -1 };
static pid_t forked;

static void fork_once(void)
{
    if (forked != NOT_YET)
        return;
    forked = 0; /* in the child it stays so, and get_seed is called again there */
    forked = by_fork();
    if (forked == 0)
        alarm(10);
}

static void fork_inside(OSSL_LIB_CTX *unused)
{
    struct core core = {0};
    struct direct d;
    (void)unused;
    if (subject_is_default)
        return;
    NEED(direct_start(&d, direct_entry(evp_module()), &core) == 1);
    NEED(direct_rand_find(&d, evp_rand_name(), &direct));
    for (int locking = 0; locking < 2; locking++) {
        struct parent p;
        parent_init(&p);
        void *c = direct.newctx(d.prov, &p, parent_table(0));
        heap_new();
        NEED(direct.instantiate(c, 0, 0, NULL, 0, NULL) == 1 && (!locking || direct.enable_locking(c) == 1));
        CHECK(give_out_directly(c));
        p.in_get_seed = fork_once;
        forked = NOT_YET;
        const size_t at = atomic_fetch_add(&heap->used, 2); /* one piece for each process */
        uint8_t out[PIECE];
        note(direct.generate(c, out, PIECE, 256, 1, NULL, 0) == 1);
        memcpy(heap->piece[at + (forked == 0)], out, PIECE);
        note(give_out_directly(c));
        if (forked == 0)
            leave();
        reap(forked);
        CHECK(direct_rand_number(&direct, c, "reseed_counter") == 2);
        heap_check(5);
        direct.freectx(c);
    }
    d.teardown(d.prov);
}

/* Many threads of a child at once: each finds the fork at the same time as the others. */
static EVP_RAND_CTX *shared;

static void *one_piece(void *arg)
{
    pthread_barrier_wait(arg);
    give_out(&shared, 1);
    give_out(&shared, 1);
    return NULL;
}

static void threads_in_children(OSSL_LIB_CTX *a)
{
    enum { CHILDREN = 20, THREADS = 8 };
    shared = rand_ours(a, NULL);
    NEED(rand_start(shared) == 1 && EVP_RAND_enable_locking(shared) == 1);
    heap_new();
    give_out(&shared, 1);
    for (int i = 0; i < CHILDREN && well(); i++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(10);
            pthread_t thread[THREADS];
            pthread_barrier_t go;
            pthread_barrier_init(&go, NULL, THREADS);
            for (int k = 0; k < THREADS; k++)
                note(pthread_create(&thread[k], NULL, one_piece, &go) == 0);
            for (int k = 0; k < THREADS; k++)
                pthread_join(thread[k], NULL);
            leave();
        }
        give_out(&shared, 1);
        reap(child);
    }
    heap_check(CHILDREN * (2 * THREADS + 1));
    EVP_RAND_CTX_free(shared);
}

/* ---- The cases ---- */

static void case_families(void)
{
    on_each_kernel(families);
}

static void case_libcrypto(void)
{
    on_each_kernel(libcryptos_own);
}

static void case_states(void)
{
    on_each_kernel(other_states);
}

static void case_fire(void)
{
    if (UNDER_TSAN)
        printf("Not done under ThreadSanitizer: in a child it takes what threads of the parent did for a race.\n");
    else
        on_each_kernel(under_fire);
}

static void case_left_behind(void)
{
    on_each_kernel(lock_left_behind);
}

static void case_inside(void)
{
    on_each_kernel(fork_inside);
}

static void case_threads(void)
{
    on_each_kernel(threads_in_children);
}

static const struct evp_case cases[] = {
    {"R11", "families by fork and by clone", case_families},
    {"R11", "libcrypto's own generators", case_libcrypto},
    {"R11", "generators in other states", case_states},
    {"R11", "forks while threads generate", case_fire},
    {"R11", "a lock that is left behind", case_left_behind},
    {"R11", "a fork in the middle of a request", case_inside},
    {"R11", "threads in the children", case_threads},
};

int main(int argc, char **argv)
{
    alarm(300);
    return evp_main(argc, argv, cases, COUNT(cases));
}
