/* SPDX-License-Identifier: Apache-2.0
 *
 * x86-64: what CPUID and XGETBV say. Built without ISA flags: nothing here may need what it asks for.
 */
#include "cpu.h"

#include <cpuid.h>

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

const struct cpu_tier cpu_tiers[] = {
    {&kernel_vaes512, NEED_VAES512},
    {&kernel_vaes256, NEED_VAES256},
    {&kernel_aesni, NEED_AESNI},
};

const size_t cpu_ntiers = sizeof cpu_tiers / sizeof cpu_tiers[0];

static uint64_t xcr0(void)
{
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

unsigned cpu_ask(void)
{
    const uint64_t ymm_state = 0x6, zmm_state = 0xe6;
    const uint32_t aes = 1u << 25, pclmulqdq = 1u << 1, ssse3 = 1u << 9, sse41 = 1u << 19, osxsave_avx = 3u << 27;
    const uint32_t rdrand = 1u << 30, rdseed = 1u << 18;
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
    if (c & rdrand)
        features |= CPU_HAS_RANDOM;
    uint64_t state = has_all(c, osxsave_avx) ? xcr0() : 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return features;
    if (b & rdseed)
        features |= CPU_HAS_SEED;
    if (has_all(state, ymm_state) && (b & avx2) && has_all(c, vaes_vpclmulqdq)) {
        features |= HAS_VAES256;
        if (has_all(state, zmm_state) && has_all(b, avx512_f_bw_vl))
            features |= HAS_VAES512;
    }
    return features;
}

const char *cpu_sentence(unsigned features)
{
    if (has_all(features, NEED_AESNI))
        return NULL;
    switch (features & (HAS_AES | HAS_PCLMULQDQ)) {
    case 0: return "this CPU lacks the AES (AES-NI) and carry-less multiply (PCLMULQDQ) instructions";
    case HAS_AES: return "this CPU lacks the carry-less multiply instruction (PCLMULQDQ)";
    case HAS_PCLMULQDQ: return "this CPU lacks the AES instructions (AES-NI)";
    default: return "this CPU lacks the SSSE3 or SSE4.1 instructions";
    }
}
