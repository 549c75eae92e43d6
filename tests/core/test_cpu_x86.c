/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice of tiers on CPUs that this machine is not: core/cpu_x86.c itself, included here with a CPUID and an XCR0
 * of our own. The program links the rest of the core; this copy of cpu_x86.c takes the place of the library's.
 *
 * The core asks the CPU once and remembers, so each CPU gets a process of its own.
 */
#include <cpuid.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

struct cpu {
    const char *name;
    unsigned max_leaf, leaf1_c, leaf7_b, leaf7_c, xcr0_low;
    bool xgetbv_faults;
    unsigned tiers; /* how many run, from aesni up */
    const char *missing; /* a word of what hwaead_cpu_missing says; NULL: nothing is missing */
};

static struct cpu cpu;

static int fake_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
    if (leaf > cpu.max_leaf)
        return 0;
    *a = *d = 0;
    *b = leaf == 7 ? cpu.leaf7_b : 0;
    *c = leaf == 7 ? cpu.leaf7_c : leaf == 1 ? cpu.leaf1_c : 0;
    return 1;
}

static unsigned fake_xcr0(void)
{
    if (cpu.xgetbv_faults) {
        printf("FAIL: XGETBV without OSXSAVE\n");
        fflush(stdout);
        _exit(1);
    }
    return cpu.xcr0_low;
}

/* The one __asm__ volatile (text : "=a"(lo), "=d"(hi) : "c"(0)) of cpu_x86.c becomes the two assignments. All headers
 * that it includes have been included above. */
#define __get_cpuid(leaf, a, b, c, d) fake_cpuid((leaf), (a), (b), (c), (d))
#define __get_cpuid_count(leaf, subleaf, a, b, c, d) fake_cpuid((leaf), (a), (b), (c), (d))
#define __asm__
#define volatile(...) (lo = fake_xcr0(), hi = 0)
#include "cpu_x86.c"
#undef volatile
#undef __asm__

static const unsigned SSSE3 = 1u << 9, AES = 1u << 25, PCLMUL = 1u << 1, SSE41 = 1u << 19; /* leaf 1, ECX */
static const unsigned OSXSAVE = 1u << 27, AVX = 1u << 28;
static const unsigned AVX2 = 1u << 5, AVX512F = 1u << 16, AVX512BW = 1u << 30, AVX512VL = 1u << 31; /* 7, EBX */
static const unsigned RDRAND = 1u << 30, RDSEED = 1u << 18; /* leaf 1, ECX; 7, EBX */
static const unsigned VAES = 1u << 9, VPCLMUL = 1u << 10; /* 7, ECX */
static const unsigned YMM = 0x7, ZMM = 0xe7; /* XCR0 */

static void run(void)
{
    static const uint8_t bytes[16] = {1};
    static const hwaead_tier order[] = {HWAEAD_TIER_AESNI, HWAEAD_TIER_VAES256, HWAEAD_TIER_VAES512};
    static const char *const names[] = {"aesni", "vaes256", "vaes512"};
    const char *missing = hwaead_cpu_missing();
    hwaead_gcm_key key;
    CHECK((missing == NULL) == (cpu.missing == NULL));
    CHECK(missing == NULL || cpu.missing == NULL || strstr(missing, cpu.missing) != NULL);
    for (size_t i = 0; i <= cpu.tiers; i++)
        CHECK(hwaead_tier_runnable(i) == (i < cpu.tiers ? order[cpu.tiers - 1 - i] : HWAEAD_TIER_AUTO));
    CHECK(kernel_runnable(cpu.tiers) == NULL && kernel_runnable(cpu.tiers + 1) == NULL);
    CHECK(kernel_of(HWAEAD_TIER_AUTO) == kernel_runnable(0));
    for (size_t i = 0; i < 3; i++) {
        hwaead_tier tier = HWAEAD_TIER_AUTO;
        CHECK(hwaead_tier_by_name(&tier, names[i]) == HWAEAD_OK && tier == order[i]); /* runnable or not */
        CHECK(strcmp(hwaead_tier_name(order[i]), names[i]) == 0);
        CHECK((kernel_of(order[i]) != NULL) == (i < cpu.tiers));
        if (i >= cpu.tiers) {/* no code of a tier is run here: the real CPU may be another */
            memset(&key, 0x77, sizeof key);
            CHECK(hwaead_gcm_key_init(&key, sizeof key, bytes, 16, order[i]) ==
                  (cpu.tiers == 0 ? HWAEAD_ERR_CPU : HWAEAD_ERR_TIER));
            CHECK(hwaead_gcm_key_tier(&key) == HWAEAD_TIER_AUTO);
        }
    }
    CHECK(((cpu_features() & CPU_HAS_RANDOM) != 0) == (cpu.max_leaf >= 1 && (cpu.leaf1_c & RDRAND) != 0));
    CHECK(((cpu_features() & CPU_HAS_SEED) != 0) == (cpu.max_leaf >= 7 && (cpu.leaf7_b & RDSEED) != 0));
    if (cpu.tiers == 0)
        CHECK(hwaead_gcm_key_init(&key, sizeof key, bytes, 16, HWAEAD_TIER_AUTO) == HWAEAD_ERR_CPU);
}

int main(void)
{
    const unsigned BASE = SSSE3 | SSE41 | AES | PCLMUL, ALL_B = AVX2 | AVX512F | AVX512BW | AVX512VL;
    const unsigned os = OSXSAVE | AVX, vv = VAES | VPCLMUL;
    const struct cpu cpus[] = {
        {"all of it", 7, BASE | os, ALL_B, vv, ZMM, false, 3, NULL},
        {"no AVX-512VL", 7, BASE | os, ALL_B & ~AVX512VL, vv, ZMM, false, 2, NULL},
        {"no AVX-512BW", 7, BASE | os, ALL_B & ~AVX512BW, vv, ZMM, false, 2, NULL},
        {"no AVX-512F", 7, BASE | os, ALL_B & ~AVX512F, vv, ZMM, false, 2, NULL},
        {"an OS without ZMM state", 7, BASE | os, ALL_B, vv, YMM, false, 2, NULL},
        {"an OS without opmask state", 7, BASE | os, ALL_B, vv, ZMM & ~0x20u, false, 2, NULL},
        {"an OS without upper ZMM state", 7, BASE | os, ALL_B, vv, ZMM & ~0x80u, false, 2, NULL},
        {"AVX2 only", 7, BASE | os, AVX2, vv, YMM, false, 2, NULL},
        {"no VAES", 7, BASE | os, ALL_B, VPCLMUL, ZMM, false, 1, NULL},
        {"no VPCLMULQDQ", 7, BASE | os, ALL_B, VAES, ZMM, false, 1, NULL},
        {"no AVX2", 7, BASE | os, ALL_B & ~AVX2, vv, ZMM, false, 1, NULL},
        {"an OS without YMM state", 7, BASE | os, ALL_B, vv, 0x3, false, 1, NULL},
        {"an OS without SSE state", 7, BASE | os, ALL_B, vv, 0xe5, false, 1, NULL},
        {"no OSXSAVE", 7, BASE | AVX, ALL_B, vv, 0, true, 1, NULL},
        {"no AVX", 7, BASE | OSXSAVE, ALL_B, vv, ZMM, false, 1, NULL},
        {"no leaf 7", 6, BASE | os, 0, 0, ZMM, false, 1, NULL},
        {"Westmere", 7, BASE, 0, 0, 0, true, 1, NULL},
        {"no SSSE3", 7, (BASE | os) & ~SSSE3, ALL_B, vv, ZMM, false, 0, "SSSE3"},
        {"no SSE4.1", 7, (BASE | os) & ~SSE41, ALL_B, vv, ZMM, false, 0, "SSE4.1"},
        {"no AES", 7, (BASE | os) & ~AES, ALL_B, vv, ZMM, false, 0, "AES"},
        {"no PCLMULQDQ", 7, (BASE | os) & ~PCLMUL, ALL_B, vv, ZMM, false, 0, "PCLMULQDQ"},
        {"neither", 7, SSSE3 | SSE41, 0, 0, 0, true, 0, "AES"},
        {"RDRAND and RDSEED", 7, BASE | os | RDRAND, ALL_B | RDSEED, vv, ZMM, false, 3, NULL},
        {"RDRAND, RDSEED hidden", 7, BASE | os | RDRAND, ALL_B, vv, ZMM, false, 3, NULL},
        {"RDSEED, RDRAND hidden", 7, BASE | os, ALL_B | RDSEED, vv, ZMM, false, 3, NULL},
        {"RDRAND, no leaf 7", 6, BASE | os | RDRAND, RDSEED, 0, ZMM, false, 1, NULL},
        {"no leaf 1", 0, BASE, 0, 0, 0, true, 0, "AES"},
    };
    for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        int status;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            cpu = cpus[i];
            check_note("a CPU with %s", cpu.name);
            run();
            exit(check_done());
        }
        check_note("a CPU with %s", cpus[i].name);
        CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) ==
              0);
    }
    return check_done();
}
