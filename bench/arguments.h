/* SPDX-License-Identifier: Apache-2.0
 *
 * What a command line is refused for: one line on stderr, exit code 2.
 */
#ifndef HWAEAD_BENCH_ARGUMENTS_H
#define HWAEAD_BENCH_ARGUMENTS_H

_Noreturn void bad(const char *what, const char *value);

/* The whole text as a decimal number from min to max; else it is bad. */
unsigned long number(const char *text, unsigned long min, unsigned long max, const char *what);

#endif
