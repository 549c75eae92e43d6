/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done to secrets byte by byte.
 */
#ifndef HWAEAD_CORE_SECRET_H
#define HWAEAD_CORE_SECRET_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Overwrites n bytes with zeros, in a way that the compiler cannot leave out. p may be NULL when n is 0. The
 * fixed steps become plain stores; a memset of a few hundred bytes would become a slow string instruction. */
static inline void secret_wipe(void *p, size_t n)
{
    uint8_t *b = p;
    for (; n >= 64; n -= 64, b += 64) {
        memset(b, 0, 64);
        __asm__ volatile("" : : "r"(b) : "memory"); /* the zeros count as read */
    }
    if (n != 0)
        memset(b, 0, n);
    __asm__ volatile("" : : "r"(b) : "memory");
}

/* 1 when the n bytes are equal, else 0; time depends on n only. Out of line, so that a test can read its code. */
int secret_equal(const uint8_t *a, const uint8_t *b, size_t n);

#endif
