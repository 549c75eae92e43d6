/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 };

/* Threads may check, too; the note is theirs alone. */
static _Thread_local char note[512];
static unsigned long checks, failures;

void check_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(note, sizeof note, format, args);
    va_end(args);
}

static bool count(bool good)
{
    __atomic_fetch_add(&checks, 1, __ATOMIC_RELAXED);
    if (good)
        return false;
    return __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) < SHOWN; /* does it have to be shown? */
}

int check_skip(const char *why)
{
    const char *ci = getenv("CI");
    const bool in_ci = ci != NULL && strcmp(ci, "true") == 0;
    printf("%s: %s\n", in_ci ? "FAIL" : "SKIP", why);
    return in_ci ? 1 : CHECK_SKIP;
}

bool check_count(bool good, const char *file, int line, const char *text)
{
    if (count(good))
        printf("%s:%d: CHECK failed: %s [%s]\n", file, line, text, note);
    return good;
}

bool check_bytes(const void *got, const void *want, size_t n, const char *file, int line, const char *text)
{
    const unsigned char *g = got, *w = want;
    size_t i = 0;
    while (i < n && g[i] == w[i])
        i++;
    if (count(i == n))
        printf("%s:%d: CHECK failed: %s: byte %zu of %zu is %02x, not %02x [%s]\n", file, line, text, i, n,
               g[i],
               w[i], note);
    return i == n;
}

int check_done(void)
{
    printf("%lu checks, %lu failed\n", checks, failures);
    return checks > 0 && failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
