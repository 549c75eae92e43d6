/* SPDX-License-Identifier: Apache-2.0
 *
 * The rounds in which peers take turns.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

struct bench {
    const struct plan *plan;
    struct calm calm;
    struct stand *stand;
    struct crew crews[MAX_PEERS];
    size_t ncrews;
    struct results *res;
    struct progress *progress;
};

/* One peer in one cell. */
struct slot {
    const struct crew *crew;
    uint64_t reps;
    double *ns; /* one for each round */
    unsigned redone, slowed;
    bool out; /* of this cell */
};

/* ---- One repetition ------------------------------------------------------------------------------------ */

static uint64_t calibrate(struct bench *b, const struct slot *s, const struct cell *cell, bool *ok)
{
    uint64_t n = 1;
    double t;

    while ((t = stand_time(b->stand, s->crew, cell, n, ok)) < b->plan->rep_ns / 8 && *ok)
        n *= 2;
    return (uint64_t)((double)n * b->plan->rep_ns * 1.05 / t) + 1;
}

/* Between two looks at the reference loop, again until both find the machine at full speed. */
static bool repetition(struct bench *b, struct slot *s, const struct cell *cell, unsigned round)
{
    bool ok = stand_prepare(b->stand, s->crew, cell);

    while (ok) {
        bool calm = calm_wait(&b->calm);
        double start = clock_wall_ns();

        s->ns[round] = stand_time(b->stand, s->crew, cell, s->reps, &ok) / (double)s->reps;
        calm &= calm_now(&b->calm);
        if (!calm && b->calm.patience > 0) {
            b->calm.patience -= clock_wall_ns() - start;
            s->redone++;
            continue;
        }
        s->slowed += !calm;
        return ok;
    }
    return ok;
}

/* ---- A group: all sizes of one operation in one mode ----------------------------------------------------- */

static bool failed(const struct slot *s, const struct cell *cell)
{
    fprintf(stderr, "hwaead-bench: %s failed at %s of %zu bytes with %s\n", s->crew->peer->name,
            op_names[cell->op], cell->size, cell->alg->name);
    return false;
}

static bool ready_slot(struct bench *b, struct slot *s, const struct crew *crew, const struct cell *cell)
{
    bool ok = true;

    s->crew = crew;
    s->out = crew->peer->no_empty && cell_sized(cell->op, cell->mode) && cell->size == 0;
    if (s->out)
        return true;
    ok = stand_prepare(b->stand, crew, cell);
    s->reps = ok ? calibrate(b, s, cell, &ok) : 0;
    return ok || failed(s, cell);
}

/* Each size in its turn, and in it each peer, in every other round from the last to the first. */
static bool run_round(struct bench *b, struct slot *slots, const struct cell *cells, size_t ncells, unsigned round)
{
    for (size_t i = 0; i < ncells; i++) {
        for (size_t j = 0; j < b->ncrews; j++) {
            struct slot *s = &slots[i * b->ncrews + (round % 2 ? b->ncrews - 1 - j : j)];

            if (!s->out && !repetition(b, s, &cells[i], round))
                return failed(s, &cells[i]);
        }
        progress_step(b->progress, &cells[i], b->calm.slowed);
    }
    return true;
}

static void keep(struct results *res, const struct cell *cell, const struct slot *s, unsigned rounds)
{
    if (res->count == res->room) {
        res->room = res->room ? 2 * res->room : 256;
        res->rows = realloc(res->rows, res->room * sizeof *res->rows);
        if (res->rows == NULL)
            abort();
    }
    res->rows[res->count++] = (struct result){ .cell = *cell, .peer = s->crew->peer, .ns = spread_of(s->ns, rounds),
                                               .reps = s->reps, .redone = s->redone, .slowed = s->slowed };
    res->redone += s->redone;
    res->slowed += s->slowed;
}

static bool run_group(struct bench *b, const struct cell *cells, size_t ncells)
{
    unsigned rounds = b->plan->rounds;
    size_t n = ncells * b->ncrews;
    struct slot *slots = calloc(n, sizeof *slots);
    double *ns = calloc(n * rounds, sizeof *ns);
    bool ok = true;

    if (slots == NULL || ns == NULL)
        abort();
    for (size_t i = 0; i < n && ok; i++) {
        slots[i].ns = ns + i * rounds;
        ok = ready_slot(b, &slots[i], &b->crews[i % b->ncrews], &cells[i / b->ncrews]);
    }
    for (unsigned round = 0; round < rounds && ok; round++)
        ok = run_round(b, slots, cells, ncells, round);
    for (size_t i = 0; i < n && ok; i++)
        if (!slots[i].out)
            keep(b->res, &cells[i / b->ncrews], &slots[i], rounds);
    free(slots);
    free(ns);
    return ok;
}

/* ---- All groups ---------------------------------------------------------------------------------------- */

static bool run_groups(struct bench *b, const struct algorithm *alg)
{
    static struct cell cells[MAX_SIZES];
    bool ok = true;

    for (int op = 0; op < OP_COUNT; op++) {
        for (int mode = 0; mode < MODE_COUNT && ok; mode++) {
            size_t n = plan_cells(b->plan, (enum op)op, (enum mode)mode);
            bool sized = cell_sized((enum op)op, (enum mode)mode);

            for (size_t i = 0; i < n; i++)
                cells[i] = (struct cell){ alg, (enum op)op, (enum mode)mode, sized ? b->plan->sizes[i] : 0 };
            ok = n == 0 || b->ncrews == 0 || run_group(b, cells, n);
        }
    }
    return ok;
}

/* The first peer that works is what the others are compared with. */
static bool check_crews(struct bench *b, const struct job *job)
{
    const struct peer *ref = NULL;
    bool ok = true;

    for (size_t i = 0; i < b->ncrews && ok; i++) {
        const struct peer *p = b->crews[i].peer;

        if (p->hollow)
            continue;
        if (ref == NULL && !p->context)
            ref = p;
        ok = peer_check(p, p->context ? p : ref, job, b->plan->sizes, b->plan->nsizes);
    }
    return ok;
}

static bool run_algorithm(struct bench *b, const struct algorithm *alg, struct peer *peers, size_t npeers)
{
    bool ok;

    b->stand = stand_new(alg, b->plan);
    b->ncrews = 0;
    for (size_t i = 0; i < npeers; i++) {
        peers[i].absent = crew_setup(&b->crews[b->ncrews], &peers[i], stand_job(b->stand), b->plan->threads);
        b->ncrews += peers[i].absent == NULL;
    }
    ok = check_crews(b, stand_job(b->stand)) && run_groups(b, alg);
    while (b->ncrews > 0)
        crew_teardown(&b->crews[--b->ncrews]);
    stand_free(b->stand);
    return ok;
}

static bool nothing_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                         size_t len)
{
    (void)out, (void)tag, (void)nonce, (void)in, (void)len;
    return state == NULL;
}

static double harness_ns(const struct plan *plan)
{
    struct plan alone = *plan;
    struct peer nothing = { .name = "nothing", .seal = nothing_seal };
    struct crew crew = { .peer = &nothing, .count = 1 };
    struct cell cell = { plan->algs[0], OP_SEAL, MODE_THROUGHPUT, 0 };
    struct stand *stand;
    double ns[9];
    uint64_t n = 1000000;
    bool ok = true;

    alone.threads = 1;
    stand = stand_new(plan->algs[0], &alone);
    for (size_t i = 0; i < 9; i++)
        ns[i] = stand_time(stand, &crew, &cell, n, &ok) / (double)n;
    stand_free(stand);
    return spread_of(ns, 9).median;
}

bool measure(const struct plan *plan, struct peer *peers, size_t npeers, struct results *res,
             struct progress *progress)
{
    static struct bench b;
    bool ok = true;

    b.plan = plan;
    b.res = res;
    b.progress = progress;
    calm_init(&b.calm, plan->tolerance, plan->patience_s);
    res->harness_ns = harness_ns(plan);
    for (size_t i = 0; i < plan->nalgs && ok; i++)
        ok = run_algorithm(&b, plan->algs[i], peers, npeers);
    progress_end(progress);
    return ok;
}
