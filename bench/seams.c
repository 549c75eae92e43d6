/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a curve of time over size jumps, or falls.
 */
#include "bench.h"

#include <stdlib.h>

/* The curve of one peer: its results by ascending size, and their lower quartiles, which whatever disturbs a short
 * repetition disturbs least. A disturbance only ever adds time: so what counts as slow is the least of SIDE neighbouring
 * sizes. */
enum { SIDE = 3 };

struct curve {
    const struct result *row[MAX_SIZES];
    double ns[MAX_SIZES];
    size_t n;
};

static bool same_curve(const struct result *a, const struct result *b)
{
    return a->peer == b->peer && a->cell.alg == b->cell.alg && a->cell.op == b->cell.op
           && a->cell.mode == b->cell.mode;
}

/* A plan's sizes ascend in a sweep, and so do the results of each peer. */
static void take_curve(struct curve *c, const struct results *res, const struct result *like)
{
    c->n = 0;
    for (size_t i = 0; i < res->count && c->n < MAX_SIZES; i++)
        if (same_curve(&res->rows[i], like)) {
            c->row[c->n] = &res->rows[i];
            c->ns[c->n++] = res->rows[i].ns.q1;
        }
}

static double least(const double *x, size_t n)
{
    double low = x[0];

    for (size_t i = 1; i < n; i++)
        low = x[i] < low ? x[i] : low;
    return low;
}

static double most(const double *x, size_t n)
{
    double high = x[0];

    for (size_t i = 1; i < n; i++)
        high = x[i] > high ? x[i] : high;
    return high;
}

static void steps(const struct curve *c, double share, seam_fn *each, void *arg)
{
    for (size_t i = SIDE; i + SIDE <= c->n; i++) {
        double before = most(c->ns + i - SIDE, SIDE), after = least(c->ns + i, SIDE);
        size_t size = c->row[i]->cell.size;

        if (after > (1 + share) * before)
            each(arg, &(struct seam){ c->row[i], SEAM_STEP, size, size, size, c->row[i - 1]->cell.size,
                                      after, before });
    }
}

/* Runs of sizes that are slower than some longer one, each told by its worst. */
static void inversions(const struct curve *c, double share, seam_fn *each, void *arg)
{
    static size_t best[MAX_SIZES]; /* of all sizes from here on, the one that takes least */
    struct seam s = { 0 };
    double worst = 0;

    for (size_t i = c->n; i-- > 0;)
        best[i] = i + 1 < c->n && c->ns[best[i + 1]] < c->ns[i] ? best[i + 1] : i;
    for (size_t i = 0; i < c->n; i++) {
        size_t window = i == 0 ? 0 : i + 1 == c->n ? i + 1 - SIDE : i - 1;
        double ns = least(c->ns + window, SIDE), ratio = ns / c->ns[best[i]];

        if (ratio > 1 + share && ratio > worst) {
            worst = ratio;
            s.at = c->row[i]->cell.size;
            s.other = c->row[best[i]]->cell.size;
            s.ns = ns;
            s.other_ns = c->ns[best[i]];
        }
        if (ratio > 1 + share) {
            s.from = s.of != NULL ? s.from : c->row[i]->cell.size;
            s.to = c->row[i]->cell.size;
            s.of = c->row[i];
        }
        if (s.of != NULL && (ratio <= 1 + share || i + 1 == c->n)) {
            s.kind = SEAM_INVERSION;
            each(arg, &s);
            s = (struct seam){ 0 };
            worst = 0;
        }
    }
}

static bool first_of_curve(const struct results *res, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (same_curve(&res->rows[j], &res->rows[i]))
            return false;
    return true;
}

void seams_find(const struct results *res, double share, seam_fn *each, void *arg)
{
    static struct curve c;

    for (size_t i = 0; i < res->count; i++) {
        if (!cell_sized(res->rows[i].cell.op, res->rows[i].cell.mode) || !first_of_curve(res, i))
            continue;
        take_curve(&c, res, &res->rows[i]);
        if (c.n < 2 * SIDE)
            continue;
        steps(&c, share, each, arg);
        inversions(&c, share, each, arg);
    }
}
