/* SPDX-License-Identifier: Apache-2.0
 *
 * Generators that seed themselves: the fast generator (fast_drbg.h) and the rules by which it gets its seeds. At its
 * first use, in a new process, after so much time and after so many requests it draws on its source, and forgets what
 * waited in its buffer. Below them are the generators of each thread.
 */
#ifndef HWAEAD_CORE_RANDOM_H
#define HWAEAD_CORE_RANDOM_H

#include <time.h>

#include "entropy.h"
#include "fast_drbg.h"
#include "fork.h"

/* The rules, which generators share. */
struct random_rules {
    const struct entropy *source;
    const struct kernel *_Atomic kernel; /* NULL: the best that runs here */
    time_t (*clock)(time_t *);           /* seconds */
    _Atomic uint32_t seconds;            /* a seeding serves while it is younger than this */
    _Atomic uint64_t requests;           /* and for so many requests of the DRBG, DRBG_MAX_REQUESTS at most */
    struct fork_watch forks;
};

enum { RANDOM_SECONDS = 60, RANDOM_REQUESTS = 1 << 16 }; /* unless somebody says otherwise */

/* All zeros: not seeded yet. Wipe it at its end; it belongs to one thread at a time. */
struct random {
    struct fast_drbg fast;
    struct health health;
    uint32_t seeded_in; /* generation of the process */
    uint64_t seeded_at; /* by the clock */
};

/* Whether the seeding is of this process and young enough. A clock that was set back counts as old. */
static inline int random_is_fresh(struct random_rules *rules, const struct random *r)
{
    const uint64_t age = (uint64_t)rules->clock(NULL) - r->seeded_at;
    return age < atomic_load_explicit(&rules->seconds, memory_order_relaxed)
           && fork_generation(&rules->forks) == r->seeded_in;
}

/* Writes n bytes, any number; 0 does nothing. CPU when no tier runs here, ENTROPY when a seed was due and the source
 * gave none: then out is zeroed, r wiped, and the next call tries again. */
hwaead_err random_generate(struct random_rules *rules, struct random *r, uint8_t *out, size_t n);

/* ---- The generators of each thread (api_random.c) ----------------------------------------------------------- */

/* What everyone sees comes from another generator than what nobody may see. */
enum random_which { RANDOM_PRIVATE, RANDOM_PUBLIC, RANDOM_GENERATORS };

/* hwaead_random_bytes, from the one or the other. */
hwaead_err random_bytes(enum random_which which, uint8_t *out, size_t n);

/* For all threads of the process: generators that are made from now on use that kernel, and no seed serves longer than
 * so many seconds, unless the limit is shorter already. */
void random_limit(const struct kernel *kernel, uint32_t seconds);

#endif
