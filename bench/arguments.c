/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void bad(const char *what, const char *value)
{
    fprintf(stderr, "%s: %s: %s (see --help)\n", program_invocation_short_name, what, value);
    exit(2);
}

unsigned long number(const char *text, unsigned long min, unsigned long max, const char *what)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (end == text || *end != '\0' || n < min || n > max)
        bad(what, text);
    return n;
}
