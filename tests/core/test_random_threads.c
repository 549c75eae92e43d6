/* SPDX-License-Identifier: Apache-2.0
 *
 * The public random functions in many threads at once, and what a thread leaves behind. The build `tsan` watches it.
 * They are included here rather than linked, for a look at a thread's own generators.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "memory.h"

/* Pages are given back wiped. */
static _Thread_local int unmapped_wiped;

static int watched_munmap(void *pages, size_t n)
{
    unmapped_wiped += all_bytes(pages, n, 0) ? 1 : 1000;
    return munmap(pages, n);
}

static int no_mapping;

static void *watched_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    return no_mapping ? MAP_FAILED : mmap(at, n, protection, flags, fd, offset);
}

#define munmap watched_munmap
#define mmap watched_mmap
#include "api_random.c"
#undef munmap
#undef mmap

enum { THREADS = 64, ROUNDS = 200, KEPT = ROUNDS * 6 };

static uint8_t (*blocks)[BLOCK]; /* of all threads */
static pthread_barrier_t gate;
static atomic_uint errors;

static void must(int good)
{
    if (!good)
        atomic_fetch_add(&errors, 1);
}

/* Six blocks of output a round, with other requests between them; some threads change the interval meanwhile. */
static void *many_requests(void *number)
{
    static const uint32_t intervals[] = {1, 60, 3600, 0};
    const size_t thread = (size_t)(uintptr_t)number;
    uint8_t(*mine)[BLOCK] = blocks + thread * KEPT, text[5000];
    struct rng rng = {thread};
    pthread_barrier_wait(&gate);
    for (unsigned i = 0; i < ROUNDS; i++, mine += 6) {
        must(hwaead_random_key32(mine[0]) == HWAEAD_OK);
        must(hwaead_random_nonce12(mine[2]) == HWAEAD_OK);
        must(hwaead_random_bytes(text, 48 + rng_below(&rng, sizeof text - 47)) == HWAEAD_OK);
        memcpy(mine[3], text, (size_t)3 * BLOCK);
        if (thread % 16 == 0)
            hwaead_random_set_interval(intervals[i % 4]);
        must(strstr(hwaead_random_sources(), "operating system") != NULL);
    }
    return NULL;
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, BLOCK);
}

static void many_threads(void)
{
    pthread_t threads[THREADS];
    unsigned equal = 0;
    blocks = calloc((size_t)THREADS * KEPT, BLOCK);
    CHECK(pthread_barrier_init(&gate, NULL, THREADS) == 0);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, many_requests, (void *)(uintptr_t)i) != 0)
            exit(1);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    qsort(blocks, (size_t)THREADS * KEPT, BLOCK, by_bytes);
    for (size_t i = 1; i < (size_t)THREADS * KEPT; i++)
        equal += memcmp(blocks[i], blocks[i - 1], BLOCK) == 0;
    check_note("%d threads", THREADS);
    CHECK(equal == 0 && atomic_load(&errors) == 0);
    hwaead_random_set_interval(RANDOM_SECONDS);
    free(blocks);
}

/* ---- The end of a thread ---- */

static pthread_key_t last_words;
static atomic_int seen_without, seen_wiped;

/* libc goes through the destructors four times while there is something to destroy, in an order of its own. At the
 * second time the thread asks for random bytes once more, and gets them without pages that nobody would wipe. */
static void at_the_end(void *value)
{
    static char times[4];
    uint8_t key[HWAEAD_RANDOM_KEY_LEN];
    const char *const at = value;
    const int time_number = at == &times[1] ? 2 : at == &times[2] ? 3 : at == &times[3] ? 4 : 1;
    if (time_number % 2 == 0)
        seen_wiped += own.mapped == no_pages && own.ready == NULL && unmapped_wiped == 1;
    if (time_number == 2) {
        must(hwaead_random_key32(key) == HWAEAD_OK);
        seen_without += own.mapped == no_pages && own.ready == NULL;
    }
    if (time_number < 4)
        must(pthread_setspecific(last_words, &times[time_number]) == 0);
}

static void *short_life(void *self)
{
    uint8_t key[HWAEAD_RANDOM_KEY_LEN], nonce[HWAEAD_RANDOM_NONCE_LEN];
    must(hwaead_random_key32(key) == HWAEAD_OK && hwaead_random_nonce12(nonce) == HWAEAD_OK);
    const struct generators *g = own.mapped;
    must(g->of[RANDOM_PRIVATE].fast.left == FAST_BUFFER - HWAEAD_RANDOM_KEY_LEN);
    must(g->of[RANDOM_PUBLIC].fast.left == FAST_BUFFER - HWAEAD_RANDOM_NONCE_LEN);
    must(memmem(g, sizeof *g, key, 16) == NULL && memmem(g, sizeof *g, nonce, sizeof nonce) == NULL);
    must(pthread_setspecific(last_words, self) == 0);
    return NULL;
}

static void ends_of_threads(void)
{
    int any;
    CHECK(pthread_key_create(&last_words, at_the_end) == 0);
    for (int i = 1; i <= 20; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, short_life, &any) != 0)
            exit(1);
        CHECK(pthread_join(thread, NULL) == 0);
        check_note("%d threads have ended", i);
        CHECK(seen_without == i && seen_wiped == 2 * i);
    }
    CHECK(atomic_load(&errors) == 0);
    CHECK(pthread_key_delete(last_words) == 0);
}

/* ---- A thread that is cancelled ---- */

/* The first request draws a seed from the OS; nobody who holds a lock may be cancelled there. */
static void *cancelled(void *result)
{
    static uint8_t key[HWAEAD_RANDOM_KEY_LEN]; /* not on the stack, whose end ASan would not see if it fails */
    int before;
    must(pthread_cancel(pthread_self()) == 0);
    *(hwaead_err *)result = hwaead_random_key32(key);
    must(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) == 0 && before == PTHREAD_CANCEL_ENABLE);
    return NULL;
}

static void cancellation(void)
{
    hwaead_err result = HWAEAD_ERR_ARGUMENT;
    pthread_t thread;
    void *end;
    if (pthread_create(&thread, NULL, cancelled, &result) != 0)
        exit(1);
    CHECK(pthread_join(thread, &end) == 0);
    check_note("a request of a thread that is to be cancelled");
    CHECK(result == HWAEAD_OK && end == NULL);
}

/* ---- Without pages, and without a key to be told of the end by ---- */

/* Straight from the operating system. */
static void without(const char *what)
{
    uint8_t first[5000], second[5000], zeros[16] = {0};
    check_note("without %s", what);
    CHECK(hwaead_random_bytes(first, sizeof first) == HWAEAD_OK && hwaead_random_bytes(second, sizeof second) == HWAEAD_OK);
    CHECK(hwaead_random_key32(first) == HWAEAD_OK && hwaead_random_nonce12(first + 32) == HWAEAD_OK);
    CHECK(memcmp(first, second, 16) != 0 && memmem(first, sizeof first, zeros, sizeof zeros) == NULL);
    CHECK(own.mapped == NULL && own.ready == NULL);
}

static void no_room(void)
{
    static pthread_key_t taken[PTHREAD_KEYS_MAX];
    uint8_t key[HWAEAD_RANDOM_KEY_LEN];
    int n = 0;
    while (n < PTHREAD_KEYS_MAX && pthread_key_create(&taken[n], NULL) == 0)
        n++;
    CHECK(n > 0);
    without("keys");
    while (n > 0)
        CHECK(pthread_key_delete(taken[--n]) == 0);
    no_mapping = 1;
    without("pages");
    no_mapping = 0;
    CHECK(hwaead_random_key32(key) == HWAEAD_OK && own.mapped != NULL && own.ready == own.mapped);
}

/* ---- The age of what waits ---- */

static time_t fake_now;

static time_t fake_clock(time_t *unused)
{
    (void)unused;
    return fake_now;
}

/* In a buffer that is read by a thread that sleeps now and then. */
static void ages(void)
{
    uint8_t key[HWAEAD_RANDOM_KEY_LEN], waiting[HWAEAD_RANDOM_KEY_LEN];
    const struct fast_drbg *f = &own.mapped->of[RANDOM_PRIVATE].fast;
    fake_now = 5000;
    rules.clock = fake_clock;
    hwaead_random_set_interval(0);
    CHECK(hwaead_random_key32(key) == HWAEAD_OK); /* a seed of this clock's */
    hwaead_random_set_interval(RANDOM_SECONDS);
    static const int steps[] = {0, 30, 29, 1, 59, 60, -1, 0, 100000};
    for (size_t i = 0, age = 0; i < sizeof steps / sizeof *steps; i++) {
        fake_now += steps[i];
        age += (size_t)steps[i];
        check_note("step %zu, a seed of %zu s", i, age);
        const uint32_t left = f->left;
        memcpy(waiting, f->buffer + FAST_BUFFER - left, sizeof waiting);
        CHECK(hwaead_random_key32(key) == HWAEAD_OK);
        if (age < RANDOM_SECONDS) {
            CHECK(memcmp(key, waiting, sizeof key) == 0 && f->left == left - sizeof key);
        } else {
            CHECK(memcmp(key, waiting, 16) != 0 && memcmp(key + 16, waiting + 16, 16) != 0);
            CHECK(f->left == FAST_BUFFER - sizeof key && memmem(f, sizeof *f, waiting, 16) == NULL);
            age = 0;
        }
    }
    rules.clock = time;
}

static void arguments(void)
{
    uint8_t one = 0x77;
    check_note("arguments");
    CHECK(hwaead_random_bytes(NULL, 0) == HWAEAD_OK && hwaead_random_bytes(&one, 0) == HWAEAD_OK && one == 0x77);
    CHECK(hwaead_random_bytes(NULL, 1) == HWAEAD_ERR_ARGUMENT);
    CHECK(hwaead_random_key32(NULL) == HWAEAD_ERR_ARGUMENT && hwaead_random_nonce12(NULL) == HWAEAD_ERR_ARGUMENT);
}

int main(void)
{
    if (hwaead_cpu_missing() != NULL)
        return check_skip(hwaead_cpu_missing());
    no_room();
    arguments();
    ages();
    many_threads();
    cancellation();
    ends_of_threads();
    printf("%d threads; sources: %s\n", THREADS, hwaead_random_sources());
    return check_done();
}
