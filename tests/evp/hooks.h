/* SPDX-License-Identifier: Apache-2.0
 *
 * This program's malloc and free, and its getrandom, with a test's hand on them. They are the ones that libcrypto
 * and the module get, too. Under AddressSanitizer the sanitizer's own hooks count and look, and nothing can be made
 * to fail.
 */
#ifndef HWAEAD_TESTS_HOOKS_H
#define HWAEAD_TESTS_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

/* Calls of malloc and its kin, and of free with a pointer, in this thread since the last reset. */
void hooks_reset(void);
size_t hooks_allocations(void);
size_t hooks_frees(void);

/* The block that was allocated last in this thread, and the size that was asked for. */
void *hooks_last(size_t *size);

/* look is called with each block of this thread just before it is freed. NULL: no more. */
void hooks_on_free(void (*look)(const void *block, size_t size));

/* False where allocations cannot be made to fail. */
bool hooks_can_fail(void);

/* The n-th allocation of this thread from now fails, once (1: the next one); 0: none. */
void hooks_fail_at(size_t n);

/* getrandom fails in the whole process while on. */
void hooks_fail_random(bool on);
size_t hooks_random_calls(void);

#endif
