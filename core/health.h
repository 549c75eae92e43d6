/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous health tests of the CPU's generator (SP 800-90B, 4.4). A sample is one 64-bit word as the instruction
 * delivers it. Vendors claim 64 bits of entropy for it; we assume H = 32, half of that, and count on none of it.
 *
 * Repetition count (4.4.1), alpha = 2^-30: C = 1 + ceil(30 / H) = 2. Two equal words in a row have probability 2^-32
 * at the assumed H, and 2^-64 when the claim is true.
 *
 * Adaptive proportion (4.4.2), W = 512: of the 511 words after the first, k equal it with probability at most
 * (511 over k) 2^-32k: 2^-23.0 for k = 1, which is above 2^-30, and 2^-47.0 for k = 2. So C = 3, the first word
 * counted, with alpha = 2^-47. (The standard's formula, 1 + CRITBINOM, comes to 2, whose false alarms would be those
 * 2^-23.)
 */
#ifndef HWAEAD_CORE_HEALTH_H
#define HWAEAD_CORE_HEALTH_H

#include <stdint.h>

enum { HEALTH_REPETITIONS = 2, HEALTH_WINDOW = 512, HEALTH_PROPORTION = 3 };

/* All zeros: nothing seen yet. It keeps two samples: wipe it with the generator that they seeded. */
struct health {
    uint64_t last;     /* sample */
    uint64_t first;    /* sample of this window */
    uint32_t repeated; /* how often `last` came in a row */
    uint32_t seen;     /* samples of this window */
    uint32_t equal;    /* of them, those that equal `first` */
    int failed;        /* for good */
};

/* 1 when all is well so far; 0 from the sample on at which a test failed. */
int health_sample(struct health *h, uint64_t sample);

#endif
