/* SPDX-License-Identifier: Apache-2.0
 *
 * What the machine's AES and multiply ports allow, measured: throughputs and latencies of the instructions,
 * and the time of GCM's own mixture of them with nothing else in the way.
 */
#include "arch.h"

#include <string.h>

enum { STEP = 16, TRIALS = 60 };

static double timed(asm_loop *loop, uint64_t n)
{
    double start = clock_wall_ns();

    loop(n);
    return (clock_wall_ns() - start) / (double)n;
}

static void keep_shortest(double *best, double t)
{
    if (*best == 0 || t < *best)
        *best = t;
}

/* Many trials of each loop, each beside one of the cycle. */
static void measure_width(const struct limit_width *w, double ns[LIMIT_LOOPS], double *cycle_ns)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        for (size_t i = 0; i < LIMIT_LOOPS; i++) {
            keep_shortest(cycle_ns, timed(arch_cycles, 8000) / STEP);
            keep_shortest(&ns[i], timed(w->loop[i], i < 6 ? 4000 : 500));
        }
    }
}

static bool runs(hwaead_tier tier)
{
    for (size_t i = 0; hwaead_tier_runnable(i) != HWAEAD_TIER_AUTO; i++)
        if (hwaead_tier_runnable(i) == tier)
            return arch_runs_loops(tier);
    return false;
}

/* GCM-SIV seals in two passes of different work, so that their times add up. */
static void derive(struct tier_limits *t, const double ns[LIMIT_LOOPS], double cycle_ns, double vectors)
{
    double *instructions[] = { &t->aes, &t->clmul, &t->logic, &t->shuffle, &t->aes_latency,
                               &t->clmul_latency };

    for (size_t i = 0; i < 6; i++)
        *instructions[i] = ns[i] / STEP / cycle_ns;
    for (size_t k = 0; k < 3; k++) {
        t->school[k] = ns[6 + k] / 4 / cycle_ns;
        t->karatsuba[k] = ns[9 + k] / 4 / cycle_ns;
        t->all[k] = ns[12 + k] / 4 / cycle_ns;
        t->block_aes[k] = (double)(10 + 2 * k) * t->aes * vectors / 16;
        t->siv_school[k] = 4 * t->block_aes[k] + (4 * vectors + 2) * t->clmul / 4;
        t->siv_karatsuba[k] = 4 * t->block_aes[k] + (3 * vectors + 2) * t->clmul / 4;
    }
}

void limits_measure(struct limits *l)
{
    for (int trial = 0; trial < TRIALS; trial++)
        keep_shortest(&l->cycle_ns, timed(arch_cycles, 8000) / STEP);
    for (size_t i = 0; i < limit_width_count; i++) {
        hwaead_tier tier = limit_widths[i].tier;

        l->tier[tier].known = runs(tier);
        if (l->tier[tier].known)
            measure_width(&limit_widths[i], l->ns[tier], &l->cycle_ns);
    }
    for (size_t i = 0; i < limit_width_count; i++) {
        hwaead_tier tier = limit_widths[i].tier;

        if (l->tier[tier].known)
            derive(&l->tier[tier], l->ns[tier], l->cycle_ns, limit_widths[i].vectors);
    }
}

bool limits_known(const struct limits *l)
{
    for (size_t i = 0; i < LIMIT_TIERS; i++)
        if (l->tier[i].known)
            return true;
    return false;
}

/* Schoolbook, one more block than the text has for J0 and the lengths. The longest path of one message that
 * waits for another's tag is at least the AES rounds, three multiplies (one by H, two that reduce) and six
 * single steps: the first round key, the text, two byte reversals, and the sums before and after reducing. */
static double gcm_limit(const struct tier_limits *t, const struct cell *cell, double *path)
{
    size_t k = (cell->alg->key_len - 16) / 8, blocks = (cell->size + 15) / 16 + 1;
    double rounds = (double)cell->alg->key_len / 4 + 6;

    *path = rounds * t->aes_latency + 3 * t->clmul_latency + 6;
    return t->school[k] * (double)blocks / 4;
}

/* One more block again, for the tag and the lengths; before it the blocks that derive the message's keys, and
 * one AES instruction for each step of the message key's schedule. The path goes through AES twice, for the
 * keys and for the tag; a message that is opened brings its tag along, so the text waits for no multiply. */
static double siv_limit(const struct tier_limits *t, const struct cell *cell, double *path)
{
    static const double steps[] = { 10, 8, 13 };
    size_t k = (cell->alg->key_len - 16) / 8, blocks = (cell->size + 15) / 16 + 1;
    double rounds = (double)cell->alg->key_len / 4 + 6;
    double keys = (double)(4 + k) * t->block_aes[k] + steps[k] * t->aes;
    bool seals = cell->op == OP_SEAL;

    *path = 2 * rounds * t->aes_latency + (seals ? 3 * t->clmul_latency + 6 : 4);
    return (seals ? t->siv_school[k] : t->school[k]) * (double)blocks / 4 + keys;
}

static double tier_limit_ns(const struct limits *l, const struct tier_limits *t, const struct cell *cell)
{
    bool siv = cell->alg->family == FAMILY_SIV;
    double path, bulk = siv ? siv_limit(t, cell, &path) : gcm_limit(t, cell, &path);

    return (cell->mode == MODE_LATENCY && path > bulk ? path : bulk) * l->cycle_ns;
}

static double sized_limit_ns(const struct limits *l, hwaead_tier tier, const struct cell *cell)
{
    double least = 0;

    for (size_t i = 1; i < LIMIT_TIERS; i++)
        if (l->tier[i].known && (tier == HWAEAD_TIER_AUTO || tier == (hwaead_tier)i))
            keep_shortest(&least, tier_limit_ns(l, &l->tier[i], cell));
    return least;
}

double limit_ns(const struct limits *l, hwaead_tier tier, const struct cell *cell)
{
    struct cell one = *cell;
    double sum = 0;

    if (cell->op != OP_SEAL && cell->op != OP_OPEN)
        return 0;
    if (cell->mode != MODE_MIX)
        return sized_limit_ns(l, tier, cell);
    for (size_t i = 0; i < MIX_COUNT; i++) {
        one.size = mix_lengths()[i];
        sum += sized_limit_ns(l, tier, &one);
    }
    return sum / MIX_COUNT;
}
