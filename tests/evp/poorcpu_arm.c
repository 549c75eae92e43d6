/* SPDX-License-Identifier: Apache-2.0
 *
 * core/cpu_arm.c as it is, on a CPU that has less: built into test modules in cpu_arm.c's place.
 */
#include <sys/auxv.h>

static unsigned long poor_auxval(unsigned long type)
{
    unsigned long word = getauxval(type);
    return type == AT_HWCAP ? word & ~(unsigned long)(HIDE_HWCAP) : word;
}

#define getauxval poor_auxval
#include "cpu_arm.c"
