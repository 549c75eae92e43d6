/* SPDX-License-Identifier: Apache-2.0
 *
 * AArch64: what the kernel says that every core of this machine has. Built without ISA flags.
 */
#include "cpu.h"

#include <sys/auxv.h>

/* Linux's numbers (arch/arm64/include/uapi/asm/hwcap.h). */
#ifndef HWCAP_AES
#define HWCAP_AES (1ul << 3)
#define HWCAP_PMULL (1ul << 4)
#endif
#ifndef HWCAP_SHA3
#define HWCAP_SHA3 (1ul << 17)
#endif
#ifndef HWCAP2_RNG
#define HWCAP2_RNG (1ul << 16)
#endif

extern const struct kernel kernel_armv8, kernel_armv8_sha3;

enum {
    HAS_AES = 1 << 0,
    HAS_PMULL = 1 << 1,
    HAS_SHA3 = 1 << 2,
    ASKED = 1 << 3,
    NEED_ARMV8 = HAS_AES | HAS_PMULL,
    NEED_ARMV8_SHA3 = NEED_ARMV8 | HAS_SHA3
};

const struct cpu_tier cpu_tiers[] = {
    {&kernel_armv8_sha3, NEED_ARMV8_SHA3},
    {&kernel_armv8, NEED_ARMV8},
};

const size_t cpu_ntiers = sizeof cpu_tiers / sizeof cpu_tiers[0];

unsigned cpu_ask(void)
{
    const unsigned long hwcap = getauxval(AT_HWCAP), hwcap2 = getauxval(AT_HWCAP2);
    unsigned features = ASKED;
    if (hwcap & HWCAP_AES)
        features |= HAS_AES;
    if (hwcap & HWCAP_PMULL)
        features |= HAS_PMULL;
    if (hwcap & HWCAP_SHA3)
        features |= HAS_SHA3;
    if (hwcap2 & HWCAP2_RNG)
        features |= CPU_HAS_SEED | CPU_HAS_RANDOM;
    return features;
}

const char *cpu_sentence(unsigned features)
{
    switch (features & NEED_ARMV8) {
    case 0: return "this CPU lacks the AES and carry-less multiply (PMULL) instructions";
    case HAS_AES: return "this CPU lacks the carry-less multiply instruction (PMULL)";
    case HAS_PMULL: return "this CPU lacks the AES instructions";
    default: return NULL;
    }
}
