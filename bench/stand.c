/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops that are timed, and what they work on.
 */
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 64, NONCE_STRIDE = 16 };

/* What one thread works on. Sealing takes its nonces, and key set-up its keys, in turn from a ring made beforehand:
 * a nonce that was written a moment ago would make some loads wait for the store and serialise calls that are
 * independent. */
struct lane {
    uint8_t keys[RING][KEY_MAX];
    uint8_t nonces[RING][NONCE_STRIDE];
    uint8_t tags[2][TAG_LEN];
    uint8_t mix_tags[MIX_COUNT][TAG_LEN];
    uint8_t *text, *sealed, *out, *mix_sealed, *memory;

    struct stand *stand;
    pthread_t thread;
    int cpu;

    const struct peer *peer; /* the work at hand */
    const struct cell *cell;
    uint64_t n;
    double ns;
    bool ok;
};

struct stand {
    struct job job;
    uint8_t aad[AAD_MAX];
    unsigned threads;
    pthread_barrier_t gate;
    atomic_uint at_start;
    bool closing;
    struct lane lanes[MAX_THREADS];
};

/* ---- Lengths at random --------------------------------------------------------------------------------- */

static uint32_t step(uint32_t *x)
{
    *x = *x * 1664525 + 1013904223;
    return *x >> 8;
}

const uint16_t *mix_lengths(void)
{
    static uint16_t lengths[MIX_COUNT];
    uint32_t x = 1;

    if (lengths[0] != 0)
        return lengths;
    for (size_t i = 0; i < MIX_COUNT; i++) {
        uint32_t octave = step(&x) % 12;

        lengths[i] = (uint16_t)((1U << octave) + (step(&x) & ((1U << octave) - 1)));
    }
    return lengths;
}

static size_t mix_total(void)
{
    size_t sum = 0;

    for (size_t i = 0; i < MIX_COUNT; i++)
        sum += mix_lengths()[i];
    return sum;
}

double mix_mean(void)
{
    return (double)mix_total() / MIX_COUNT;
}

/* ---- The loops ----------------------------------------------------------------------------------------- */

typedef bool loop_fn(struct lane *b, const struct peer *p, size_t len, uint64_t n);

static bool loop_seal(struct lane *b, const struct peer *p, size_t len, uint64_t n)
{
    bool ok = true;

    for (uint64_t i = 0; i < n; i++)
        ok &= p->seal(p->state, b->out, b->tags[0], b->nonces[i % RING], b->text, len);
    return ok;
}

/* Each nonce is the first bytes of the tag before it. */
static bool loop_seal_chained(struct lane *b, const struct peer *p, size_t len, uint64_t n)
{
    bool ok = true;

    for (uint64_t i = 0; i < n; i++)
        ok &= p->seal(p->state, b->out, b->tags[i & 1], b->tags[~i & 1], b->text, len);
    return ok;
}

static bool loop_seal_mix(struct lane *b, const struct peer *p, size_t len, uint64_t n)
{
    const uint16_t *lengths = mix_lengths();
    bool ok = true;

    (void)len;
    for (uint64_t i = 0; i < n; i++)
        ok &= p->seal(p->state, b->out, b->tags[0], b->nonces[i % RING], b->text, lengths[i % MIX_COUNT]);
    return ok;
}

/* One sealed message again and again, at nonces[0]. */
static bool loop_open(struct lane *b, const struct peer *p, size_t len, uint64_t n)
{
    bool ok = true;

    for (uint64_t i = 0; i < n; i++)
        ok &= p->open(p->state, b->out, b->tags[0], b->nonces[0], b->sealed, len);
    return ok;
}

/* The address of each nonce comes from the last byte opened before it, which is always the same byte. */
static bool loop_open_chained(struct lane *b, const struct peer *p, size_t len, uint64_t n)
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

/* Messages one after the other in memory, each at nonces[0]. */
static bool loop_open_mix(struct lane *b, const struct peer *p, size_t len, uint64_t n)
{
    const uint16_t *lengths = mix_lengths();
    const uint8_t *in = b->mix_sealed;
    bool ok = true;

    (void)len;
    for (uint64_t i = 0; i < n; i++) {
        size_t k = i % MIX_COUNT;

        in = k == 0 ? b->mix_sealed : in;
        ok &= p->open(p->state, b->out, b->mix_tags[k], b->nonces[0], in, lengths[k]);
        in += lengths[k];
    }
    return ok;
}

static bool loop_key(struct lane *b, const struct peer *p, size_t len, uint64_t n)
{
    bool ok = true;

    (void)len;
    for (uint64_t i = 0; i < n; i++)
        ok &= p->key(p->state, b->keys[i % RING]);
    return ok;
}

static bool loop_rekey(struct lane *b, const struct peer *p, size_t len, uint64_t n)
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
    [OP_SEAL] = { loop_seal, loop_seal_chained, loop_seal_mix },
    [OP_OPEN] = { loop_open, loop_open_chained, loop_open_mix },
    [OP_KEY] = { loop_key },
    [OP_REKEY] = { loop_rekey },
};

bool cell_exists(enum op op, enum mode mode)
{
    return loops[op][mode] != NULL;
}

bool cell_sized(enum op op, enum mode mode)
{
    return op != OP_KEY && mode != MODE_MIX;
}

size_t plan_longest(const struct plan *p)
{
    size_t longest = MIX_MAX;

    for (size_t i = 0; i < p->nsizes; i++)
        longest = p->sizes[i] > longest ? p->sizes[i] : longest;
    return longest;
}

size_t plan_cells(const struct plan *p, enum op op, enum mode mode)
{
    if (!p->ops[op] || !p->modes[mode] || !cell_exists(op, mode))
        return 0;
    return cell_sized(op, mode) ? p->nsizes : 1;
}

/* ---- Before a loop ------------------------------------------------------------------------------------- */

static bool seal_mix(struct lane *b, const struct peer *p)
{
    const uint16_t *lengths = mix_lengths();
    uint8_t *out = b->mix_sealed;
    bool ok = true;

    for (size_t i = 0; i < MIX_COUNT && ok; i++) {
        ok = p->seal(p->state, out, b->mix_tags[i], b->nonces[0], b->text, lengths[i]);
        out += lengths[i];
    }
    return ok;
}

static bool prepare(struct lane *b, const struct peer *p, const struct cell *cell)
{
    size_t len = cell_sized(cell->op, cell->mode) ? cell->size : 16;
    bool ok = p->key(p->state, b->keys[0]) && p->seal(p->state, b->sealed, b->tags[0], b->nonces[0], b->text, len);

    memcpy(b->tags[1], b->tags[0], TAG_LEN);
    if (ok && cell->op == OP_OPEN)
        ok = cell->mode == MODE_MIX ? seal_mix(b, p)
                                    : p->open(p->state, b->out, b->tags[0], b->nonces[0], b->sealed, len);
    return ok;
}

static const struct peer *member(const struct crew *c, unsigned i)
{
    return i == 0 ? c->peer : &c->twins[i - 1];
}

bool stand_prepare(struct stand *s, const struct crew *c, const struct cell *cell)
{
    bool ok = true;

    if (c->peer->timed != NULL)
        return true;
    for (unsigned i = 0; i < s->threads && ok; i++)
        ok = prepare(&s->lanes[i], member(c, i), cell);
    return ok;
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

/* All lanes begin together: none before the last one has come to its loop. */
static void run_lane(struct lane *b)
{
    loop_fn *loop = loops[b->cell->op][b->cell->mode];
    double start;

    atomic_fetch_add(&b->stand->at_start, 1);
    while (atomic_load(&b->stand->at_start) < b->stand->threads)
        ;
    start = clock_cpu_ns();
    b->ok = loop(b, b->peer, b->cell->size, b->n);
    b->ns = clock_cpu_ns() - start;
}

static void *serve(void *arg)
{
    struct lane *b = arg;

    (void)pin_cpu(b->cpu);
    for (;;) {
        pthread_barrier_wait(&b->stand->gate);
        if (b->stand->closing)
            return NULL;
        run_lane(b);
        pthread_barrier_wait(&b->stand->gate);
    }
}

double stand_time(struct stand *s, const struct crew *c, const struct cell *cell, uint64_t n, bool *ok)
{
    double sum = 0;

    if (c->peer->timed != NULL)
        return c->peer->timed(c->peer->state, cell, n, ok);
    for (unsigned i = 0; i < s->threads; i++) {
        s->lanes[i].peer = member(c, i);
        s->lanes[i].cell = cell;
        s->lanes[i].n = n;
    }
    atomic_store(&s->at_start, 0);
    if (s->threads > 1)
        pthread_barrier_wait(&s->gate);
    run_lane(&s->lanes[0]);
    if (s->threads > 1)
        pthread_barrier_wait(&s->gate);
    for (unsigned i = 0; i < s->threads; i++) {
        sum += s->lanes[i].ns;
        *ok &= s->lanes[i].ok;
    }
    return sum / s->threads;
}

/* ---- Making and freeing -------------------------------------------------------------------------------- */

static size_t round_up(size_t n)
{
    return (n + 4095) / 4096 * 4096;
}

/* The output lies half a page from the input, so that its stores never look like the input's loads. */
static bool fill_lane(struct lane *b, size_t longest)
{
    size_t room = round_up(longest + 64), mix = round_up(mix_total()), size = 3 * room + 4096 + mix;
    uint32_t x = 1;

    b->memory = aligned_alloc(4096, size);
    if (b->memory == NULL)
        return false;
    memset(b->memory, 0, size);
    b->text = b->memory;
    b->sealed = b->memory + room;
    b->out = b->memory + 2 * room + 2048;
    b->mix_sealed = b->memory + 3 * room + 4096;
    for (size_t i = 0; i < RING; i++) {
        for (size_t j = 0; j < NONCE_STRIDE; j++)
            b->nonces[i][j] = (uint8_t)(i * 37 + j);
        for (size_t j = 0; j < KEY_MAX; j++)
            b->keys[i][j] = (uint8_t)step(&x);
    }
    for (size_t i = 0; i < longest; i++)
        b->text[i] = (uint8_t)step(&x);
    return true;
}

/* Without memory or threads there is nothing to be said about speed. */
static void need(bool there)
{
    if (!there)
        abort();
}

struct stand *stand_new(const struct algorithm *alg, const struct plan *plan)
{
    struct stand *s = calloc(1, sizeof *s);

    need(s != NULL);
    for (size_t i = 0; i < sizeof s->aad; i++)
        s->aad[i] = (uint8_t)(i + 1);
    s->job = (struct job){ alg, s->lanes[0].keys[0], s->aad, plan->aad_len };
    s->threads = plan->threads;
    need(pthread_barrier_init(&s->gate, NULL, s->threads) == 0);
    for (unsigned i = 0; i < s->threads; i++) {
        struct lane *b = &s->lanes[i];

        b->stand = s;
        b->cpu = plan->cpus[i];
        need(fill_lane(b, plan_longest(plan)));
        if (i > 0)
            need(pthread_create(&b->thread, NULL, serve, b) == 0);
    }
    return s;
}

void stand_free(struct stand *s)
{
    s->closing = true;
    if (s->threads > 1)
        pthread_barrier_wait(&s->gate);
    for (unsigned i = 1; i < s->threads; i++)
        pthread_join(s->lanes[i].thread, NULL);
    for (unsigned i = 0; i < s->threads; i++)
        free(s->lanes[i].memory);
    pthread_barrier_destroy(&s->gate);
    free(s);
}

const struct job *stand_job(const struct stand *s)
{
    return &s->job;
}

/* ---- Crews --------------------------------------------------------------------------------------------- */

const char *crew_setup(struct crew *c, struct peer *peer, const struct job *job, unsigned threads)
{
    const char *why = peer->setup(peer, job);

    *c = (struct crew){ .peer = peer, .count = 1 };
    if (why != NULL)
        return why;
    for (; peer->timed == NULL && c->count < threads; c->count++) {
        struct peer *twin = &c->twins[c->count - 1];

        *twin = *peer;
        twin->state = NULL;
        why = twin->setup(twin, job);
        if (why != NULL) {
            crew_teardown(c);
            return why;
        }
    }
    return NULL;
}

void crew_teardown(struct crew *c)
{
    for (unsigned i = c->count - 1; i > 0; i--)
        c->twins[i - 1].teardown(&c->twins[i - 1]);
    c->peer->teardown(c->peer);
}
