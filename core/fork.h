/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks: how a generator notices that it is now in another process, with a copy of the state that its twin has too,
 * and a lock that is not lost when its holder stayed behind in the parent.
 *
 * A process is known by its generation, a number that no ancestor of it had. It stands in a page that the kernel
 * zeroes in each child (MADV_WIPEONFORK), so that looking costs a load and no system call, and so that a raw clone()
 * is noticed like a fork(). Kernels before 4.14 and emulators have no such pages; there we ask for the process id each
 * time.
 * That misses a child whose id an ancestor had, if no generator was used in the processes between.
 */
#ifndef HWAEAD_CORE_FORK_H
#define HWAEAD_CORE_FORK_H

#include <stdatomic.h>
#include <stdint.h>

struct fork_watch {
    _Atomic uint32_t *_Atomic page; /* NULL: not started; &none: this kernel has no such pages */
    _Atomic uint32_t none;          /* always 0 */
    _Atomic uint32_t last;          /* the newest generation that was given out here or in an ancestor */
    _Atomic uint64_t by_pid;        /* without pages: process id << 32 | generation */
};

/* Begins to watch, if nobody did before; any thread may. Maps one page. */
void fork_watch_start(struct fork_watch *w);

/* Unmaps the page. */
void fork_watch_stop(struct fork_watch *w);

uint32_t fork_generation_found(struct fork_watch *w);

/* The generation of this process, never 0; all its threads get the same. */
static inline uint32_t fork_generation(struct fork_watch *w)
{
    const uint32_t generation = atomic_load_explicit(atomic_load_explicit(&w->page, memory_order_relaxed),
                                                     memory_order_acquire);
    return generation != 0 ? generation : fork_generation_found(w);
}

/* All zeros: free. */
struct fork_lock {
    _Atomic uint32_t word; /* generation of the last holder << 2 | somebody waits << 1 | held */
};

/* Takes the lock, and sleeps until it can; not recursive. 1 when what it guards is whole; 0 when this is a child
 * and some thread held the lock at the fork: what it guards may be half written, and is the caller's now. */
int fork_lock_take(struct fork_lock *lock, uint32_t generation);
void fork_lock_give(struct fork_lock *lock, uint32_t generation);

#endif
