/* SPDX-License-Identifier: Apache-2.0
 *
 * To be preloaded: an AArch64 without AES, as far as a process can ask. Emulators have no such CPU.
 */
#include <dlfcn.h>
#include <sys/auxv.h>

#ifndef HWCAP_AES
#define HWCAP_AES (1ul << 3)
#endif

__attribute__((visibility("default"))) unsigned long getauxval(unsigned long type)
{
    unsigned long (*real)(unsigned long);
    *(void **)&real = dlsym(RTLD_NEXT, "getauxval");
    return type == AT_HWCAP ? real(type) & ~(unsigned long)HWCAP_AES : real(type);
}
