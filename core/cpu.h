/* SPDX-License-Identifier: Apache-2.0
 *
 * What cpu.c asks of the architecture (cpu_x86.c, cpu_arm.c), and remembers for others.
 */
#ifndef HWAEAD_CORE_CPU_H
#define HWAEAD_CORE_CPU_H

#include <stddef.h>

#include "kernel.h"

/* Bits of cpu_ask's word that mean the same on every architecture; the others are its own. */
enum {
    CPU_HAS_SEED = 1 << 29,  /* the CPU has an entropy source: RDSEED, RNDRRS */
    CPU_HAS_RANDOM = 1 << 30 /* and a generator that it seeds: RDRAND, RNDR */
};

/* A tier of this architecture and the features that it needs, as bits of cpu_ask's word. */
struct cpu_tier {
    const struct kernel *kernel;
    unsigned need;
};

extern const struct cpu_tier cpu_tiers[]; /* best first */
extern const size_t cpu_ntiers;

/* cpu_ask's word, which is asked for once (cpu.c). */
unsigned cpu_features(void);

/* What the CPU and the OS offer, never 0. May be slow. */
unsigned cpu_ask(void);

/* NULL when the last tier, which needs least, can run with these features; else a sentence that names what is
 * missing. */
const char *cpu_sentence(unsigned features);

static inline int has_all(uint64_t word, uint64_t bits)
{
    return (word & bits) == bits;
}

#endif
