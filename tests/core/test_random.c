/* SPDX-License-Identifier: Apache-2.0
 *
 * A generator that seeds itself, on one tier, with a source, a clock and a process of our choice: when it draws a
 * seed, what it never gives out, what a source that fails does to it, and what stays in its state.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "memory.h"
#include "random.h"
#include "tier.h"

static const struct kernel *kernel;

/* ---- A source and a clock ---- */

static struct {
    unsigned draws;      /* seeds that were begun */
    unsigned fail_from;  /* the draw from which on the OS fails; 0: none */
    size_t at_once;      /* the most bytes of one call; 0: all */
    size_t given;        /* bytes of the present seed */
    uint64_t samples;
    uint64_t stuck_from; /* the CPU's sample from which on all are equal; 0: none */
    uint64_t constant_cpu; /* all of the CPU's samples; 0: random ones */
    struct rng rng;
} script;

static ssize_t os(void *arg, uint8_t *out, size_t n)
{
    CHECK(arg == &script && n > 0 && script.given + n <= ENTROPY_OS_LEN);
    if (script.given == 0)
        script.draws++;
    if (script.fail_from != 0 && script.draws >= script.fail_from) {
        script.given = 0;
        errno = EIO;
        return -1;
    }
    if (script.at_once != 0 && n > script.at_once)
        n = script.at_once;
    rng_fill(&script.rng, out, n);
    script.given = (script.given + n) % ENTROPY_OS_LEN;
    return (ssize_t)n;
}

static int cpu(void *arg, uint64_t *sample)
{
    (void)arg;
    script.samples++;
    *sample = script.constant_cpu != 0 ? script.constant_cpu : script.stuck_from != 0 && script.samples >= script.stuck_from ? 5 : rng_next(&script.rng);
    return 1;
}

/* The time that goes into seeds. */
static long nanoseconds;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    CHECK(clock == CLOCK_REALTIME);
    *t = (struct timespec){1, nanoseconds};
    return 0;
}

static atomic_int cpu_failed;
static const struct entropy source = {.os = os, .cpu_seed = cpu, .cpu_failed = &cpu_failed, .arg = &script};

static time_t now;

static time_t clock_of_test(time_t *out)
{
    (void)out;
    return now;
}

static struct random_rules rules;
static struct random r;
static uint8_t out[1 << 20];

static void start(uint64_t requests)
{
    fork_watch_stop(&rules.forks);
    secret_wipe(&r, sizeof r);
    memset(&script, 0, sizeof script);
    script.rng.state = 77;
    atomic_store(&cpu_failed, 0);
    now = 1000000;
    rules = (struct random_rules){.source = &source, .kernel = kernel, .clock = clock_of_test, .seconds = 60,
                                  .requests = requests};
}

static bool shares_a_block(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
    for (size_t i = 0; i + 16 <= n; i += 16)
        if (memmem(b, m, a + i, 16) != NULL)
            return true;
    return false;
}

/* n bytes, with as many seeds drawn for them as we say. */
static void get(size_t n, unsigned seeds)
{
    const unsigned before = script.draws;
    memset(out, 0, n < 64 ? 64 : n);
    CHECK(random_generate(&rules, &r, out, n) == HWAEAD_OK);
    CHECK(script.draws - before == seeds);
    CHECK(n < 16 || !all_bytes(out, n, 0));
    for (size_t i = 0; i + 16 <= n && i < 4096; i += 16)
        CHECK(memmem(&r, sizeof r, out + i, 16) == NULL);
}

/* ---- Cases ---- */

static void requests(void)
{
    static const size_t lens[] = {0, 1, 12, 16, 32, 511, 512, 513, 4096, 65535, 65536, 65537, 131072, 200000, 1 << 20};
    start(RANDOM_REQUESTS);
    struct guarded g = guarded_new(1 << 20);
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        check_note("a request of %zu bytes", lens[i]);
        get(lens[i], i == 1); /* the first byte needs the seed */
        uint8_t *at = guarded_end(&g, lens[i]);
        CHECK(random_generate(&rules, &r, at, lens[i]) == HWAEAD_OK);
        CHECK(!shares_a_block(out, lens[i] < 70000 ? lens[i] : 70000, at, lens[i]));
    }
    guarded_free(&g);
    check_note("the pieces of a long request differ");
    get(200000, 0);
    CHECK(!shares_a_block(out, 65536, out + 65536, 200000 - 65536));
}

static void by_time(void)
{
    start(RANDOM_REQUESTS);
    check_note("a seed and its age");
    get(32, 1);
    now += 59;
    get(32, 0);
    now += 1;
    const struct random old = r;
    get(32, 1);
    CHECK(memmem(&old, sizeof old, out, 16) == NULL); /* what waited was not given out */
    CHECK(!shares_a_block(old.fast.buffer + 64, FAST_BUFFER - 64, r.fast.buffer, FAST_BUFFER));
    for (unsigned i = 0; i < 300; i++) { /* a request a second: five seeds more */
        now++;
        get(12, (i + 1) % 60 == 0);
    }
    check_note("a clock that is set back, or far ahead");
    now -= 1;
    get(12, 1);
    now -= 1000000;
    get(12, 1);
    now = INT64_MAX;
    get(12, 1);
    get(12, 0);

    check_note("other intervals");
    rules.seconds = 1;
    get(12, 0);
    now -= 1;
    get(12, 1);
    now += 1;
    get(12, 1);
    rules.seconds = 0;
    get(12, 1);
    get(12, 1);
    get(65536 * 3, 3);
    rules.seconds = UINT32_MAX;
    get(12, 0);
}

/* Restored twice from one snapshot: the same bytes while the seed is young, which nothing here can tell, and never
 * again after. */
static void snapshots(void)
{
    uint8_t first[8192];
    start(RANDOM_REQUESTS);
    get(100, 1);
    const struct random snapshot = r;
    check_note("a snapshot");
    get(1000, 0);
    memcpy(first, out, 1000);
    r = snapshot;
    get(1000, 0);
    CHECK_BYTES(out, first, 1000);
    now += 60;
    r = snapshot;
    get(sizeof first, 1);
    memcpy(first, out, sizeof first);
    r = snapshot;
    get(sizeof first, 1);
    CHECK(!shares_a_block(first, sizeof first, out, sizeof first));
}

static void by_count(void)
{
    start(1);
    check_note("one request of the DRBG a seed");
    get(512, 1);
    for (unsigned i = 1; i < FAST_BUFFER / 512; i++)
        get(512, 0);
    get(512, 1);
    get(513, 1); /* the DRBG's own, so the buffer is forgotten */
    get(513, 1);
    get(65536 * 4, 4);
    start(3);
    check_note("three");
    get(513, 1);
    get(1, 0);
    get(65536, 0);
    get(512, 0); /* waits in the buffer */
    CHECK(r.fast.drbg.reseed_counter == 4);
    get(513, 1);
    CHECK(r.fast.drbg.reseed_counter == 2 && r.fast.left == 0);
    start(DRBG_MAX_REQUESTS);
    get(12, 1);
    r.fast.drbg.reseed_counter = DRBG_MAX_REQUESTS;
    check_note("the standard's own limit");
    get(513, 0);
    get(513, 1);
}

/* In a child that gets its draws counted in its exit code. */
static void child_draws(unsigned seeds)
{
    const struct random old = r;
    int status;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        get(32, seeds);
        const bool fresh = seeds == 0 || !shares_a_block(out, 32, old.fast.buffer, FAST_BUFFER);
        CHECK(fresh);
        get(32, 0);
        _exit(check_done());
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    get(32, 0);
}

static void by_process(void)
{
    for (int wiped = 1; wiped >= 0; wiped--) {
        start(RANDOM_REQUESTS);
        check_note("children, %s", wiped ? "by the page" : "by process id");
        if (!wiped)
            atomic_store(&rules.forks.page, &rules.forks.none);
        get(32, 1);
        child_draws(1);
        child_draws(1);
        if (!wiped)
            atomic_store(&rules.forks.page, NULL); /* nothing to unmap */
    }
}

/* ---- Sources that fail ---- */

static void failed(size_t n)
{
    memset(out, 0x77, n + 1);
    CHECK(random_generate(&rules, &r, out, n) == HWAEAD_ERR_ENTROPY);
    CHECK(all_bytes(out, n, 0) && out[n] == 0x77);
    CHECK(all_bytes(&r, sizeof r, 0));
}

static void failures(void)
{
    static const size_t lens[] = {1, 12, 32, 600, 65536, 300000};
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        check_note("no first seed, %zu bytes", lens[i]);
        start(RANDOM_REQUESTS);
        script.fail_from = 1;
        failed(lens[i]);
        failed(lens[i]);
        script.fail_from = 0;
        get(lens[i], 1);

        check_note("no second seed, %zu bytes", lens[i]);
        start(RANDOM_REQUESTS);
        get(lens[i], 1);
        script.fail_from = 2;
        get(12, 0); /* not yet due */
        now += 60;
        failed(lens[i]);
        script.fail_from = 0;
        get(lens[i], 1);
        get(lens[i], 0);
    }
    check_note("no third seed in one long request");
    start(1);
    script.fail_from = 3;
    failed(300000);
    CHECK(script.draws == 3);
    script.fail_from = 0;
    get(12, 1);

    check_note("a request of nothing needs no source");
    start(RANDOM_REQUESTS);
    script.fail_from = 1;
    CHECK(random_generate(&rules, &r, NULL, 0) == HWAEAD_OK && script.draws == 0);

    check_note("a byte at a time");
    start(RANDOM_REQUESTS);
    script.at_once = 1;
    get(32, 1);

    check_note("a CPU that gets stuck");
    start(RANDOM_REQUESTS);
    script.stuck_from = 6; /* in the second seed */
    get(32, 1);
    CHECK(script.samples == ENTROPY_SAMPLES && !cpu_failed);
    now += 60;
    get(32, 1);
    CHECK(script.samples == 2 * ENTROPY_SAMPLES && cpu_failed && r.health.failed);
    now += 60;
    get(32, 1);
    CHECK(script.samples == 2 * ENTROPY_SAMPLES);
}

/* The OS's bytes, the CPU's and the time: each alone sends a generator another way, and nothing else does. */
static void blending(void)
{
    uint8_t first[64];
    for (int differs = 0; differs < 4; differs++) {
        for (int again = 0; again < 2; again++) {
            start(RANDOM_REQUESTS);
            script.rng.state = again && differs == 1 ? 2 : 1;
            script.constant_cpu = differs != 2 ? 9 : 9 + (uint64_t)again;
            nanoseconds = again && differs == 3 ? 2 : 1;
            get(sizeof first, 1);
            if (!again)
                memcpy(first, out, sizeof first);
        }
        check_note("%s", (const char *[]){"all equal", "another OS", "another CPU", "another time"}[differs]);
        CHECK((memcmp(first, out, sizeof first) == 0) == (differs == 0));
        CHECK(shares_a_block(first, sizeof first, out, sizeof first) == (differs == 0));
    }
}

int main(int argc, char **argv)
{
    kernel = tier_from_args(argc, argv);
    requests();
    by_time();
    snapshots();
    by_count();
    by_process();
    failures();
    blending();
    return check_done();
}
