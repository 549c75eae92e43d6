/* SPDX-License-Identifier: Apache-2.0
 *
 * core/cpu_x86.c as it is, on a CPU that says it has less: built into test modules in cpu_x86.c's place.
 */
#include <cpuid.h>

static int poor_cpuid_count(unsigned leaf, unsigned subleaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
    int r = __get_cpuid_count(leaf, subleaf, a, b, c, d);
    if (leaf == 1)
        *c &= ~(unsigned)(HIDE_IN_LEAF_1_ECX);
    if (leaf == 7)
        *c &= ~(unsigned)(HIDE_IN_LEAF_7_ECX);
    return r;
}

static int poor_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
    return poor_cpuid_count(leaf, 0, a, b, c, d);
}

#define __get_cpuid poor_cpuid
#define __get_cpuid_count poor_cpuid_count
#include "cpu_x86.c"
