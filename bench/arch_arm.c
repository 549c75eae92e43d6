/* SPDX-License-Identifier: Apache-2.0
 *
 * AArch64.
 */
#include "arch.h"

#include <string.h>
#include <sys/auxv.h>

#include <asm/hwcap.h>

const hwaead_tier arch_tiers[] = { HWAEAD_TIER_ARMV8_SHA3, HWAEAD_TIER_ARMV8 };
const size_t arch_tier_count = sizeof arch_tiers / sizeof *arch_tiers;

/* ---- The CPU ------------------------------------------------------------------------------------------- */

enum { ARM = 0x41 };

/* Names only what it is sure of. */
static const char *core_name(const struct machine *m)
{
    if (m->family != ARM)
        return "";
    switch (m->model) {
    case 0xd08: return "Cortex-A72";
    case 0xd0c: return "Neoverse N1";
    case 0xd40: return "Neoverse V1";
    case 0xd49: return "Neoverse N2";
    case 0xd4f: return "Neoverse V2";
    default: return "";
    }
}

/* The main ID register, which Linux lets programs read: implementer, part and revision for family, model and stepping. */
void arch_describe(struct machine *m)
{
    uint64_t midr = 0;

    if (getauxval(AT_HWCAP) & HWCAP_CPUID)
        __asm__("mrs %0, midr_el1" : "=r"(midr));
    m->family = (unsigned)(midr >> 24) & 0xff;
    m->model = (unsigned)(midr >> 4) & 0xfff;
    m->stepping = (unsigned)midr & 15;
    snprintf(m->cpu, sizeof m->cpu, "AArch64, implementer %#x part %#x", m->family, m->model);
    snprintf(m->vendor, sizeof m->vendor, "%#x", m->family);
    snprintf(m->core, sizeof m->core, "%s", core_name(m));
}

/* ---- Time ---------------------------------------------------------------------------------------------- */

void arch_reference(uint64_t n)
{
    uint64_t a = 1, b = 2, c = 3, d = 4;

    __asm__ volatile("1:\n\t"
                     ".rept 8\n\t"
                     "add %0, %0, %4\n\t"
                     "add v0.4s, v0.4s, v4.4s\n\t"
                     "add %1, %1, %4\n\t"
                     "add v1.4s, v1.4s, v4.4s\n\t"
                     "add %2, %2, %4\n\t"
                     "add v2.4s, v2.4s, v4.4s\n\t"
                     "add %3, %3, %4\n\t"
                     "add v3.4s, v3.4s, v4.4s\n\t"
                     ".endr\n\t"
                     "subs %4, %4, #1\n\t"
                     "b.ne 1b"
                     : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(n)
                     :
                     : "v0", "v1", "v2", "v3", "v4", "cc");
}

void arch_cycles(uint64_t n)
{
    uint64_t x = 1, y = 3;

    __asm__ volatile("1:\n\t.rept 16\n\tadd %1, %1, %2\n\t.endr\n\tsubs %0, %0, #1\n\tb.ne 1b"
                     : "+r"(n), "+r"(x)
                     : "r"(y)
                     : "cc");
}

uint64_t arch_counter(void)
{
    uint64_t t;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
}
