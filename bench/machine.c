/* SPDX-License-Identifier: Apache-2.0
 *
 * What machine, kernel and compiler this is. No host name, no paths.
 */
#include "arch.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __clang__
# define COMPILER "clang " __clang_version__
#else
# define COMPILER "gcc " __VERSION__
#endif

void machine_describe(struct machine *m)
{
    struct utsname u;
    size_t n = 0;

    memset(m, 0, sizeof *m);
    arch_describe(m);
    m->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&u) == 0)
        snprintf(m->kernel, sizeof m->kernel, "%.16s %.64s", u.sysname, u.release);
    for (size_t i = 0; hwaead_tier_runnable(i) != HWAEAD_TIER_AUTO && n < sizeof m->tiers; i++)
        n += (size_t)snprintf(m->tiers + n, sizeof m->tiers - n, "%s%s", i ? ", " : "",
                              hwaead_tier_name(hwaead_tier_runnable(i)));
    snprintf(m->compiler, sizeof m->compiler, "%s", COMPILER);
}
