/* SPDX-License-Identifier: Apache-2.0
 *
 * x86-64.
 */
#include "arch.h"

#include <string.h>

#include <cpuid.h>

const hwaead_tier arch_tiers[] = { HWAEAD_TIER_VAES512, HWAEAD_TIER_VAES256, HWAEAD_TIER_AESNI };
const size_t arch_tier_count = sizeof arch_tiers / sizeof *arch_tiers;

/* ---- The CPU ------------------------------------------------------------------------------------------- */

static void copy_trimmed(char *out, size_t size, const char *in)
{
    size_t n;

    in += strspn(in, " ");
    snprintf(out, size, "%s", in);
    for (n = strlen(out); n > 0 && out[n - 1] == ' '; n--)
        out[n - 1] = '\0';
}

static void read_cpuid(struct machine *m)
{
    unsigned r[4] = { 0 }, text[13] = { 0 };

    __cpuid(0, r[0], text[0], text[2], text[1]);
    memcpy(m->vendor, text, 12);
    __cpuid(1, r[0], r[1], r[2], r[3]);
    m->stepping = r[0] & 15;
    m->model = (r[0] >> 4) & 15;
    m->family = (r[0] >> 8) & 15;
    if (m->family == 6 || m->family == 15)
        m->model |= (r[0] >> 12) & 0xf0;
    if (m->family == 15)
        m->family += (r[0] >> 20) & 0xff;
    if (r[2] >> 31) {
        memset(text, 0, sizeof text);
        __cpuid(0x40000000, r[0], text[0], text[1], text[2]);
        memcpy(m->hypervisor, text, 12);
        if (strcmp(m->hypervisor, "KVMKVMKVM") == 0)
            strcpy(m->hypervisor, "KVM");
    }
    memset(text, 0, sizeof text);
    if ((unsigned)__get_cpuid_max(0x80000000, NULL) >= 0x80000004)
        for (unsigned i = 0; i < 3; i++)
            __cpuid(0x80000002 + i, text[4 * i], text[4 * i + 1], text[4 * i + 2], text[4 * i + 3]);
    copy_trimmed(m->cpu, sizeof m->cpu, (const char *)text);
}

/* Names only what it is sure of. */
static const char *core_name(const struct machine *m)
{
    if (strcmp(m->vendor, "AuthenticAMD") == 0 && m->family == 26)
        return "Zen 5";
    if (strcmp(m->vendor, "AuthenticAMD") == 0 && m->family == 25)
        return (m->model & 0xf0) == 0x10 || (m->model >= 0x60 && m->model < 0x80) || (m->model & 0xf0) == 0xa0
                   ? "Zen 4" : "Zen 3";
    if (strcmp(m->vendor, "AuthenticAMD") == 0 && m->family == 23)
        return m->model >= 0x30 ? "Zen 2" : "Zen";
    if (strcmp(m->vendor, "GenuineIntel") == 0 && m->family == 6)
        switch (m->model) {
        case 0x6a: case 0x6c: return "Ice Lake server";
        case 0x8f: return "Sapphire Rapids";
        case 0xcf: return "Emerald Rapids";
        case 0xad: case 0xae: return "Granite Rapids";
        default: break;
        }
    return "";
}

void arch_describe(struct machine *m)
{
    read_cpuid(m);
    snprintf(m->core, sizeof m->core, "%s", core_name(m));
}

/* ---- Time ---------------------------------------------------------------------------------------------- */

void arch_reference(uint64_t n)
{
    uint64_t a = 1, b = 2, c = 3, d = 4;

    __asm__ volatile("1:\n\t"
                     ".rept 8\n\t"
                     "add %4, %0\n\t"
                     "paddd %%xmm4, %%xmm0\n\t"
                     "add %4, %1\n\t"
                     "paddd %%xmm4, %%xmm1\n\t"
                     "add %4, %2\n\t"
                     "paddd %%xmm4, %%xmm2\n\t"
                     "add %4, %3\n\t"
                     "paddd %%xmm4, %%xmm3\n\t"
                     ".endr\n\t"
                     "dec %4\n\t"
                     "jnz 1b"
                     : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(n)
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "cc");
}

void arch_cycles(uint64_t n)
{
    uint64_t x = 1, y = 3;

    __asm__ volatile("1:\n\t" ".rept 16\n\tadd %2, %1\n\t.endr\n\t" "dec %0\n\tjnz 1b"
                     : "+r"(n), "+r"(x)
                     : "r"(y)
                     : "cc");
}

uint64_t arch_counter(void)
{
    return __builtin_ia32_rdtsc();
}
