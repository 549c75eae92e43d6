/* SPDX-License-Identifier: Apache-2.0 */
#include "secret.h"

#include "bytes.h"

__attribute__((noinline)) int secret_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint64_t differ = 0;
    for (; n >= 8; n -= 8, a += 8, b += 8)
        differ |= load_le64(a) ^ load_le64(b);
    differ |= load_part(a, n).lo ^ load_part(b, n).lo;
    __asm__("" : "+r"(differ)); /* no early exit can be made of what follows */
    return (int)(((differ | (0 - differ)) >> 63) ^ 1);
}
