/* SPDX-License-Identifier: Apache-2.0
 *
 * The public random functions: two generators a thread, seeded by this machine. No lock, and on the way of a short
 * request no system call.
 */
#include <hwaead/hwaead.h>

#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>

#include "cpu.h"
#include "random.h"

static struct random_rules rules = {
    .source = &entropy_machine,
    .clock = time,
    .seconds = RANDOM_SECONDS,
    .requests = RANDOM_REQUESTS,
};

/* ---- A thread's own ----------------------------------------------------------------------------------------- */

/* In pages of their own rather than in thread-local storage, of which there is little for modules that are loaded
 * late; where there is room for the two pointers only, they are reached without a call. */
struct generators {
    struct random of[RANDOM_GENERATORS];
};

/* musl has no such room, and takes the general way. */
#ifdef __GLIBC__
#define TLS_SMALL __attribute__((tls_model("initial-exec")))
#else
#define TLS_SMALL
#endif

static _Thread_local struct {
    struct generators *mapped; /* NULL: none yet */
    struct generators *ready;  /* the same; NULL: in use further up the stack */
} own TLS_SMALL;

/* What stands in own.mapped while the pages are being made, and after their end: a second mapping would have nobody
 * to end it. */
static struct generators *const no_pages = (struct generators *)(void *)&rules;

static void end_of_thread(void *generators)
{
    own.ready = NULL;
    own.mapped = no_pages;
    secret_wipe(generators, sizeof(struct generators));
    (void)munmap(generators, sizeof(struct generators));
}

/* The key by which libc knows what to end, plus 1; made once a process. */
static atomic_uint made_key;
static const unsigned NO_KEY = 0, NO_MORE_KEYS = UINT_MAX;

/* NO_KEY: there are no more. */
static unsigned exit_key(void)
{
    unsigned key_and_1 = atomic_load_explicit(&made_key, memory_order_acquire);
    pthread_key_t key;
    if (key_and_1 == NO_MORE_KEYS)
        return NO_KEY;
    if (key_and_1 != NO_KEY || pthread_key_create(&key, end_of_thread) != 0)
        return key_and_1;
    if (atomic_compare_exchange_strong(&made_key, &key_and_1, key + 1))
        return key + 1;
    (void)pthread_key_delete(key);
    return key_and_1;
}

/* A plug-in with the static library in it is unloaded, or the process exits: libc must call us no more. What other
 * threads have mapped stays, as nobody knows where that is. */
static __attribute__((destructor)) void end_of_library(void)
{
    const unsigned key_and_1 = atomic_exchange(&made_key, NO_MORE_KEYS);
    if (key_and_1 != NO_KEY)
        (void)pthread_key_delete(key_and_1 - 1);
    if (own.ready != NULL)
        end_of_thread(own.ready);
}

/* The pages are left out of core dumps where the kernel can. */
static struct generators *begin(void)
{
    const unsigned key_and_1 = exit_key();
    if (key_and_1 == NO_KEY)
        return NULL;
    void *pages = mmap(NULL, sizeof(struct generators), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    if (pthread_setspecific(key_and_1 - 1, pages) != 0) {
        (void)munmap(pages, sizeof(struct generators));
        return NULL;
    }
    (void)madvise(pages, sizeof(struct generators), MADV_DONTDUMP);
    return pages;
}

/* This thread's generators, for us alone until leave. NULL when a signal handler asks in the middle of another
 * request, when there are no pages, when nobody would wipe them at the end, and when the thread is past that. */
static struct generators *enter(void)
{
    if (own.mapped == NULL) {
        own.mapped = no_pages;
        atomic_signal_fence(memory_order_seq_cst);
        own.mapped = begin();
    } else if (own.ready == NULL) {
        return NULL;
    }
    own.ready = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    return own.mapped;
}

static void leave(struct generators *g)
{
    atomic_signal_fence(memory_order_seq_cst);
    own.ready = g;
}

/* ---- Requests ----------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) hwaead_err generate(enum random_which which, uint8_t *out, size_t n)
{
    if (out == NULL && n != 0)
        return HWAEAD_ERR_ARGUMENT;
    if (kernel_of(HWAEAD_TIER_AUTO) == NULL) {
        secret_wipe(out, n);
        return HWAEAD_ERR_CPU;
    }
    if (n == 0)
        return HWAEAD_OK;
    struct generators *g = enter();
    if (g == NULL)
        return entropy_os(rules.source, out, n) ? HWAEAD_OK : HWAEAD_ERR_ENTROPY;
    const hwaead_err err = random_generate(&rules, &g->of[which], out, n);
    leave(g);
    return err;
}

/* n bytes that wait, or else generate's. What was taken before it turned out to be old is overwritten: looked at in
 * this order no fork is missed, not even one in a signal handler. */
static inline __attribute__((always_inline)) hwaead_err take(enum random_which which, uint8_t *out, const size_t n)
{
    struct generators *g = own.ready;
    int good = 0;
    if (g != NULL && out != NULL) {
        own.ready = NULL;
        atomic_signal_fence(memory_order_seq_cst);
        if (fast_waits(&g->of[which].fast, n)) {
            fast_take(&g->of[which].fast, out, n);
            good = random_is_fresh(&rules, &g->of[which]);
        }
        leave(g);
    }
    return good ? HWAEAD_OK : generate(which, out, n);
}

hwaead_err random_bytes(enum random_which which, uint8_t *out, size_t n)
{
    return take(which, out, n);
}

hwaead_err hwaead_random_bytes(uint8_t *out, size_t n)
{
    return random_bytes(RANDOM_PRIVATE, out, n);
}

hwaead_err hwaead_random_key32(uint8_t out[HWAEAD_RANDOM_KEY_LEN])
{
    return take(RANDOM_PRIVATE, out, HWAEAD_RANDOM_KEY_LEN);
}

hwaead_err hwaead_random_nonce12(uint8_t out[HWAEAD_RANDOM_NONCE_LEN])
{
    return take(RANDOM_PUBLIC, out, HWAEAD_RANDOM_NONCE_LEN);
}

void hwaead_random_set_interval(uint32_t seconds)
{
    atomic_store_explicit(&rules.seconds, seconds, memory_order_relaxed);
}

void random_limit(const struct kernel *kernel, uint32_t seconds)
{
    uint32_t old = atomic_load_explicit(&rules.seconds, memory_order_relaxed);
    while (seconds < old && !atomic_compare_exchange_weak(&rules.seconds, &old, seconds))
        ;
    atomic_store_explicit(&rules.kernel, kernel, memory_order_relaxed);
}

const char *hwaead_random_sources(void)
{
    if (!(cpu_features() & (CPU_HAS_SEED | CPU_HAS_RANDOM)))
        return "the operating system; this CPU has no generator";
    if (atomic_load_explicit(entropy_machine.cpu_failed, memory_order_relaxed))
        return "the operating system; the CPU's generator failed its health tests and is not used";
    return "the operating system, with the CPU's generator blended in";
}
