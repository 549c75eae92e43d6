/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tiers this CPU and OS can run. Built without ISA flags: nothing here may need what it asks for.
 */
#include "kernel.h"

#include <cpuid.h>
#include <stdatomic.h>
#include <string.h>

extern const struct kernel kernel_aesni, kernel_vaes256, kernel_vaes512;

enum {
    HAS_AES = 1 << 0,
    HAS_PCLMULQDQ = 1 << 1,
    HAS_SSE41 = 1 << 2, /* and SSSE3 */
    HAS_VAES256 = 1 << 3,
    HAS_VAES512 = 1 << 4,
    ASKED = 1 << 5,
    NEED_AESNI = HAS_AES | HAS_PCLMULQDQ | HAS_SSE41,
    NEED_VAES256 = NEED_AESNI | HAS_VAES256,
    NEED_VAES512 = NEED_VAES256 | HAS_VAES512
};

static const struct tier_row {
    hwaead_tier tier;
    const char *name;
    unsigned need;
    const struct kernel *kernel;
} tiers[] = { /* best first */
    {HWAEAD_TIER_VAES512, "vaes512", NEED_VAES512, &kernel_vaes512},
    {HWAEAD_TIER_VAES256, "vaes256", NEED_VAES256, &kernel_vaes256},
    {HWAEAD_TIER_AESNI, "aesni", NEED_AESNI, &kernel_aesni},
};

enum { NTIERS = sizeof tiers / sizeof tiers[0] };

static uint64_t xcr0(void)
{
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

static int has_all(uint64_t word, uint64_t bits)
{
    return (word & bits) == bits;
}

static unsigned ask_cpu(void)
{
    const uint64_t ymm_state = 0x6, zmm_state = 0xe6;
    const uint32_t aes = 1u << 25, pclmulqdq = 1u << 1, ssse3 = 1u << 9, sse41 = 1u << 19, osxsave_avx = 3u << 27;
    const uint32_t avx2 = 1u << 5, avx512_f_bw_vl = 1u << 16 | 1u << 30 | 1u << 31, vaes_vpclmulqdq = 3u << 9;
    unsigned a, b, c, d, features = ASKED;

    if (!__get_cpuid(1, &a, &b, &c, &d))
        return features;
    if (c & aes)
        features |= HAS_AES;
    if (c & pclmulqdq)
        features |= HAS_PCLMULQDQ;
    if (has_all(c, ssse3 | sse41))
        features |= HAS_SSE41;
    uint64_t state = has_all(c, osxsave_avx) ? xcr0() : 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return features;
    if (has_all(state, ymm_state) && (b & avx2) && has_all(c, vaes_vpclmulqdq)) {
        features |= HAS_VAES256;
        if (has_all(state, zmm_state) && has_all(b, avx512_f_bw_vl))
            features |= HAS_VAES512;
    }
    return features;
}

/* CPUID is slow under a hypervisor, so it is asked once; racing threads store the same word. */
static unsigned cpu_features(void)
{
    static atomic_uint cached;
    unsigned features = atomic_load_explicit(&cached, memory_order_relaxed);
    if (features == 0) {
        features = ask_cpu();
        atomic_store_explicit(&cached, features, memory_order_relaxed);
    }
    return features;
}

const struct kernel *kernel_runnable(size_t i)
{
    unsigned features = cpu_features();
    for (size_t t = 0; t < NTIERS; t++)
        if (has_all(features, tiers[t].need) && i-- == 0)
            return tiers[t].kernel;
    return NULL;
}

const struct kernel *kernel_of(hwaead_tier tier)
{
    if (tier == HWAEAD_TIER_AUTO)
        return kernel_runnable(0);
    for (size_t t = 0; t < NTIERS; t++)
        if (tiers[t].tier == tier)
            return has_all(cpu_features(), tiers[t].need) ? tiers[t].kernel : NULL;
    return NULL;
}

const char *hwaead_cpu_missing(void)
{
    unsigned features = cpu_features();
    if (has_all(features, NEED_AESNI))
        return NULL;
    switch (features & (HAS_AES | HAS_PCLMULQDQ)) {
    case 0: return "this CPU lacks the AES (AES-NI) and carry-less multiply (PCLMULQDQ) instructions";
    case HAS_AES: return "this CPU lacks the carry-less multiply instruction (PCLMULQDQ)";
    case HAS_PCLMULQDQ: return "this CPU lacks the AES instructions (AES-NI)";
    default: return "this CPU lacks the SSSE3 or SSE4.1 instructions";
    }
}

hwaead_tier hwaead_tier_runnable(size_t i)
{
    const struct kernel *kernel = kernel_runnable(i);
    return kernel == NULL ? HWAEAD_TIER_AUTO : kernel->tier;
}

const char *hwaead_tier_name(hwaead_tier tier)
{
    if (tier == HWAEAD_TIER_AUTO)
        return "auto";
    for (size_t t = 0; t < NTIERS; t++)
        if (tiers[t].tier == tier)
            return tiers[t].name;
    return NULL;
}

hwaead_err hwaead_tier_by_name(hwaead_tier *tier, const char *name)
{
    if (tier == NULL || name == NULL)
        return HWAEAD_ERR_ARGUMENT;
    if (strcmp(name, "auto") == 0) {
        *tier = HWAEAD_TIER_AUTO;
        return HWAEAD_OK;
    }
    for (size_t t = 0; t < NTIERS; t++)
        if (strcmp(name, tiers[t].name) == 0) {
            *tier = tiers[t].tier;
            return HWAEAD_OK;
        }
    return HWAEAD_ERR_TIER;
}
