/* SPDX-License-Identifier: Apache-2.0
 *
 * What a test program needs to be able to fail. main ends with `return check_done();`.
 */
#ifndef HWAEAD_TESTS_CHECK_H
#define HWAEAD_TESTS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

enum { CHECK_SKIP = 77 }; /* CTest's SKIP_RETURN_CODE in this project */

/* Counts one check. When cond is false: prints place, text and check_note, counts a failure, goes on. */
#define CHECK(cond) check_count((cond) ? true : false, __FILE__, __LINE__, #cond)

/* The same for two byte strings; prints where they differ first. */
#define CHECK_BYTES(got, want, n) check_bytes((got), (want), (n), __FILE__, __LINE__, #got " == " #want)

bool check_count(bool good, const char *file, int line, const char *text);
bool check_bytes(const void *got, const void *want, size_t n, const char *file, int line, const char *text);

/* What is being tested, printed with each failure after it ("key 32, text 17"): printf style. */
void check_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For main to return when something is missing that CI must have: says why; CHECK_SKIP, or 1 with CI=true. What CI
 * cannot help, a tier that this CPU cannot run, returns CHECK_SKIP itself. */
int check_skip(const char *why);

/* Prints the totals; 0 when there were checks and all were good, else 1. */
int check_done(void);

#endif
