/* SPDX-License-Identifier: Apache-2.0 */
#include "fork.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux since 4.14; older C libraries lack the name. */
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* ---- Generations ------------------------------------------------------------------------------------------ */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Some emulators (QEMU's user mode) do nothing at any advice and report success: not only at one that exists. */
static int madvise_means_it(void *page)
{
    return madvise(page, page_size(), -1) != 0;
}

static _Atomic uint32_t *map_page(void)
{
    void *page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (!madvise_means_it(page) || madvise(page, page_size(), MADV_WIPEONFORK) != 0) {
        (void)munmap(page, page_size());
        return NULL;
    }
    return page;
}

/* Decided once: a later change of method would be taken for a fork. */
void fork_watch_start(struct fork_watch *w)
{
    _Atomic uint32_t *nobody = NULL;
    if (atomic_load(&w->page) != NULL)
        return;
    _Atomic uint32_t *page = map_page();
    if (!atomic_compare_exchange_strong(&w->page, &nobody, page != NULL ? page : &w->none) && page != NULL)
        (void)munmap((void *)(uintptr_t)page, page_size());
}

void fork_watch_stop(struct fork_watch *w)
{
    _Atomic uint32_t *page = atomic_exchange(&w->page, NULL);
    if (page != NULL && page != &w->none)
        (void)munmap((void *)(uintptr_t)page, page_size());
}

/* Of several threads that see another process id one writes the new generation, and all return it. */
static uint32_t generation_by_pid(struct fork_watch *w)
{
    const uint64_t pid = (uint64_t)getpid();
    uint64_t old = atomic_load(&w->by_pid);
    while (old >> 32 != pid) {
        const uint64_t mine = pid << 32 | (uint32_t)(old + 1);
        if (atomic_compare_exchange_weak(&w->by_pid, &old, mine))
            return (uint32_t)mine;
    }
    return (uint32_t)old;
}

/* The page is zeroed: a new process. */
uint32_t fork_generation_found(struct fork_watch *w)
{
    _Atomic uint32_t *page = atomic_load(&w->page);
    if (page == &w->none)
        return generation_by_pid(w);
    const uint32_t mine = atomic_fetch_add(&w->last, 1) + 1;
    uint32_t other = 0;
    return atomic_compare_exchange_strong(page, &other, mine) ? mine : other;
}

/* ---- The lock --------------------------------------------------------------------------------------------- */

/* As <linux/futex.h> has it, which is no part of a C library: musl alone comes without. */
enum { FUTEX_WAIT_PRIVATE = 128, FUTEX_WAKE_PRIVATE = 129 };

enum { HELD = 1, AWAITED = 2, GENERATION_SHIFT = 2 };

/* Returns at once when *word is another than expected. */
static void futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
    const int kept = errno;
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
    errno = kept;
}

static void futex_wake_one(_Atomic uint32_t *word)
{
    const int kept = errno;
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = kept;
}

int fork_lock_take(struct fork_lock *lock, uint32_t generation)
{
    const uint32_t mine = generation << GENERATION_SHIFT;
    uint32_t awaited = 0; /* who has slept cannot know that no other sleeps */
    uint32_t old = atomic_load_explicit(&lock->word, memory_order_relaxed);
    for (;;) {
        const int from_ancestor = (old ^ mine) >> GENERATION_SHIFT != 0;
        if (from_ancestor || !(old & HELD)) {
            if (atomic_compare_exchange_weak_explicit(&lock->word, &old, mine | awaited | HELD,
                                                      memory_order_acquire, memory_order_relaxed))
                return !(old & HELD);
        } else if ((old & AWAITED)
                   || atomic_compare_exchange_weak_explicit(&lock->word, &old, old | AWAITED, memory_order_relaxed,
                                                            memory_order_relaxed)) {
            futex_wait(&lock->word, old | AWAITED);
            awaited = AWAITED;
            old = atomic_load_explicit(&lock->word, memory_order_relaxed);
        }
    }
}

void fork_lock_give(struct fork_lock *lock, uint32_t generation)
{
    const uint32_t free_again = generation << GENERATION_SHIFT;
    if (atomic_exchange_explicit(&lock->word, free_again, memory_order_release) & AWAITED)
        futex_wake_one(&lock->word);
}
