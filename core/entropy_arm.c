/* SPDX-License-Identifier: Apache-2.0
 *
 * RNDRRS and RNDR, by the numbers of their system registers, since assemblers know the names only with a flag. A read
 * that gives nothing sets Z and clears the other condition flags.
 */
#include "entropy.h"

int entropy_cpu_seed(uint64_t *sample)
{
    int good;
    __asm__ volatile("mrs %0, s3_3_c2_c4_1\n\tcset %w1, ne" : "=r"(*sample), "=r"(good) : : "cc");
    if (!good)
        __asm__ volatile("yield");
    return good;
}

int entropy_cpu_random(uint64_t *sample)
{
    int good;
    __asm__ volatile("mrs %0, s3_3_c2_c4_0\n\tcset %w1, ne" : "=r"(*sample), "=r"(good) : : "cc");
    return good;
}
