/* SPDX-License-Identifier: Apache-2.0
 *
 * Time, the reference loop, statistics.
 */
#include "arch.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double read_clock(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double clock_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double clock_wall_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void sleep_ms(unsigned ms)
{
    struct timespec t = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000L };

    nanosleep(&t, NULL);
}

bool pin_cpu(int cpu)
{
    cpu_set_t set;

    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return false;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

int allowed_cpu(unsigned i)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return -1;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
        if (CPU_ISSET((unsigned)cpu, &set) && i-- == 0)
            return cpu;
    return -1;
}

static double reference_loop(void)
{
    double start = clock_cpu_ns();

    arch_reference(25000);
    return clock_cpu_ns() - start;
}

enum { LOWEST = sizeof((struct calm *)0)->lowest / sizeof(double) };

/* Keeps the shortest times, ascending. */
static void note_reference(struct calm *c, double t)
{
    size_t i = LOWEST - 1;

    if (t >= c->lowest[i])
        return;
    for (; i > 0 && c->lowest[i - 1] > t; i--)
        c->lowest[i] = c->lowest[i - 1];
    c->lowest[i] = t;
}

void calm_init(struct calm *c, double tolerance, double patience_s)
{
    *c = (struct calm){ .tolerance = tolerance, .patience = patience_s * 1e9 };
    for (size_t i = 0; i < LOWEST; i++)
        c->lowest[i] = 1e18;
    for (int i = 0; i < 200; i++)
        note_reference(c, reference_loop());
}

bool calm_now(struct calm *c)
{
    double t = reference_loop();

    note_reference(c, t);
    if (t <= c->lowest[LOWEST - 1] * (1 + c->tolerance))
        return true;
    c->slowed++;
    return false;
}

bool calm_wait(struct calm *c)
{
    while (!calm_now(c)) {
        double start = clock_wall_ns();

        if (c->patience <= 0)
            return false;
        sleep_ms(20);
        c->patience -= clock_wall_ns() - start;
    }
    return true;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Linear between the two nearest of n sorted values. */
static double quantile(const double *x, size_t n, double p)
{
    double at = p * (double)(n - 1);
    size_t i = (size_t)at;

    return i + 1 < n ? x[i] + (at - (double)i) * (x[i + 1] - x[i]) : x[n - 1];
}

struct spread spread_of(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
    return (struct spread){ x[0], quantile(x, n, 0.25), quantile(x, n, 0.5), quantile(x, n, 0.75), x[n - 1] };
}
