/* SPDX-License-Identifier: Apache-2.0
 *
 * RDSEED and RDRAND, in assembler so that the compiler cannot use what else comes with a flag. Only the 64-bit forms:
 * the shorter forms of RDSEED are broken on some Zen 5. There are CPUs whose RDSEED never delivers, or is hidden.
 */
#include "entropy.h"

int entropy_cpu_seed(uint64_t *sample)
{
    unsigned char good;
    __asm__ volatile("rdseed %0; setc %1" : "=r"(*sample), "=q"(good) : : "cc");
    if (!good)
        __builtin_ia32_pause();
    return good;
}

int entropy_cpu_random(uint64_t *sample)
{
    unsigned char good;
    __asm__ volatile("rdrand %0; setc %1" : "=r"(*sample), "=q"(good) : : "cc");
    return good;
}
