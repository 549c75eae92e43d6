/* SPDX-License-Identifier: Apache-2.0 */
#include "secret.h"

#include <string.h>

__attribute__((noinline)) void secret_wipe(void *p, size_t n)
{
    if (n == 0)
        return;
    memset(p, 0, n);
    __asm__ volatile("" : : "r"(p) : "memory"); /* the zeros count as read */
}

__attribute__((noinline)) int secret_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint32_t differ = 0;
    for (size_t i = 0; i < n; i++) {
        differ |= (uint32_t)(a[i] ^ b[i]);
        __asm__ volatile("" : "+r"(differ)); /* no early exit */
    }
    return (int)((differ - 1) >> 31);
}
