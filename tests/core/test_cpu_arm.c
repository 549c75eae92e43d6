/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice of tiers on CPUs that this machine is not: core/cpu_arm.c itself, included here with HWCAPs of our own.
 * The program links the rest of the core; this copy of cpu_arm.c takes the place of the library's.
 *
 * The core asks once and remembers, so each CPU gets a process of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

struct cpu {
    const char *name;
    unsigned long hwcap, hwcap2;
    unsigned tiers;      /* how many run, from armv8 up */
    const char *missing; /* what hwaead_cpu_missing says; NULL: nothing is missing */
};

static struct cpu cpu;

static unsigned long fake_auxval(unsigned long type)
{
    return type == AT_HWCAP ? cpu.hwcap : type == AT_HWCAP2 ? cpu.hwcap2 : ~0ul; /* the rest does not help */
}

#define getauxval fake_auxval
#include "cpu_arm.c"

static void run(void)
{
    static const uint8_t bytes[16] = {1};
    static const hwaead_tier order[] = {HWAEAD_TIER_ARMV8, HWAEAD_TIER_ARMV8_SHA3};
    const char *missing = hwaead_cpu_missing();
    hwaead_gcm_key key;
    CHECK((missing == NULL) == (cpu.missing == NULL));
    CHECK(missing == NULL || cpu.missing == NULL || strcmp(missing, cpu.missing) == 0);
    for (size_t i = 0; i <= cpu.tiers; i++)
        CHECK(hwaead_tier_runnable(i) == (i < cpu.tiers ? order[cpu.tiers - 1 - i] : HWAEAD_TIER_AUTO));
    CHECK(kernel_runnable(cpu.tiers) == NULL && kernel_runnable(cpu.tiers + 1) == NULL);
    CHECK(kernel_of(HWAEAD_TIER_AUTO) == kernel_runnable(0));
    CHECK(kernel_of(HWAEAD_TIER_AESNI) == NULL);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        CHECK((kernel_of(order[i]) != NULL) == (i < cpu.tiers));
        if (i >= cpu.tiers) { /* no code of a tier is run here: the real CPU may be another */
            memset(&key, 0x77, sizeof key);
            CHECK(hwaead_gcm_key_init(&key, sizeof key, bytes, 16, order[i]) ==
                  (cpu.tiers == 0 ? HWAEAD_ERR_CPU : HWAEAD_ERR_TIER));
            CHECK(hwaead_gcm_key_tier(&key) == HWAEAD_TIER_AUTO);
        }
    }
    const unsigned rng = cpu.hwcap2 >> 16 & 1 ? CPU_HAS_SEED | CPU_HAS_RANDOM : 0;
    CHECK((cpu_features() & (CPU_HAS_SEED | CPU_HAS_RANDOM)) == rng);
    if (cpu.tiers == 0)
        CHECK(hwaead_gcm_key_init(&key, sizeof key, bytes, 16, HWAEAD_TIER_AUTO) == HWAEAD_ERR_CPU);
}

int main(void)
{
    const unsigned long aes = 1ul << 3, pmull = 1ul << 4, sha3 = 1ul << 17, rng = 1ul << 16; /* Linux's hwcap.h */
    const struct cpu cpus[] = {
        {"all of it", ~0ul, ~0ul, 2, NULL},
        {"no RNG", ~0ul, ~rng, 2, NULL},
        {"RNG alone", 0, rng, 0, "this CPU lacks the AES and carry-less multiply (PMULL) instructions"},
        {"the three alone", aes | pmull | sha3, 0, 2, NULL},
        {"no SHA3", ~sha3, ~0ul, 1, NULL},
        {"AES and PMULL alone", aes | pmull, 0, 1, NULL},
        {"no PMULL", ~pmull, ~0ul, 0, "this CPU lacks the carry-less multiply instruction (PMULL)"},
        {"no AES", ~aes, ~0ul, 0, "this CPU lacks the AES instructions"},
        {"neither", ~(aes | pmull), ~0ul, 0, "this CPU lacks the AES and carry-less multiply (PMULL) instructions"},
        {"nothing", 0, 0, 0, "this CPU lacks the AES and carry-less multiply (PMULL) instructions"},
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
        CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return check_done();
}
