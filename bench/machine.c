/* SPDX-License-Identifier: Apache-2.0
 *
 * What machine, kernel and compiler this is. No host name, no paths.
 */
#include "bench.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cpuid.h>

#ifdef __clang__
# define COMPILER "clang " __clang_version__
#else
# define COMPILER "gcc " __VERSION__
#endif

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

void machine_describe(struct machine *m)
{
    struct utsname u;
    size_t n = 0;

    memset(m, 0, sizeof *m);
    read_cpuid(m);
    snprintf(m->core, sizeof m->core, "%s", core_name(m));
    m->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&u) == 0)
        snprintf(m->kernel, sizeof m->kernel, "%.16s %.64s", u.sysname, u.release);
    for (size_t i = 0; hwaead_tier_runnable(i) != HWAEAD_TIER_AUTO && n < sizeof m->tiers; i++)
        n += (size_t)snprintf(m->tiers + n, sizeof m->tiers - n, "%s%s", i ? ", " : "",
                              hwaead_tier_name(hwaead_tier_runnable(i)));
    snprintf(m->compiler, sizeof m->compiler, "%s", COMPILER);
}
