/* SPDX-License-Identifier: Apache-2.0
 *
 * What the machine's AES and multiply ports allow, measured: throughputs and latencies of the instructions,
 * and the time of GCM's own mixture of them with nothing else in the way.
 *
 * The loops are text for the assembler, three operands each, so that no instruction waits for another and
 * this file needs no instruction-set flags. A loop runs only where the tier of its width runs.
 *
 * The mixture is that of 256 bytes: for each vector 10, 12 or 14 AES rounds and the multiplies of GHASH, 4
 * schoolbook or 3 Karatsuba, and two more multiplies that reduce the 256 bytes' sum.
 */
#include "bench.h"

#include <string.h>

typedef void asm_loop(uint64_t n);

#define CLOBBERS                                                                                           \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",       \
        "xmm12", "xmm13", "xmm14", "xmm15", "cc"

#define LOOP(name, body)                                                                                   \
    static void name(uint64_t n)                                                                           \
    {                                                                                                      \
        __asm__ volatile("1:\n\t" body "dec %0\n\tjnz 1b\n\tvzeroupper" : "+r"(n) : : CLOBBERS);           \
    }

#define OP3(op, w) op " %%" w "mm14, %%" w "mm15, %%" w "mm0\n\t"
#define CHAIN(op, w) op " %%" w "mm14, %%" w "mm0, %%" w "mm0\n\t"
#define AES(w) OP3("vaesenc", w)
#define MUL(w) OP3("vpclmulqdq $0,", w)
#define SHUFFLE(w) OP3("vpshufb", w)
#define REPT(n, body) ".rept " n "\n\t" body ".endr\n\t"

#define A3(w) AES(w) AES(w) AES(w)
#define A4(w) A3(w) AES(w)
#define A5(w) A4(w) AES(w)
#define M(w) MUL(w)

#define SCHOOL_128(w) M(w) A3(w) M(w) AES(w) AES(w) M(w) A3(w) M(w) AES(w) AES(w)
#define SCHOOL_192(w) M(w) A3(w) M(w) A3(w) M(w) A3(w) M(w) A3(w)
#define SCHOOL_256(w) M(w) A4(w) M(w) A3(w) M(w) A4(w) M(w) A3(w)
#define KARATSUBA_128(w) M(w) A3(w) M(w) A3(w) M(w) A4(w)
#define KARATSUBA_192(w) M(w) A4(w) M(w) A4(w) M(w) A4(w)
#define KARATSUBA_256(w) M(w) A5(w) M(w) A4(w) M(w) A5(w)

/* The rest of a vector's work: counter, whitening and text (3), sums of products (3), two byte reversals. */
#define X2(w, xor) OP3(xor, w) OP3(xor, w)
#define REST(w, xor) X2(w, xor) SHUFFLE(w) X2(w, xor) SHUFFLE(w) X2(w, xor)

#define BATCH(vectors, w, body) REPT(vectors, body) M(w) M(w)

#define WIDTH(name, w, vectors, xor)                                                                       \
    LOOP(name##_aes, REPT("16", AES(w)))                                                                   \
    LOOP(name##_clmul, REPT("16", MUL(w)))                                                                 \
    LOOP(name##_logic, REPT("16", OP3(xor, w)))                                                            \
    LOOP(name##_shuffle, REPT("16", SHUFFLE(w)))                                                           \
    LOOP(name##_aes_chain, REPT("16", CHAIN("vaesenc", w)))                                                \
    LOOP(name##_clmul_chain, REPT("16", CHAIN("vpclmulqdq $0,", w)))                                       \
    LOOP(name##_school_128, BATCH(vectors, w, SCHOOL_128(w)))                                              \
    LOOP(name##_school_192, BATCH(vectors, w, SCHOOL_192(w)))                                              \
    LOOP(name##_school_256, BATCH(vectors, w, SCHOOL_256(w)))                                              \
    LOOP(name##_karatsuba_128, BATCH(vectors, w, KARATSUBA_128(w)))                                        \
    LOOP(name##_karatsuba_192, BATCH(vectors, w, KARATSUBA_192(w)))                                        \
    LOOP(name##_karatsuba_256, BATCH(vectors, w, KARATSUBA_256(w)))                                        \
    LOOP(name##_all_128, BATCH(vectors, w, SCHOOL_128(w) REST(w, xor)))                                    \
    LOOP(name##_all_192, BATCH(vectors, w, SCHOOL_192(w) REST(w, xor)))                                    \
    LOOP(name##_all_256, BATCH(vectors, w, SCHOOL_256(w) REST(w, xor)))

WIDTH(xmm, "x", "16", "vpxor")
WIDTH(ymm, "y", "8", "vpxor")
WIDTH(zmm, "z", "4", "vpxord")

/* One cycle each on every CPU that there is: an addition that waits for the one before. */
static void cycles(uint64_t n)
{
    uint64_t x = 1, y = 3;

    __asm__ volatile("1:\n\t" REPT("16", "add %2, %1\n\t") "dec %0\n\tjnz 1b"
                     : "+r"(n), "+r"(x)
                     : "r"(y)
                     : "cc");
}

enum { STEP = 16, TRIALS = 60 };

struct width {
    hwaead_tier tier;
    asm_loop *loop[LIMIT_LOOPS]; /* as in struct tier_limits: six of instructions, nine of mixtures */
};

#define LOOPS(name)                                                                                        \
    { name##_aes, name##_clmul, name##_logic, name##_shuffle, name##_aes_chain, name##_clmul_chain,        \
      name##_school_128, name##_school_192, name##_school_256, name##_karatsuba_128, name##_karatsuba_192, \
      name##_karatsuba_256, name##_all_128, name##_all_192, name##_all_256 }

static const struct width widths[] = {
    { HWAEAD_TIER_AESNI, LOOPS(xmm) },
    { HWAEAD_TIER_VAES256, LOOPS(ymm) },
    { HWAEAD_TIER_VAES512, LOOPS(zmm) },
};

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
static void measure_width(const struct width *w, double ns[LIMIT_LOOPS], double *cycle_ns)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        for (size_t i = 0; i < LIMIT_LOOPS; i++) {
            keep_shortest(cycle_ns, timed(cycles, 8000) / STEP);
            keep_shortest(&ns[i], timed(w->loop[i], i < 6 ? 4000 : 500));
        }
    }
}

static bool runs(hwaead_tier tier)
{
    for (size_t i = 0; hwaead_tier_runnable(i) != HWAEAD_TIER_AUTO; i++)
        if (hwaead_tier_runnable(i) == tier)
            return tier != HWAEAD_TIER_AESNI || __builtin_cpu_supports("avx");
    return false;
}

/* vectors: in 256 bytes. GCM-SIV seals in two passes of different work, so that their times add up. */
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
        keep_shortest(&l->cycle_ns, timed(cycles, 8000) / STEP);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        hwaead_tier tier = widths[i].tier;

        l->tier[tier].known = runs(tier);
        if (l->tier[tier].known)
            measure_width(&widths[i], l->ns[tier], &l->cycle_ns);
    }
    for (size_t i = 0; i < LIMIT_TIERS; i++)
        if (l->tier[i].known)
            derive(&l->tier[i], l->ns[i], l->cycle_ns, 32 >> i);
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
