/* SPDX-License-Identifier: Apache-2.0
 *
 * What the bench must know of an architecture: arch_x86.c, arch_arm.c.
 */
#ifndef HWAEAD_BENCH_ARCH_H
#define HWAEAD_BENCH_ARCH_H

#include "bench.h"

/* The tiers of this architecture, whether or not they run here, the best one first. */
extern const hwaead_tier arch_tiers[];
extern const size_t arch_tier_count;

/* CPU, vendor, core, hypervisor and the numbers by which the vendor tells CPUs apart. */
void arch_describe(struct machine *m);

/* n steps of the reference loop: eight independent instructions eight times, half of them on the vector side. */
void arch_reference(uint64_t n);

/* n times 16 cycles, by additions that wait for the one before: one cycle each on every CPU that there is. */
void arch_cycles(uint64_t n);

/* The CPU's own counter of time. */
uint64_t arch_counter(void);

typedef void asm_loop(uint64_t n);

/* The loops that find a tier's limits, with what limits.c expects in each. */
struct limit_width {
    hwaead_tier tier;
    asm_loop *loop[LIMIT_LOOPS]; /* as in struct tier_limits: six of instructions, nine of mixtures */
    double vectors;              /* in 256 bytes */
};

/* None where nobody has written the loops: then no limit is known. */
extern const struct limit_width limit_widths[];
extern const size_t limit_width_count;
bool arch_runs_loops(hwaead_tier tier);

#endif
