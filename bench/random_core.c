/* SPDX-License-Identifier: Apache-2.0
 *
 * hwaead-bench-random-core: what the core's random source costs without libcrypto, and what it is made of: the raw key
 * stream, one request of the DRBG, a clock, a seed.
 */
#include "arch.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "random.h"

enum { ROUNDS = 31, MOST = 1 << 20 };

static uint8_t out[MOST];
static struct drbg drbg;
static struct aes_schedule schedule;
static const struct kernel *kernel;
static hwaead_err (*late_key32)(uint8_t *), (*late_nonce12)(uint8_t *);

/* ---- What is timed: each gives one result ---- */

static void key32(size_t n) { (void)n, (void)hwaead_random_key32(out); }
static void nonce12(size_t n) { (void)n, (void)hwaead_random_nonce12(out); }
static void key32_late(size_t n) { (void)n, (void)late_key32(out); }
static void nonce12_late(size_t n) { (void)n, (void)late_nonce12(out); }
static void bytes(size_t n) { (void)hwaead_random_bytes(out, n); }
static void raw_key_stream(size_t n) { kernel->key_stream(&schedule, AES_MAX_ROUNDS, out, drbg.v, n); }
static void drbg_request(size_t n) { (void)drbg_generate(&drbg, out, n, (struct drbg_input){NULL, 0}); }
static void clock_time(size_t n) { (void)n, out[0] = (uint8_t)time(NULL); }

static void clock_of(clockid_t id)
{
    struct timespec now;
    (void)clock_gettime(id, &now);
    out[0] = (uint8_t)now.tv_sec;
}

static void clock_coarse(size_t n) { (void)n, clock_of(CLOCK_MONOTONIC_COARSE); }

static void clock_of_cpu(size_t n) { (void)n, out[0] = (uint8_t)arch_counter(); }

static void seed(size_t n)
{
    static struct health health;
    struct entropy_seed s;
    (void)n, (void)entropy_draw(&entropy_machine, &health, &s);
}

static const struct row {
    const char *name;
    size_t n; /* bytes, 0: none to speak of */
    void (*run)(size_t n);
} rows[] = {
    {"hwaead_random_key32", 32, key32},
    {"hwaead_random_nonce12", 12, nonce12},
    {"  the same, loaded late", 32, key32_late},
    {"", 12, nonce12_late},
    {"hwaead_random_bytes", 12, bytes},
    {"", 32, bytes},
    {"", 256, bytes},
    {"", 4096, bytes},
    {"", 65536, bytes},
    {"", MOST, bytes},
    {"raw AES-256 key stream", 4096, raw_key_stream},
    {"", 65536, raw_key_stream},
    {"", MOST, raw_key_stream},
    {"one DRBG request", 12, drbg_request},
    {"", 32, drbg_request},
    {"", 4096, drbg_request},
    {"", 65536, drbg_request},
    {"time()", 0, clock_time},
    {"CLOCK_MONOTONIC_COARSE", 0, clock_coarse},
    {"the CPU's counter", 0, clock_of_cpu},
    {"a seed, OS and CPU", 0, seed},
};

/* ---- Measuring ---- */

static double timed(const struct row *row, unsigned n)
{
    const double start = clock_cpu_ns();
    for (unsigned i = 0; i < n; i++) {
        row->run(row->n);
        __asm__ volatile("" : : : "memory");
    }
    return (clock_cpu_ns() - start) / n;
}

/* The public functions in a copy of the library that is loaded as a plug-in is. */
static void load_late(void)
{
    char exe[PATH_MAX], path[PATH_MAX + 32];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    snprintf(path, sizeof path, "%s/libhwaead.so", dirname(dirname(exe)));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *key = library != NULL ? dlsym(library, "hwaead_random_key32") : NULL;
    void *nonce = library != NULL ? dlsym(library, "hwaead_random_nonce12") : NULL;
    if (key == NULL || nonce == NULL) {
        fprintf(stderr, "hwaead-bench-random-core: %s\n", dlerror());
        exit(1);
    }
    memcpy(&late_key32, &key, sizeof key);
    memcpy(&late_nonce12, &nonce, sizeof nonce);
}

int main(int argc, char **argv)
{
    struct machine machine;
    (void)argv;
    if (argc != 1) {
        fprintf(stderr, "usage: hwaead-bench-random-core (takes some seconds; the core's random source, step by step)\n");
        return 2;
    }
    kernel = kernel_of(HWAEAD_TIER_AUTO);
    if (kernel == NULL || hwaead_random_bytes(out, DRBG_SEED_LEN) != HWAEAD_OK) {
        fprintf(stderr, "hwaead-bench-random-core: no random bytes here\n");
        return 1;
    }
    const struct drbg_input entropy = {out, DRBG_SEED_LEN}, none = {NULL, 0};
    (void)drbg_instantiate(&drbg, kernel, 0, entropy, none, none);
    kernel->aes_expand(&schedule, out, AES_MAX_ROUNDS);
    load_late();
    (void)pin_cpu(allowed_cpu(0));
    machine_describe(&machine);
    printf("hwaead-bench-random-core %s, tier %s: medians of %d repetitions\n%s, %s\n", hwaead_version(), kernel->name,
           ROUNDS, machine.cpu, machine.compiler);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double ns[ROUNDS];
        const unsigned n = (unsigned)(2e6 / (timed(&rows[i], 20) + 1)) + 1; /* some 2 ms */
        for (unsigned round = 0; round < ROUNDS; round++)
            ns[round] = timed(&rows[i], n);
        const double median = spread_of(ns, ROUNDS).median;
        printf("%-24s", rows[i].name);
        if (rows[i].n != 0)
            printf("%8zu bytes %10.1f ns %8.3f GB/s\n", rows[i].n, median, (double)rows[i].n / median);
        else
            printf("%14s %10.1f ns\n", "", median);
    }
    return 0;
}
