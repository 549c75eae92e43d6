/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done to secrets byte by byte: out of line, and nothing else is (tests disassemble it).
 */
#ifndef HWAEAD_CORE_SECRET_H
#define HWAEAD_CORE_SECRET_H

#include <stddef.h>
#include <stdint.h>

/* Overwrites n bytes with zeros, in a way that the compiler cannot leave out. p may be NULL when n is 0. */
void secret_wipe(void *p, size_t n);

/* 1 when the n bytes are equal, else 0; time depends on n only. */
int secret_equal(const uint8_t *a, const uint8_t *b, size_t n);

/* Fills out with n random bytes of the OS; 0 on failure, with out zeroed. (entropy.c) */
int os_random(uint8_t *out, size_t n);

#endif
