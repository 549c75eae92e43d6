/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops that are timed, and the rounds in which peers take turns.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { RING = 64, NONCE_STRIDE = 16 };

/* Sealing takes its nonces, and key set-up its keys, in turn from a ring made beforehand: a nonce that was
 * written a moment ago would make some loads wait for the store and serialise calls that are independent. */
struct bench {
    const struct plan *plan;
    struct calm calm;
    struct job job;
    uint8_t aad[64];
    uint8_t keys[RING][KEY_MAX];
    uint8_t nonces[RING][NONCE_STRIDE];
    uint8_t tags[2][TAG_LEN];
    uint8_t *text, *sealed, *out, *memory;
};

struct slot {
    struct peer *peer;
    uint64_t reps;
    double ns[MAX_ROUNDS];
    unsigned redone, slowed;
    bool out; /* of this cell */
};

/* ---- The loops ----------------------------------------------------------------------------------------- */

typedef bool loop_fn(struct bench *b, const struct peer *p, size_t len, uint64_t n);

static bool loop_seal(struct bench *b, const struct peer *p, size_t len, uint64_t n)
{
    bool ok = true;

    for (uint64_t i = 0; i < n; i++)
        ok &= p->seal(p->state, b->out, b->tags[0], b->nonces[i % RING], b->text, len);
    return ok;
}

/* Each nonce is the first bytes of the tag before it. */
static bool loop_seal_chained(struct bench *b, const struct peer *p, size_t len, uint64_t n)
{
    bool ok = true;

    for (uint64_t i = 0; i < n; i++)
        ok &= p->seal(p->state, b->out, b->tags[i & 1], b->tags[~i & 1], b->text, len);
    return ok;
}

/* One sealed message again and again, at nonces[0]. */
static bool loop_open(struct bench *b, const struct peer *p, size_t len, uint64_t n)
{
    bool ok = true;

    for (uint64_t i = 0; i < n; i++)
        ok &= p->open(p->state, b->out, b->tags[0], b->nonces[0], b->sealed, len);
    return ok;
}

/* The address of each nonce comes from the last byte opened before it, which is always the same byte. */
static bool loop_open_chained(struct bench *b, const struct peer *p, size_t len, uint64_t n)
{
    const volatile uint8_t *last = len > 0 ? b->out + len - 1 : b->out;
    uint8_t same = *last;
    bool ok = true;

    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *nonce = b->nonces[(uint8_t)(*last ^ same) % RING];

        ok &= p->open(p->state, b->out, b->tags[0], nonce, b->sealed, len);
    }
    return ok;
}

static bool loop_key(struct bench *b, const struct peer *p, size_t len, uint64_t n)
{
    bool ok = true;

    (void)len;
    for (uint64_t i = 0; i < n; i++)
        ok &= p->key(p->state, b->keys[i % RING]);
    return ok;
}

static bool loop_rekey(struct bench *b, const struct peer *p, size_t len, uint64_t n)
{
    bool ok = true;

    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *key = b->keys[i % RING], *nonce = b->nonces[i % RING];

        if (p->rekey != NULL)
            ok &= p->rekey(p->state, key, b->out, b->tags[0], nonce, b->text, len);
        else
            ok &= p->key(p->state, key) && p->seal(p->state, b->out, b->tags[0], nonce, b->text, len);
    }
    return ok;
}

static loop_fn *const loops[OP_COUNT][MODE_COUNT] = {
    [OP_SEAL] = { loop_seal, loop_seal_chained },
    [OP_OPEN] = { loop_open, loop_open_chained },
    [OP_KEY] = { loop_key, NULL },
    [OP_REKEY] = { loop_rekey, NULL },
};

static double timed(struct bench *b, const struct peer *p, const struct cell *cell, uint64_t n, bool *ok)
{
    loop_fn *loop = loops[cell->op][cell->mode];
    double start = clock_cpu_ns();

    *ok &= loop(b, p, cell->size, n);
    return clock_cpu_ns() - start;
}

/* ---- One cell ------------------------------------------------------------------------------------------ */

/* The key of the job is set again, and what is opened is sealed by the peer itself. */
static bool prepare(struct bench *b, const struct peer *p, const struct cell *cell)
{
    size_t len = cell->op == OP_KEY ? 16 : cell->size;
    bool ok = p->key(p->state, b->job.key)
              && p->seal(p->state, b->sealed, b->tags[0], b->nonces[0], b->text, len);

    memcpy(b->tags[1], b->tags[0], TAG_LEN);
    if (ok && cell->op == OP_OPEN)
        ok = p->open(p->state, b->out, b->tags[0], b->nonces[0], b->sealed, cell->size);
    return ok;
}

static uint64_t calibrate(struct bench *b, const struct peer *p, const struct cell *cell, bool *ok)
{
    uint64_t n = 1;
    double t;

    while ((t = timed(b, p, cell, n, ok)) < b->plan->rep_ns / 8 && *ok)
        n *= 2;
    return (uint64_t)((double)n * b->plan->rep_ns * 1.05 / t) + 1;
}

/* One repetition between two looks at the reference loop, again until both find the machine at full speed. */
static bool repetition(struct bench *b, struct slot *s, const struct cell *cell, unsigned round)
{
    bool ok = prepare(b, s->peer, cell);

    while (ok) {
        bool calm = calm_wait(&b->calm);
        double start = clock_wall_ns();

        s->ns[round] = timed(b, s->peer, cell, s->reps, &ok) / (double)s->reps;
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

static void keep(struct results *res, const struct cell *cell, struct slot *s, unsigned rounds)
{
    if (res->count == res->room) {
        res->room = res->room ? 2 * res->room : 256;
        res->rows = realloc(res->rows, res->room * sizeof *res->rows);
        if (res->rows == NULL)
            abort();
    }
    res->rows[res->count++] = (struct result){ .cell = *cell, .peer = s->peer, .ns = spread_of(s->ns, rounds),
                                               .reps = s->reps, .redone = s->redone, .slowed = s->slowed };
    res->redone += s->redone;
    res->slowed += s->slowed;
}

static bool failed(const struct peer *p, const struct cell *cell)
{
    fprintf(stderr, "hwaead-bench: %s failed at %s of %zu bytes with %s\n", p->name, op_names[cell->op],
            cell->size, cell->alg->name);
    return false;
}

static bool run_cell(struct bench *b, const struct cell *cell, struct slot *slots, size_t nslots,
                     struct results *res, struct progress *progress)
{
    unsigned rounds = b->plan->rounds;

    for (size_t i = 0; i < nslots; i++) {
        bool ok;

        slots[i].out = slots[i].peer->no_empty && cell->op != OP_KEY && cell->size == 0;
        if (slots[i].out)
            continue;
        ok = prepare(b, slots[i].peer, cell);
        slots[i].redone = slots[i].slowed = 0;
        slots[i].reps = ok ? calibrate(b, slots[i].peer, cell, &ok) : 0;
        if (!ok)
            return failed(slots[i].peer, cell);
    }
    for (unsigned round = 0; round < rounds; round++) {
        progress_step(progress, cell, round, rounds, res->redone);
        for (size_t i = 0; i < nslots; i++) {
            struct slot *s = &slots[round % 2 ? nslots - 1 - i : i];

            if (!s->out && !repetition(b, s, cell, round))
                return failed(s->peer, cell);
        }
    }
    for (size_t i = 0; i < nslots; i++)
        if (!slots[i].out)
            keep(res, cell, &slots[i], rounds);
    progress_cell_done(progress);
    return true;
}

/* ---- All cells ----------------------------------------------------------------------------------------- */

static bool run_cells(struct bench *b, struct slot *slots, size_t nslots, struct results *res,
                      struct progress *progress)
{
    const struct plan *plan = b->plan;
    bool ok = true;

    for (int op = 0; op < OP_COUNT; op++) {
        for (int mode = 0; mode < MODE_COUNT; mode++) {
            size_t nsizes = op == OP_KEY ? 1 : plan->nsizes;

            if (!plan->ops[op] || !plan->modes[mode] || loops[op][mode] == NULL)
                continue;
            for (size_t i = 0; i < nsizes && ok; i++) {
                size_t size = op == OP_KEY ? 0 : plan->sizes[i];
                struct cell cell = { b->job.alg, (enum op)op, (enum mode)mode, size };

                ok = run_cell(b, &cell, slots, nslots, res, progress);
            }
        }
    }
    return ok;
}

static bool run_algorithm(struct bench *b, struct peer *peers, size_t npeers, struct results *res,
                          struct progress *progress)
{
    struct slot *slots = calloc(npeers, sizeof *slots);
    const struct peer *ref = NULL;
    size_t n = 0;
    bool ok = slots != NULL;

    for (size_t i = 0; i < npeers && ok; i++) {
        struct peer *p = &peers[i];

        p->absent = p->setup(p, &b->job);
        if (p->absent != NULL)
            continue;
        slots[n++].peer = p;
        if (p->hollow)
            continue;
        ref = ref == NULL ? p : ref;
        ok = peer_check(p, ref, &b->job, b->plan->sizes, b->plan->nsizes);
    }
    ok = ok && run_cells(b, slots, n, res, progress);
    while (n > 0) {
        n--;
        slots[n].peer->teardown(slots[n].peer);
    }
    free(slots);
    return ok;
}

static bool nothing_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                         size_t len)
{
    (void)out, (void)tag, (void)nonce, (void)in, (void)len;
    return state == NULL;
}

/* Volatile, so that the compiler cannot see through the call. */
static double harness_ns(struct bench *b)
{
    static const volatile struct peer hidden = { .name = "nothing", .seal = nothing_seal };
    struct peer nothing = { .seal = hidden.seal, .state = hidden.state };
    double ns[9];
    uint64_t n = 1000000;

    for (size_t i = 0; i < 9; i++) {
        double start = clock_cpu_ns();

        (void)loop_seal(b, &nothing, 0, n);
        ns[i] = (clock_cpu_ns() - start) / (double)n;
    }
    return spread_of(ns, 9).median;
}

static size_t round_up(size_t n)
{
    return (n + 4095) / 4096 * 4096;
}

/* The output lies half a page from the input, so that its stores never look like the input's loads. */
static bool buffers_init(struct bench *b)
{
    size_t longest = 0, room;
    uint32_t x = 1;

    for (size_t i = 0; i < b->plan->nsizes; i++)
        longest = b->plan->sizes[i] > longest ? b->plan->sizes[i] : longest;
    room = round_up(longest + 64);
    b->memory = aligned_alloc(4096, 3 * room + 3 * 4096);
    if (b->memory == NULL)
        return false;
    memset(b->memory, 0, 3 * room + 3 * 4096);
    b->text = b->memory;
    b->sealed = b->memory + room;
    b->out = b->memory + 2 * room + 2048;
    for (size_t i = 0; i < longest; i++)
        b->text[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    for (size_t i = 0; i < sizeof b->aad; i++)
        b->aad[i] = (uint8_t)(i + 1);
    for (size_t i = 0; i < RING; i++) {
        for (size_t j = 0; j < NONCE_STRIDE; j++)
            b->nonces[i][j] = (uint8_t)(i * 37 + j);
        for (size_t j = 0; j < KEY_MAX; j++)
            b->keys[i][j] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    }
    return true;
}

bool measure(const struct plan *plan, struct peer *peers, size_t npeers, struct results *res,
             struct progress *progress)
{
    static struct bench b;
    bool ok;

    b.plan = plan;
    ok = plan->aad_len <= sizeof b.aad && buffers_init(&b);
    if (ok) {
        calm_init(&b.calm, plan->tolerance, plan->patience_s);
        res->harness_ns = harness_ns(&b);
    }
    for (size_t i = 0; i < plan->nalgs && ok; i++) {
        b.job = (struct job){ plan->algs[i], b.keys[0], b.aad, plan->aad_len };
        ok = run_algorithm(&b, peers, npeers, res, progress);
    }
    progress_end(progress);
    free(b.memory);
    return ok;
}
