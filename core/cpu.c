/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tiers this CPU and OS can run, and what tiers are called. Built without ISA flags.
 */
#include "cpu.h"

#include <stdatomic.h>
#include <string.h>

/* Those of all architectures, so that a configuration means the same everywhere. */
static const struct {
    hwaead_tier tier;
    const char *name;
} names[] = {
    {HWAEAD_TIER_AUTO, "auto"},
    {HWAEAD_TIER_AESNI, "aesni"},
    {HWAEAD_TIER_VAES256, "vaes256"},
    {HWAEAD_TIER_VAES512, "vaes512"},
    {HWAEAD_TIER_ARMV8, "armv8"},
    {HWAEAD_TIER_ARMV8_SHA3, "armv8_sha3"},
};

enum { NNAMES = sizeof names / sizeof names[0] };

/* Asking is slow (CPUID traps under a hypervisor), so it is done once; racing threads store the same word. */
unsigned cpu_features(void)
{
    static atomic_uint cached;
    unsigned features = atomic_load_explicit(&cached, memory_order_relaxed);
    if (features == 0) {
        features = cpu_ask();
        atomic_store_explicit(&cached, features, memory_order_relaxed);
    }
    return features;
}

const struct kernel *kernel_runnable(size_t i)
{
    unsigned features = cpu_features();
    for (size_t t = 0; t < cpu_ntiers; t++)
        if (has_all(features, cpu_tiers[t].need) && i-- == 0)
            return cpu_tiers[t].kernel;
    return NULL;
}

const struct kernel *kernel_of(hwaead_tier tier)
{
    if (tier == HWAEAD_TIER_AUTO)
        return kernel_runnable(0);
    for (size_t t = 0; t < cpu_ntiers; t++)
        if (cpu_tiers[t].kernel->tier == tier)
            return has_all(cpu_features(), cpu_tiers[t].need) ? cpu_tiers[t].kernel : NULL;
    return NULL;
}

const char *hwaead_cpu_missing(void)
{
    return cpu_sentence(cpu_features());
}

hwaead_tier hwaead_tier_runnable(size_t i)
{
    const struct kernel *kernel = kernel_runnable(i);
    return kernel == NULL ? HWAEAD_TIER_AUTO : kernel->tier;
}

const char *hwaead_tier_name(hwaead_tier tier)
{
    for (size_t i = 0; i < NNAMES; i++)
        if (names[i].tier == tier)
            return names[i].name;
    return NULL;
}

hwaead_err hwaead_tier_by_name(hwaead_tier *tier, const char *name)
{
    if (tier == NULL || name == NULL)
        return HWAEAD_ERR_ARGUMENT;
    for (size_t i = 0; i < NNAMES; i++)
        if (strcmp(name, names[i].name) == 0) {
            *tier = names[i].tier;
            return HWAEAD_OK;
        }
    return HWAEAD_ERR_TIER;
}
