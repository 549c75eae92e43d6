/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a sweep find the seams that are in a curve, and no others?
 */
#include "bench.h"

#include <string.h>

enum { SIZES = 200 };

static struct result rows[SIZES];
static const struct algorithm alg = { "none", FAMILY_GCM, 32 };
static const struct peer peer = { .name = "none" };

struct found {
    struct seam seams[8];
    size_t count;
};

static void note(void *arg, const struct seam *s)
{
    struct found *f = arg;

    if (f->count < sizeof f->seams / sizeof *f->seams)
        f->seams[f->count] = *s;
    f->count++;
}

/* A straight line: 100 ns and 0.1 ns a byte. */
static void straight(void)
{
    for (size_t i = 0; i < SIZES; i++)
        rows[i] = (struct result){ .cell = { &alg, OP_SEAL, MODE_THROUGHPUT, i }, .peer = &peer,
                                   .ns = { .q1 = 100 + 0.1 * (double)i } };
}

static void add(size_t from, size_t to, double ns)
{
    for (size_t i = from; i <= to; i++)
        rows[i].ns.q1 += ns;
}

static bool expect(const char *what, const struct seam *wanted, size_t n)
{
    struct results res = { .rows = rows, .count = SIZES };
    struct found f = { .count = 0 };
    bool ok;

    seams_find(&res, 0.1, note, &f);
    ok = f.count == n;
    for (size_t i = 0; i < n && ok; i++)
        ok = f.seams[i].kind == wanted[i].kind && f.seams[i].from == wanted[i].from && f.seams[i].to == wanted[i].to;
    printf("%s: %s\n", what, ok ? "good" : "WRONG");
    for (size_t i = 0; i < f.count && i < 8 && !ok; i++)
        printf("  kind %d from %zu to %zu\n", (int)f.seams[i].kind, f.seams[i].from, f.seams[i].to);
    return ok;
}

int main(void)
{
    bool ok;

    straight();
    ok = expect("a straight line", NULL, 0);

    straight();
    add(70, 70, 90);
    ok &= expect("one disturbed size", NULL, 0);

    straight();
    add(64, SIZES - 1, 20);
    ok &= expect("a step up for good", (struct seam[]){ { .kind = SEAM_STEP, .from = 64, .to = 64 } }, 1);

    straight();
    add(64, SIZES - 1, 8);
    ok &= expect("a step below the share", NULL, 0);

    /* With the neighbours on either side: the first and the last size of the hump are not counted. */
    straight();
    add(97, 111, 40);
    ok &= expect("a hump", (struct seam[]){ { .kind = SEAM_STEP, .from = 97, .to = 97 },
                                            { .kind = SEAM_INVERSION, .from = 98, .to = 110 } }, 2);

    straight();
    add(0, 127, 30);
    rows[64].ns.q1 -= 30;
    ok &= expect("slow until 127, but for one size",
                 (struct seam[]){ { .kind = SEAM_INVERSION, .from = 0, .to = 62 },
                                  { .kind = SEAM_INVERSION, .from = 66, .to = 126 } }, 2);
    return ok ? 0 : 1;
}
