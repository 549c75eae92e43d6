/* SPDX-License-Identifier: Apache-2.0 */
#include "entropy.h"

#include <errno.h>
#include <pthread.h>
#include <sys/random.h>
#include <time.h>

#include "cpu.h"
#include "secret.h"

/* ---- The operating system --------------------------------------------------------------------------------- */

int entropy_os(const struct entropy *source, uint8_t *out, size_t n)
{
    size_t done = 0;
    while (done < n) {
        ssize_t got = source->os(source->arg, out + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            secret_wipe(out, n);
            return 0;
        }
        done += (size_t)got;
    }
    return 1;
}

/* ---- The CPU ---------------------------------------------------------------------------------------------- */

/* Samples of one instruction until there are ENTROPY_SAMPLES in all or the tries are used up. */
static size_t sample(int (*cpu)(void *, uint64_t *), void *arg, uint64_t *samples, size_t have)
{
    for (unsigned tries = 0; cpu != NULL && have < ENTROPY_SAMPLES && tries < ENTROPY_TRIES; tries++)
        have += cpu(arg, &samples[have]) != 0;
    return have;
}

static void draw_from_cpu(const struct entropy *source, struct health *health, uint64_t samples[ENTROPY_SAMPLES])
{
    if (atomic_load_explicit(source->cpu_failed, memory_order_relaxed))
        return;
    size_t have = sample(source->cpu_seed, source->arg, samples, 0);
    have = sample(source->cpu_random, source->arg, samples, have);
    for (size_t i = 0; i < have; i++)
        if (!health_sample(health, samples[i]))
            atomic_store_explicit(source->cpu_failed, 1, memory_order_relaxed);
    memset(samples + have, 0, (ENTROPY_SAMPLES - have) * sizeof *samples);
}

/* ---- Both ------------------------------------------------------------------------------------------------- */

/* Tells copies of a virtual machine apart where all else is equal. */
static uint64_t nanoseconds(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int entropy_draw(const struct entropy *source, struct health *health, struct entropy_seed *seed)
{
    *seed = (struct entropy_seed){.extra = {[ENTROPY_SAMPLES] = nanoseconds()}};
    if (!entropy_os(source, seed->os, sizeof seed->os)) {
        secret_wipe(seed, sizeof *seed);
        return 0;
    }
    draw_from_cpu(source, health, seed->extra);
    return 1;
}

/* ---- This machine ----------------------------------------------------------------------------------------- */

/* getrandom is a cancellation point: a thread that ended in it would keep its caller's locks. */
static ssize_t machine_os(void *arg, uint8_t *out, size_t n)
{
    int state;
    (void)arg;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    const ssize_t got = getrandom(out, n, 0);
    const int why = errno;
    (void)pthread_setcancelstate(state, NULL);
    errno = why;
    return got;
}

static int machine_cpu_seed(void *arg, uint64_t *sample)
{
    (void)arg;
    return (cpu_features() & CPU_HAS_SEED) && entropy_cpu_seed(sample);
}

static int machine_cpu_random(void *arg, uint64_t *sample)
{
    (void)arg;
    return (cpu_features() & CPU_HAS_RANDOM) && entropy_cpu_random(sample);
}

static atomic_int machine_cpu_failed;

const struct entropy entropy_machine = {
    .os = machine_os,
    .cpu_seed = machine_cpu_seed,
    .cpu_random = machine_cpu_random,
    .cpu_failed = &machine_cpu_failed,
};
