/* SPDX-License-Identifier: Apache-2.0
 *
 * Where seeds come from: the OS that gives none, few, or is interrupted, and the CPU that is missing, slow or broken.
 * This machine's getrandom is the one below; the other sources are values.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include <hwaead/hwaead.h>

#include "check.h"
#include "cpu.h"
#include "entropy.h"
#include "memory.h"
#include "secret.h"

enum { CALLS = 8 };

/* What the next calls do: a negative number is an errno, 0 gives nothing, else at most so many bytes; past the
 * end all that is asked for. */
static int script[CALLS];
static size_t calls;

ssize_t getrandom(void *out, size_t n, unsigned flags)
{
    int step = calls < CALLS ? script[calls] : 10000;
    calls++;
    CHECK(n > 0 && (flags & GRND_NONBLOCK) == 0);
    if (step < 0) {
        errno = -step;
        return -1;
    }
    if (n > (size_t)step)
        n = (size_t)step;
    memset(out, 0xe0 + (int)calls, n);
    return (ssize_t)n;
}

static void set_script(const int *steps)
{
    memcpy(script, steps, sizeof script);
    calls = 0;
}

/* ---- Sources as values ---- */

struct scripted {
    const int *os;          /* what each call does, as above; ends with 0 */
    unsigned os_calls;
    unsigned seed_every;    /* RDSEED delivers at each so many tries; 0: never */
    unsigned random_every;  /* RDRAND */
    unsigned seed_tries, random_tries;
    uint64_t (*word)(uint64_t n); /* the n-th sample */
    uint64_t words;
};

static ssize_t scripted_os(void *arg, uint8_t *out, size_t n)
{
    struct scripted *s = arg;
    const int step = s->os[s->os_calls];
    s->os_calls++;
    CHECK(n > 0);
    errno = step < 0 ? -step : 0;
    if (step < 0)
        return -1;
    n = n < (size_t)step ? n : (size_t)step;
    memset(out, (int)s->os_calls, n);
    return (ssize_t)n;
}

static int deliver(struct scripted *s, unsigned every, unsigned try, uint64_t *sample)
{
    *sample = 0;
    if (every == 0 || try % every != 0)
        return 0;
    *sample = s->word(s->words++);
    return 1;
}

static int scripted_seed(void *arg, uint64_t *sample)
{
    struct scripted *s = arg;
    return deliver(s, s->seed_every, ++s->seed_tries, sample);
}

static int scripted_random(void *arg, uint64_t *sample)
{
    struct scripted *s = arg;
    return deliver(s, s->random_every, ++s->random_tries, sample);
}

static uint64_t different(uint64_t n)
{
    return 0x9e3779b97f4a7c15 * (n + 1);
}

static uint64_t stuck(uint64_t n)
{
    return n < 5 ? different(n) : UINT64_MAX;
}

static atomic_int cpu_failed;

static struct entropy source_of(struct scripted *s)
{
    atomic_store(&cpu_failed, 0);
    return (struct entropy){scripted_os, scripted_seed, scripted_random, &cpu_failed, s};
}

static const int enough[] = {1000, 1000, 1000, 1000, 1000, 1000, 0};

static void operating_systems(void)
{
    static const struct {
        const char *name;
        int steps[60], good;
        unsigned calls;
    } cases[] = {
        {"all at once", {48}, 1, 1},
        {"short reads", {1, 2, 3, 40, 1, 1}, 1, 6},
        {"a byte at a time", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 1, 48},
        {"interrupted", {-EINTR, -EINTR, 20, -EINTR, 28}, 1, 5},
        {"missing", {-ENOSYS}, 0, 1},
        {"forbidden", {-EPERM}, 0, 1},
        {"not ready", {-EAGAIN}, 0, 1},
        {"empty", {0}, 0, 1},
        {"failing half way", {24, -EIO}, 0, 2},
        {"drying up at the last byte", {47, 0}, 0, 2},
        {"failing after an interruption", {-EINTR, -EFAULT}, 0, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scripted s = {.os = cases[i].steps, .seed_every = 1, .word = different};
        const struct entropy source = source_of(&s);
        struct health health = {0};
        struct entropy_seed seed;
        check_note("an OS that is %s", cases[i].name);
        memset(&seed, 0x77, sizeof seed);
        CHECK(entropy_draw(&source, &health, &seed) == cases[i].good && s.os_calls == cases[i].calls);
        for (size_t k = 0; k < sizeof seed.os; k++)
            CHECK((seed.os[k] != 0) == cases[i].good);
        CHECK(cases[i].good || (all_bytes(&seed, sizeof seed, 0) && s.seed_tries == 0)); /* the CPU is no OS */
    }
}

/* The samples that a draw gets, and that there is no end to neither of the instructions. */
static void cpus(void)
{
    static const struct {
        const char *name;
        unsigned seed_every, random_every, from_seed, from_random;
    } cases[] = {
        {"has both", 1, 1, 4, 0},
        {"has a slow RDSEED", 3, 1, 4, 0},
        {"has a very slow RDSEED", 7, 1, 2, 2},
        {"has an RDSEED that never delivers", 0, 1, 0, 4},
        {"has slow ones of both", 10, 9, 1, 1},
        {"has RDSEED only, and slow", 5, 0, 3, 0},
        {"has neither", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scripted s = {.os = enough, .seed_every = cases[i].seed_every, .random_every = cases[i].random_every,
                             .word = different};
        const struct entropy source = source_of(&s);
        struct health health = {0};
        struct entropy_seed seed;
        const unsigned have = cases[i].from_seed + cases[i].from_random;
        check_note("a CPU that %s", cases[i].name);
        memset(&seed, 0x77, sizeof seed);
        CHECK(entropy_draw(&source, &health, &seed) == 1 && s.words == have);
        for (unsigned k = 0; k < ENTROPY_SAMPLES; k++)
            CHECK(seed.extra[k] == (k < have ? different(k) : 0));
        CHECK(s.seed_tries <= ENTROPY_TRIES && s.random_tries <= ENTROPY_TRIES);
        CHECK(s.seed_tries >= cases[i].from_seed && (have == 4 || s.seed_tries == ENTROPY_TRIES));
        CHECK(cases[i].from_seed < 4 || s.random_tries == 0);
        CHECK(seed.extra[ENTROPY_SAMPLES] != 0 && !cpu_failed); /* the time */
    }
    check_note("a CPU without instructions");
    struct scripted s = {.os = enough, .word = different};
    const struct entropy source = {.os = scripted_os, .cpu_failed = &cpu_failed, .arg = &s};
    struct health health = {0};
    struct entropy_seed seed;
    CHECK(entropy_draw(&source, &health, &seed) == 1 && all_bytes(seed.extra, 4 * sizeof *seed.extra, 0));
}

/* A CPU whose generator is stuck from the sixth sample on: found at the seventh, then left alone by everyone. */
static void switching_off(void)
{
    struct scripted s = {.os = enough, .seed_every = 1, .random_every = 1, .word = stuck};
    const struct entropy source = source_of(&s);
    struct health health = {0}, of_another = {0};
    struct entropy_seed seed;
    check_note("a CPU that gets stuck");
    CHECK(entropy_draw(&source, &health, &seed) == 1 && !cpu_failed && !health.failed);
    CHECK(entropy_draw(&source, &health, &seed) == 1 && cpu_failed && health.failed);
    const unsigned tries = s.seed_tries + s.random_tries;
    CHECK(entropy_draw(&source, &health, &seed) == 1 && all_bytes(seed.extra, 4 * sizeof *seed.extra, 0));
    CHECK(entropy_draw(&source, &of_another, &seed) == 1 && all_bytes(seed.extra, 4 * sizeof *seed.extra, 0));
    CHECK(seed.os[0] == 4 && s.seed_tries + s.random_tries == tries && cpu_failed);
}

/* What the health tests must do by their description, word for word of it, on sequences of few values. */
static void health_tests(void)
{
    struct health h = {0};
    check_note("repetition count");
    CHECK(health_sample(&h, 0) == 1); /* a first 0 repeats nothing */
    CHECK(health_sample(&h, 1) == 1 && health_sample(&h, 0) == 1 && health_sample(&h, 2) == 1);
    CHECK(health_sample(&h, 2) == 0 && h.failed);
    CHECK(health_sample(&h, 3) == 0 && health_sample(&h, 4) == 0); /* for good */

    for (unsigned second = 2; second < 1100; second += 7)
        for (unsigned third = second + 2; third < 1100; third += 61) {
            const unsigned window = HEALTH_WINDOW;
            memset(&h, 0, sizeof h);
            check_note("the first word again at %u and %u", second, third);
            unsigned fired = 0;
            for (unsigned i = 0; i < 1100 && fired == 0; i++)
                if (!health_sample(&h, i == 0 || i == second || i == third ? 42 : different(i)))
                    fired = i;
            /* at the third of one window, whichever window and whatever word it began with */
            CHECK(fired == (third < window ? third : 0));
        }
    check_note("the word that a later window begins with");
    memset(&h, 0, sizeof h);
    unsigned fired = 0;
    for (unsigned i = 0; i < 2000 && fired == 0; i++)
        if (!health_sample(&h, i == 512 || i == 600 || i == 1023 ? 42 : different(i)))
            fired = i;
    CHECK(fired == 1023);

    check_note("a million good words");
    memset(&h, 0, sizeof h);
    struct rng rng = {11};
    int good = 1;
    for (unsigned i = 0; i < 1000000; i++)
        good &= health_sample(&h, rng_next(&rng));
    CHECK(good);
    check_note("two words in turn");
    memset(&h, 0, sizeof h);
    for (fired = 0; health_sample(&h, fired % 2); fired++) {
    }
    CHECK(fired == 4);
}

/* Only that they come to an end and differ from call to call: what they are worth is the vendor's to say. */
static void this_cpu(void)
{
    uint64_t words[64], have = 0;
    for (unsigned i = 0; i < 64 && have < 64; i++) {
        have += entropy_machine.cpu_seed(NULL, &words[have]) != 0;
        have += have < 64 && entropy_machine.cpu_random(NULL, &words[have]) != 0;
    }
    check_note("%u words of this CPU's generator", (unsigned)have);
    const bool present = (cpu_features() & (CPU_HAS_SEED | CPU_HAS_RANDOM)) != 0;
    CHECK(have == 0 || present);
    for (uint64_t i = 1; i < have; i++)
        CHECK(words[i] != words[i - 1]);
    CHECK((strstr(hwaead_random_sources(), "blended in") != NULL) == present);
    atomic_store(entropy_machine.cpu_failed, 1);
    CHECK((strstr(hwaead_random_sources(), "failed its health tests") != NULL) == present);
    atomic_store(entropy_machine.cpu_failed, 0);
    printf("this CPU: %s, %u words\n", present ? "a generator" : "none", (unsigned)have);
}

int main(void)
{
    static const int good[CALLS] = {10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000};
    static const int interrupted[CALLS] = {-EINTR, 5, -EINTR, -EINTR, 1, 10000, 10000, 10000};
    static const int failing[][CALLS] = {
        {-ENOSYS}, {-EIO, 10000}, {3, -EFAULT}, {0}, {-EINTR, 11, -EPERM},
    };
    static const uint8_t bytes[16] = {1};
    uint8_t buffer[40], sealed[100], in[20] = {0}, nonce[HWAEAD_GCM_NONCE_LEN];
    hwaead_gcm_key key;

    check_note("random bytes in pieces");
    set_script(interrupted);
    memset(buffer, 0x77, sizeof buffer);
    CHECK(entropy_os(&entropy_machine, buffer, 20) == 1);
    CHECK(calls == 6);
    CHECK(all_bytes(buffer, 5, 0xe2) && buffer[5] == 0xe5 && all_bytes(buffer + 6, 14, 0xe6));
    CHECK(all_bytes(buffer + 20, 20, 0x77));
    set_script(good);
    CHECK(entropy_os(&entropy_machine, buffer, 0) == 1 && calls == 0);

    if (hwaead_cpu_missing() == NULL) {
        CHECK(hwaead_gcm_key_init(&key, sizeof key, bytes, 16, HWAEAD_TIER_AUTO) == HWAEAD_OK);
        CHECK(calls == 0);
        check_note("messages whose nonces have seeds from this source");
        set_script(good);
        CHECK(hwaead_gcm_seal(&key, sealed, sizeof sealed, NULL, 0, in, sizeof in) == HWAEAD_OK && calls == 1);
        memcpy(nonce, sealed, sizeof nonce);
        CHECK(hwaead_gcm_seal(&key, sealed, sizeof sealed, NULL, 0, in, sizeof in) == HWAEAD_OK && calls == 1);
        CHECK(memcmp(nonce, sealed, sizeof nonce) != 0);
        hwaead_random_set_interval(0); /* a seed for each */
        CHECK(hwaead_gcm_seal(&key, sealed, sizeof sealed, NULL, 0, in, sizeof in) == HWAEAD_OK && calls == 2);
        CHECK(hwaead_gcm_open(&key, in, sizeof in, NULL, 0, sealed, sizeof in + HWAEAD_GCM_OVERHEAD) == HWAEAD_OK);
    }
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++) {
        check_note("failure %zu", i);
        set_script(failing[i]);
        memset(buffer, 0x77, sizeof buffer);
        CHECK(entropy_os(&entropy_machine, buffer, 20) == 0);
        CHECK(all_bytes(buffer, 20, 0) && all_bytes(buffer + 20, 20, 0x77));
        if (hwaead_cpu_missing() != NULL)
            continue;
        set_script(failing[i]);
        memset(sealed, 0x77, sizeof sealed);
        CHECK(hwaead_gcm_seal(&key, sealed, sizeof sealed, NULL, 0, in, sizeof in) == HWAEAD_ERR_ENTROPY);
        CHECK(all_bytes(sealed, sizeof sealed, 0x77));
        set_script(failing[i]);
        memset(sealed, 0x77, sizeof sealed);
        CHECK(hwaead_gcm_seal(&key, sealed, sizeof sealed, NULL, 0, sealed + 12, 20) == HWAEAD_ERR_ENTROPY);
        CHECK(all_bytes(sealed, sizeof sealed, 0x77)); /* the text is still there */
        set_script(failing[i]);
        memset(buffer, 0x77, sizeof buffer);
        CHECK(hwaead_random_key32(buffer) == HWAEAD_ERR_ENTROPY && all_bytes(buffer, 32, 0));
        set_script(good);
        CHECK(hwaead_random_key32(buffer) == HWAEAD_OK && !all_bytes(buffer, 16, 0)); /* no harm for good */
    }

    operating_systems();
    cpus();
    switching_off();
    health_tests();
    this_cpu();

    check_note("wipe and compare");
    memset(buffer, 0x77, sizeof buffer);
    secret_wipe(NULL, 0);
    secret_wipe(buffer + 3, 0);
    CHECK(all_bytes(buffer, sizeof buffer, 0x77));
    secret_wipe(buffer + 3, 11);
    CHECK(all_bytes(buffer, 3, 0x77) && all_bytes(buffer + 3, 11, 0) && all_bytes(buffer + 14, 26, 0x77));
    for (size_t n = 0; n <= 20; n++) {
        uint8_t a[20] = {1, 2, 3, 0xff, 0, 0x80}, b[20];
        memcpy(b, a, sizeof b);
        CHECK(secret_equal(a, b, n) == 1);
        for (size_t bit = 0; bit < 8 * sizeof b; bit++) {
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
            check_note("%zu bytes, bit %zu differs", n, bit);
            CHECK(secret_equal(a, b, n) == (bit / 8 >= n));
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    return check_done();
}
