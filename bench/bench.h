/* SPDX-License-Identifier: Apache-2.0
 *
 * hwaead-bench: one harness for the core, for EVP and for other libraries.
 *
 * A peer is a thing that seals and opens; a cell is one algorithm, operation, mode and size. In a cell all
 * peers take turns, round by round, so that whatever the machine does it does to all of them.
 */
#ifndef HWAEAD_BENCH_H
#define HWAEAD_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <hwaead/hwaead.h>

enum {
    TAG_LEN = 16, NONCE_LEN = 12, KEY_MAX = 32, AAD_MAX = 64,
    MIN_ROUNDS = 7, MAX_ROUNDS = 101, MAX_SIZES = 4096, MAX_THREADS = 2, MAX_PEERS = 64, NAME_LEN = 32
};

/* ---- What is measured ---------------------------------------------------------------------------------- */

enum family { FAMILY_GCM, FAMILY_SIV };

struct algorithm {
    const char *name; /* as EVP_CIPHER_fetch takes it */
    enum family family;
    size_t key_len;
};

extern const struct algorithm algorithms[];
extern const size_t algorithm_count;

enum op { OP_SEAL, OP_OPEN, OP_KEY, OP_REKEY, OP_COUNT };
/* MODE_MIX: independent calls whose lengths change at random, mix_lengths(). */
enum mode { MODE_THROUGHPUT, MODE_LATENCY, MODE_MIX, MODE_COUNT };

extern const char *const op_names[OP_COUNT];
extern const char *const mode_names[MODE_COUNT];

struct cell {
    const struct algorithm *alg;
    enum op op;
    enum mode mode;
    size_t size; /* of the text; 0 for OP_KEY and MODE_MIX */
};

/* Does this operation exist in this mode? Does it take one size at a time? */
bool cell_exists(enum op op, enum mode mode);
bool cell_sized(enum op op, enum mode mode);

enum { MIX_COUNT = 2048, MIX_MAX = 4095 };

/* The lengths of MODE_MIX, MIX_COUNT of them and always the same: one of the twelve octaves 1, 2 to 3, ... 2048
 * to MIX_MAX at random, and a length in it at random. */
const uint16_t *mix_lengths(void);
double mix_mean(void);

/* ---- Peers --------------------------------------------------------------------------------------------- */

enum layer { LAYER_CORE, LAYER_EVP, LAYER_LIBRARY };

extern const char *const layer_names[];

struct job {
    const struct algorithm *alg;
    const uint8_t *key; /* alg->key_len bytes */
    const uint8_t *aad; /* the same for every message, alive until teardown */
    size_t aad_len;
};

struct peer {
    char name[NAME_LEN];
    enum layer layer;
    bool hollow; /* does no work, so its output is not checked */
    bool context; /* another algorithm, for orientation: agrees with nobody and takes no place */
    bool no_empty; /* refuses messages without text; set by setup */
    int variant; /* for adapters that serve several peers */
    hwaead_tier tier; /* that it is held to; HWAEAD_TIER_AUTO for all else */

    /* NULL, or why it cannot run this job; then teardown is not called. Fills state and version, and the
     * functions below where they depend on the job. */
    const char *(*setup)(struct peer *self, const struct job *job);
    void (*teardown)(struct peer *self);

    /* False on any failure. The nonce has NONCE_LEN bytes and the tag TAG_LEN; out and in are disjoint. */
    bool (*seal)(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                 size_t len);
    bool (*open)(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                 size_t len);
    /* A new key into the same context, ready for use. */
    bool (*key)(void *state, const uint8_t *key);
    /* A new key and one message sealed with it; NULL when that is nothing but key and seal. */
    bool (*rekey)(void *state, const uint8_t *key, uint8_t *out, uint8_t *tag, const uint8_t *nonce,
                  const uint8_t *in, size_t len);

    /* NULL, or the time of n operations, for a peer that is timed where it lives: in another process. */
    double (*timed)(void *state, const struct cell *cell, uint64_t n, bool *ok);

    void *state;
    char version[160];
    const char *absent; /* why it is missing, of the last setup */
};

struct plan;

/* Where the peers outside this program lie. */
struct places {
    char module[4096]; /* hwaead.so */
    char plugins[4096]; /* the folder of what bench/peers/build.sh makes */
    char suites[4096]; /* the folder of what bench/suites.sh makes */
};

/* All peers that this program knows, present or not. Asking again gives the same array. The plan is read when
 * peers are set up. */
struct peer *peers_all(size_t *count, const struct places *places, const struct plan *plan);

void peers_core(struct peer **next);
void peers_evp(struct peer **next, const char *module_path);
/* The libraries that bench/peers/build.sh makes, loaded from a folder when they are set up. */
void peers_plugins(struct peer **next, const char *dir);
/* Peers on the libraries of another distribution, in a process of its own for each that bench/suites.sh got. */
void peers_suites(struct peer **next, const char *dir, const char *module, const struct plan *plan);
/* That process, with the suite's folder: serves until the bench hangs up. */
int suite_worker(const char *dir, const char *module);
void peer_gcrypt(struct peer *p);
void peer_sodium(struct peer *p);
void peer_nettle(struct peer *p);
void peer_ipsecmb(struct peer *p);

/* Does p agree with ref, which may be p itself, on these sizes, open what it seals and refuse a forgery?
 * Says on stderr what is wrong. */
bool peer_check(const struct peer *p, const struct peer *ref, const struct job *job, const size_t *sizes,
                size_t nsizes);

/* ---- Time and statistics ------------------------------------------------------------------------------- */

/* Nanoseconds of processor time of this thread: what others take from it does not count. */
double clock_cpu_ns(void);
double clock_wall_ns(void);
void sleep_ms(unsigned ms);

/* Pins this thread. False when that CPU cannot be had. */
bool pin_cpu(int cpu);
/* The i-th CPU that this thread may use, from the last one down; -1 when there are no more. */
int allowed_cpu(unsigned i);

/* The reference loop: a fixed piece of work that fills the CPU's front end, about 0.1 ms. A slower clock and
 * a busy hyperthread beside this one both show in it. */
struct calm {
    double tolerance; /* slowed: over (1 + tolerance) times the usual time of the reference loop */
    double patience;  /* ns of waiting and redoing that are left */
    double lowest[8]; /* the shortest times seen; the longest of them is the usual time */
    unsigned slowed;  /* moments found slowed */
};

void calm_init(struct calm *c, double tolerance, double patience_s);
bool calm_now(struct calm *c);
/* Waits for a calm moment; false when patience has run out. */
bool calm_wait(struct calm *c);

struct spread {
    double min, q1, median, q3, max;
};

/* Sorts x. */
struct spread spread_of(double *x, size_t n);

/* ---- Loops --------------------------------------------------------------------------------------------- */

/* A peer, once for each thread; one whose `timed` is set sees to its threads itself. */
struct crew {
    struct peer *peer;
    struct peer twins[MAX_THREADS - 1];
    unsigned count;
};

/* NULL, or why the peer cannot run the job. */
const char *crew_setup(struct crew *c, struct peer *peer, const struct job *job, unsigned threads);
void crew_teardown(struct crew *c);

/* Messages, keys and buffers, the same every time it is made, for loops in one or more threads. */
struct stand;

struct stand *stand_new(const struct algorithm *alg, const struct plan *plan);
void stand_free(struct stand *s);
const struct job *stand_job(const struct stand *s);

/* Sets the key of the job and, for opening, seals by the peer itself what it shall open. */
bool stand_prepare(struct stand *s, const struct crew *c, const struct cell *cell);
/* Nanoseconds of processor time that n operations took, in the mean of the threads, which all run at once. */
double stand_time(struct stand *s, const struct crew *c, const struct cell *cell, uint64_t n, bool *ok);

/* ---- Measuring ----------------------------------------------------------------------------------------- */

struct plan {
    const struct algorithm *algs[8];
    size_t nalgs;
    bool ops[OP_COUNT];
    bool modes[MODE_COUNT];
    size_t sizes[MAX_SIZES];
    size_t nsizes;
    size_t aad_len;
    unsigned rounds;
    double rep_ns;
    double tolerance, patience_s;
    unsigned threads;
    int cpus[MAX_THREADS];
    double seam; /* share that makes a seam in a sweep; 0 when this is none */
};

size_t plan_longest(const struct plan *p);
/* How many cells an operation has in a mode. */
size_t plan_cells(const struct plan *p, enum op op, enum mode mode);

struct result {
    struct cell cell;
    const struct peer *peer;
    struct spread ns; /* per operation */
    uint64_t reps;    /* operations in one repetition */
    unsigned redone;  /* repetitions thrown away beside a slowed moment */
    unsigned slowed;  /* repetitions kept although slowed, patience having run out */
};

struct results {
    struct result *rows;
    size_t count, room;
    double harness_ns; /* of the loop and the call, included in every figure */
    unsigned redone, slowed;
};

struct progress;

/* Runs the plan over the peers that can run it. False when some peer's output is wrong. */
bool measure(const struct plan *plan, struct peer *peers, size_t npeers, struct results *res,
             struct progress *progress);

/* ---- Seams --------------------------------------------------------------------------------------------- */

enum seam_kind { SEAM_STEP, SEAM_INVERSION };

struct seam {
    const struct result *of; /* one of the results of that peer, cipher, operation and mode */
    enum seam_kind kind;
    size_t from, to;  /* the sizes where it begins and ends, the same for a step */
    size_t at, other; /* where it is worst, and the size compared with */
    double ns, other_ns;
};

/* In a sweep: the sizes of a peer where time jumps, or where a longer message takes less time.
 *
 * All on the lower quartiles of repetitions. A step: each of the three sizes from there on takes over (1 + share)
 * times what each of the three before takes. An inversion: sizes that, with a neighbour on either side, take over
 * (1 + share) times what some longer message takes. Calls `each` in the order of results, for a peer's steps before its
 * inversions. */
typedef void seam_fn(void *arg, const struct seam *s);
void seams_find(const struct results *res, double share, seam_fn *each, void *arg);

/* ---- Limits of the machine ----------------------------------------------------------------------------- */

enum { LIMIT_TIERS = HWAEAD_TIER_ARMV8_SHA3 + 1 }; /* indexed by hwaead_tier */

struct tier_limits {
    bool known;
    double aes, clmul, logic, shuffle; /* cycles from one instruction to the next independent one */
    double aes_latency, clmul_latency; /* cycles */
    double school[3], karatsuba[3];    /* cycles per 64 bytes, AES and multiplies alone; AES-128, 192, 256 */
    double all[3];                     /* schoolbook with the other vector instructions that GCM needs */
    double siv_school[3], siv_karatsuba[3]; /* the same of sealing with GCM-SIV, whose opening is as GCM */
    double block_aes[3];               /* cycles of AES for one block more */
};

enum { LIMIT_LOOPS = 15 };

struct limits {
    double cycle_ns; /* 0 before the first measurement */
    struct tier_limits tier[LIMIT_TIERS];
    double ns[LIMIT_TIERS][LIMIT_LOOPS]; /* of each loop, the shortest seen */
};

/* May be called again, and then keeps the shortest times of all calls. */
void limits_measure(struct limits *l);
/* Whether there are limits for any tier. */
bool limits_known(const struct limits *l);

/* The least time that AES and multiplies of one message can take on a tier, or on the best one for
 * HWAEAD_TIER_AUTO; 0 when there is no such figure. */
double limit_ns(const struct limits *l, hwaead_tier tier, const struct cell *cell);

/* ---- Machine, output ----------------------------------------------------------------------------------- */

struct machine {
    char cpu[64], vendor[16], core[32], kernel[96], hypervisor[16], tiers[64], compiler[96];
    unsigned family, model, stepping, cpus;
};

void machine_describe(struct machine *m);

struct report {
    const struct plan *plan;
    const struct machine *machine;
    const struct limits *limits;
    const struct peer *peers;
    size_t npeers;
    const struct results *results;
};

void print_head(FILE *f, const struct report *r);
void print_limits(FILE *f, const struct report *r);
void print_tables(FILE *f, const struct report *r);
/* Instead of the tables, for a sweep. */
void print_seams(FILE *f, const struct report *r);
/* False when the file cannot be written. */
bool write_json(const char *path, const struct report *r);

/* steps: a cell in a round is one */
struct progress *progress_new(bool on, size_t steps);
void progress_step(struct progress *p, const struct cell *cell, unsigned slowed);
void progress_end(struct progress *p);

#endif
