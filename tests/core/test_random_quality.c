/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of fresh output, on one tier, as long requests and as keys. They would find a counter that stands still,
 * a buffer that is given out twice or bytes that were erased too early, and nothing subtle: docs/randomness.md has more.
 * With `bad` for the tier, bad streams prove that each test can fail.
 *
 * False alarms. A difference between the two outcomes of n fair coins exceeds Z sqrt(n) with a probability of at most
 * 2 exp(-Z^2 / 2) (Hoeffding): 4.6e-11 for Z = 7. A chi-square of k degrees of freedom leaves
 * [k - 2 sqrt(k x), k + 2 sqrt(k x) + 2 x] with at most exp(-x) on either side (Laurent and Massart 2000, lemma 1):
 * together 4.2e-9 for x = 20; all cells expect 64 and more, so that the statistic follows it. The 26 coin tests and 4
 * chi-squares of a stream are wrong with less than 2e-8; a pair of equal blocks comes with 2^(2 * 19 - 129). Per run
 * of one tier, two streams: below 4e-8, and below 1e-6 for each test by far.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "memory.h"
#include "random.h"
#include "tier.h"

enum { BYTES = 1 << 23, WORDS = BYTES / 8, BITS = 8 * BYTES };

enum test { MONOBIT, RUNS, SERIAL, POKER, RUN_LENGTHS, CHI_BYTES, CHI_PAIRS, BLOCKS, TESTS };
static const char *const names[TESTS] = {"monobit", "runs", "serial correlation", "poker", "run lengths",
                                         "chi-square of bytes", "chi-square of pairs of bytes", "equal blocks"};

static uint8_t stream[BYTES];
static uint64_t words[WORDS];

/* ---- The tests: how far off, 1 is the bound ---- */

/* n coins, of which so many fell on one side. */
static double coins(uint64_t ones, uint64_t n)
{
    return fabs(2.0 * (double)ones - (double)n) / (7 * sqrt((double)n));
}

static double chi_square(const uint32_t *counts, const double *expected, unsigned cells)
{
    const double k = cells - 1, x = 20;
    double sum = 0;
    for (unsigned i = 0; i < cells; i++)
        sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
    return sum > k ? (sum - k) / (2 * sqrt(k * x) + 2 * x) : (k - sum) / (2 * sqrt(k * x));
}

static double even_chi_square(const uint32_t *counts, unsigned cells, double total)
{
    static double expected[65536];
    for (unsigned i = 0; i < cells; i++)
        expected[i] = total / cells;
    return chi_square(counts, expected, cells);
}

static uint64_t ones_of(uint64_t x)
{
    return (uint64_t)__builtin_popcountll(x);
}

/* The bits that equal the one `lag` further on. */
static double at_lag(size_t lag)
{
    const size_t skip = lag / 64, shift = lag % 64, n = WORDS - skip - 1;
    uint64_t equal = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t *at = words + i + skip;
        equal += ones_of(~(words[i] ^ (shift == 0 ? at[0] : at[0] >> shift | at[1] << (64 - shift))));
    }
    return coins(equal, 64 * n);
}

static double serial_correlation(void)
{
    static const size_t lags[] = {2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 31, 32, 33, 48, 64, 96, 128, 160, 256, 512, 1024,
                                  4096, 8 * 4096};
    double worst = 0;
    for (size_t i = 0; i < sizeof lags / sizeof *lags; i++)
        worst = fmax(worst, at_lag(lags[i]));
    return worst;
}

/* Runs of 1, 2, ... 15 equal bits, and of more; each is as probable as all longer ones together. */
static double run_lengths(void)
{
    uint32_t counts[16] = {0}, total = 0;
    double expected[16];
    unsigned length = 1;
    for (size_t i = 1; i < BITS; i++, length++) {
        if (((words[i / 64] >> i % 64 ^ words[(i - 1) / 64] >> (i - 1) % 64) & 1) == 0)
            continue;
        counts[length < 16 ? length - 1 : 15]++;
        total++;
        length = 0;
    }
    for (unsigned i = 0; i < 16; i++)
        expected[i] = total / pow(2, i < 15 ? i + 1 : 15) + 1e-9;
    return chi_square(counts, expected, 16);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, BLOCK);
}

static double equal_blocks(void)
{
    size_t equal = 0;
    qsort(stream, BYTES / BLOCK, BLOCK, by_bytes);
    for (size_t i = BLOCK; i < BYTES; i += BLOCK)
        equal += memcmp(stream + i, stream + i - BLOCK, BLOCK) == 0;
    return (double)equal + 0.5;
}

/* Judges `stream`, and sorts it. */
static void judge(double how_far[TESTS])
{
    static uint32_t nibbles[16], bytes[256], pairs[65536];
    uint64_t ones = 0;
    memcpy(words, stream, BYTES);
    memset(nibbles, 0, sizeof nibbles);
    memset(bytes, 0, sizeof bytes);
    memset(pairs, 0, sizeof pairs);
    for (size_t i = 0; i < WORDS; i++)
        ones += ones_of(words[i]);
    for (size_t i = 0; i < BYTES; i++) {
        nibbles[stream[i] & 15]++;
        nibbles[stream[i] >> 4]++;
        bytes[stream[i]]++;
    }
    for (size_t i = 0; i < BYTES; i += 2)
        pairs[stream[i] << 8 | stream[i + 1]]++;
    how_far[MONOBIT] = coins(ones, BITS);
    how_far[RUNS] = at_lag(1);
    how_far[SERIAL] = serial_correlation();
    how_far[POKER] = even_chi_square(nibbles, 16, 2.0 * BYTES);
    how_far[RUN_LENGTHS] = run_lengths();
    how_far[CHI_BYTES] = even_chi_square(bytes, 256, BYTES);
    how_far[CHI_PAIRS] = even_chi_square(pairs, 65536, BYTES / 2.0);
    how_far[BLOCKS] = equal_blocks();
}

/* ---- Good streams ---- */

static void fresh(struct random_rules *rules, size_t request)
{
    static struct random r;
    double how_far[TESTS];
    for (size_t done = 0; done < BYTES; done += request)
        if (!CHECK(random_generate(rules, &r, stream + done, request) == HWAEAD_OK))
            return;
    secret_wipe(&r, sizeof r);
    judge(how_far);
    printf("requests of %zu bytes, 1 is the bound:", request);
    for (unsigned t = 0; t < TESTS; t++) {
        printf(" %s %.2f%s", names[t], how_far[t], t + 1 < TESTS ? "," : "\n");
        check_note("%s of requests of %zu bytes: %.2f times the bound", names[t], request, how_far[t]);
        CHECK(how_far[t] < 1);
    }
}

/* ---- Bad ones: each is found by the tests of its set at least ---- */

static struct rng rng = {123};

static void random_bytes_of_test(void)
{
    rng_fill(&rng, stream, BYTES);
}

static void constant(void)
{
    memset(stream, 0x5a, BYTES);
}

static void biased(void) /* one byte of 64 has all bits set */
{
    random_bytes_of_test();
    for (size_t i = 0; i < BYTES; i += 64)
        stream[i] = 0xff;
}

static void too_even(void) /* all bytes in turn */
{
    for (size_t i = 0; i < BYTES; i++)
        stream[i] = (uint8_t)i;
}

static void sticky(void) /* a byte of 100 is the one before */
{
    random_bytes_of_test();
    for (size_t i = 1; i < BYTES; i += 100)
        stream[i] = stream[i - 1];
}

static void alternating(void) /* a bit of each byte is the opposite of its neighbour */
{
    random_bytes_of_test();
    for (size_t i = 0; i < BYTES; i++)
        stream[i] = (uint8_t)((stream[i] & ~2) | (~stream[i] & 1) << 1);
}

static void repeating(void) /* a buffer given out twice, once */
{
    random_bytes_of_test();
    memcpy(stream + BYTES / 2, stream + 4096, 4096);
}

static void twice(void) /* each buffer given out twice */
{
    random_bytes_of_test();
    for (size_t i = 0; i < BYTES; i += 8192)
        memcpy(stream + i + 4096, stream + i, 4096);
}

static void erased(void) /* a key of 1000 was erased too early */
{
    random_bytes_of_test();
    for (size_t i = 0; i < BYTES; i += 32000)
        memset(stream + i, 0, 32);
}

#define SET(t) (1u << (t))

static void bad_streams(void)
{
    static const struct {
        const char *name;
        void (*make)(void);
        unsigned found_by;
    } bad[] = {
        {"constant", constant, SET(SERIAL) | SET(POKER) | SET(CHI_BYTES) | SET(CHI_PAIRS) | SET(BLOCKS)},
        {"biased", biased, SET(MONOBIT) | SET(POKER) | SET(CHI_BYTES) | SET(RUN_LENGTHS)},
        {"too even", too_even, SET(CHI_BYTES) | SET(CHI_PAIRS)},
        {"sticky", sticky, SET(SERIAL) | SET(CHI_PAIRS)},
        {"alternating", alternating, SET(RUNS) | SET(RUN_LENGTHS)},
        {"repeating", repeating, SET(BLOCKS)},
        {"twice", twice, SET(SERIAL) | SET(BLOCKS)},
        {"erased", erased, SET(BLOCKS) | SET(CHI_BYTES)},
        {"good", random_bytes_of_test, 0},
    };
    unsigned able = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double how_far[TESTS];
        unsigned found_by = 0;
        bad[i].make();
        judge(how_far);
        for (unsigned t = 0; t < TESTS; t++)
            found_by |= how_far[t] >= 1 ? SET(t) : 0;
        check_note("a stream that is %s is found by the set %x, should by %x", bad[i].name, found_by, bad[i].found_by);
        CHECK((found_by & bad[i].found_by) == bad[i].found_by && (bad[i].found_by != 0 || found_by == 0));
        able |= bad[i].found_by;
    }
    CHECK(able == SET(TESTS) - 1);
}

int main(int argc, char **argv)
{
    static struct random_rules rules = {
        .source = &entropy_machine, .clock = time, .seconds = RANDOM_SECONDS, .requests = RANDOM_REQUESTS,
    };
    if (argc == 2 && strcmp(argv[1], "bad") == 0) {
        bad_streams();
        return check_done();
    }
    rules.kernel = tier_from_args(argc, argv);
    fresh(&rules, 65536);
    fresh(&rules, HWAEAD_RANDOM_KEY_LEN);
    return check_done();
}
