/* SPDX-License-Identifier: Apache-2.0
 *
 * hwaead-bench-random: what RAND_bytes costs with each generator, and what of that is libcrypto's own.
 *
 * Each generator has a library context of its own that a configuration sets up; the thread's default context is
 * changed between repetitions, so that the call timed is the one that programs make.
 */
#include "arguments.h"
#include "bench.h"
#include "config.h"
#include "null_provider.h"

#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

static const char help[] =
    "usage: hwaead-bench-random [options]\n"
    "\n"
    "Measures RAND_bytes: a generator that does nothing (what libcrypto itself costs), the default provider's, and\n"
    "hwaead's, in turn, round by round. With OpenSSL 3.5 or later also hwaead as random_provider.\n"
    "\n"
    "  --sizes LIST      bytes a request; default 12,32,4096,65536\n"
    "  --rounds N        repetitions of each figure, 7 to 101; default 15\n"
    "  --rep-ms MS       length of a repetition; default 5\n"
    "  --cpu N           pin to this CPU; default the last one allowed\n"
    "  --module FILE     hwaead.so; default the one of the build tree\n"
    "  --json FILE       write the figures there, too\n"
    "  --help\n"
    "\n"
    "Exit status: 0; 1 when a generator cannot be had or fails; 2 for bad usage.\n";

enum { MOST_GENERATORS = 5, SIZES = 16, LONGEST = 1 << 24 };

struct generator {
    const char *name;
    const char *random;   /* the line of the section */
    const char *provider; /* of libcrypto's public generator then */
    OSSL_LIB_CTX *lib;
};

/* The first two are what the others are compared with; the last is there from OpenSSL 3.5 on. */
static struct generator generators[MOST_GENERATORS] = {
    { "null", "random = BENCH-NULL-RAND", "bench-null", NULL },
    { "default", "random = CTR-DRBG", "default", NULL },
    { "HWAEAD-CTR-DRBG", "random = HWAEAD-CTR-DRBG", "hwaead", NULL },
    { "HWAEAD-DRBG", "random = HWAEAD-DRBG", "hwaead", NULL },
    { "random_provider", "random_provider = hwaead", "default", NULL },
};
enum { FLOOR, BASE };
static size_t count;

struct options {
    size_t sizes[SIZES], nsizes;
    unsigned rounds;
    double rep_ns;
    int cpu;
    const char *json;
    char module[PATH_MAX];
};

static uint8_t out[LONGEST];

/* ---- Generators ---------------------------------------------------------------------------------------- */

static _Noreturn void fail(const struct generator *g, const char *what)
{
    fprintf(stderr, "hwaead-bench-random: %s: %s\n", g->name, what);
    exit(1);
}

static void set_up(struct generator *g, const char *module)
{
    char text[PATH_MAX + 512];
    EVP_RAND_CTX *public;

    g->lib = OSSL_LIB_CTX_new();
    if (g->lib == NULL || OSSL_PROVIDER_add_builtin(g->lib, "bench-null", null_provider_init) != 1)
        fail(g, "no library context");
    snprintf(text, sizeof text,
             "openssl_conf = bench\n[bench]\nrandom = random_section\nproviders = list\n"
             "[list]\ndefault = on\nbench-null = on\nhwaead = hwaead_section\n[on]\nactivate = 1\n"
             "[hwaead_section]\nmodule = \"%s\"\nactivate = 1\n[random_section]\n%s\n",
             module, g->random);
    if (!load_config(g->lib, text))
        fail(g, "its configuration does not load");
    public = RAND_get0_public(g->lib);
    if (public == NULL)
        fail(g, "there is no such generator");
    if (strcmp(OSSL_PROVIDER_get0_name(EVP_RAND_get0_provider(EVP_RAND_CTX_get0_rand(public))), g->provider) != 0
        || OSSL_PROVIDER_available(g->lib, "hwaead") != 1)
        fail(g, "another provider serves it");
}

/* Two requests that differ, but for the one that writes nothing. */
static void check(const struct generator *g)
{
    uint8_t again[32];

    (void)OSSL_LIB_CTX_set0_default(g->lib);
    memset(out, 0, sizeof again);
    if (RAND_bytes(out, sizeof again) != 1 || RAND_bytes(again, sizeof again) != 1)
        fail(g, "gives no bytes");
    if (g != &generators[FLOOR] && memcmp(out, again, sizeof again) == 0)
        fail(g, "repeats itself");
}

/* ---- Measuring ----------------------------------------------------------------------------------------- */

static double timed(const struct generator *g, size_t size, uint64_t n)
{
    double start;
    bool ok = true;

    (void)OSSL_LIB_CTX_set0_default(g->lib);
    start = clock_cpu_ns();
    for (uint64_t i = 0; i < n; i++)
        ok &= RAND_bytes(out, (int)size) == 1;
    start = clock_cpu_ns() - start;
    if (!ok)
        fail(g, "gives no bytes");
    return start;
}

static uint64_t calibrate(const struct generator *g, size_t size, double rep_ns)
{
    uint64_t n = 1;
    double t;

    while ((t = timed(g, size, n)) < rep_ns / 8)
        n *= 2;
    return (uint64_t)((double)n * rep_ns / t) + 1;
}

static void measure_size(const struct options *o, struct calm *calm, size_t size, struct spread result[MOST_GENERATORS])
{
    static double ns[MOST_GENERATORS][MAX_ROUNDS];
    uint64_t n[MOST_GENERATORS];

    for (size_t i = 0; i < count; i++)
        n[i] = calibrate(&generators[i], size, o->rep_ns);
    for (unsigned round = 0; round < o->rounds; round++) {
        for (size_t k = 0; k < count; k++) {
            size_t i = round % 2 ? count - 1 - k : k;

            (void)calm_wait(calm);
            ns[i][round] = timed(&generators[i], size, n[i]) / (double)n[i];
        }
    }
    for (size_t i = 0; i < count; i++)
        result[i] = spread_of(ns[i], o->rounds);
}

/* ---- Output -------------------------------------------------------------------------------------------- */

static void print_size(size_t size, const struct spread s[MOST_GENERATORS])
{
    for (size_t i = 0; i < count; i++) {
        printf("%8zu  %-16s %9.1f ns  %7.3f GB/s", size, generators[i].name, s[i].median,
               (double)size / s[i].median);
        if (i == FLOOR)
            printf("\n");
        else
            printf("  %6.2f x the floor  %6.2f x as fast as default\n", s[i].median / s[FLOOR].median,
                   s[BASE].median / s[i].median);
    }
    fflush(stdout);
}

static void write_figures(const struct options *o, const struct machine *m, struct spread s[][MOST_GENERATORS])
{
    FILE *f = fopen(o->json, "w");

    if (f == NULL) {
        fprintf(stderr, "hwaead-bench-random: cannot write %s\n", o->json);
        exit(1);
    }
    fprintf(f, "{\"cpu\": \"%s\", \"openssl\": \"%s\", \"rounds\": %u, \"rep_ms\": %.0f,\n \"results\": [\n", m->cpu,
            OpenSSL_version(OPENSSL_VERSION), o->rounds, o->rep_ns / 1e6);
    for (size_t j = 0; j < o->nsizes; j++)
        for (size_t i = 0; i < count; i++)
            fprintf(f, "  {\"generator\": \"%s\", \"size\": %zu, \"min\": %.2f, \"q1\": %.2f, \"median\": %.2f, "
                       "\"q3\": %.2f, \"max\": %.2f}%s\n",
                    generators[i].name, o->sizes[j], s[j][i].min, s[j][i].q1, s[j][i].median, s[j][i].q3,
                    s[j][i].max, j + 1 == o->nsizes && i + 1 == count ? "" : ",");
    fprintf(f, "]}\n");
    if (fclose(f) != 0) {
        fprintf(stderr, "hwaead-bench-random: cannot write %s\n", o->json);
        exit(1);
    }
}

/* ---- The command line ---------------------------------------------------------------------------------- */

static void set_sizes(struct options *o, char *list)
{
    char *save = NULL;

    o->nsizes = 0;
    for (char *w = strtok_r(list, ",", &save); w != NULL; w = strtok_r(NULL, ",", &save)) {
        if (o->nsizes == SIZES)
            bad("too many sizes", w);
        o->sizes[o->nsizes++] = number(w, 1, LONGEST, "bad size");
    }
}

static void parse(int argc, char **argv, struct options *o)
{
    enum { SIZES_OPT = 256, ROUNDS, REP, CPU, MODULE, JSON, HELP };
    static const struct option longs[] = {
        { "sizes", 1, NULL, SIZES_OPT }, { "rounds", 1, NULL, ROUNDS }, { "rep-ms", 1, NULL, REP },
        { "cpu", 1, NULL, CPU }, { "module", 1, NULL, MODULE }, { "json", 1, NULL, JSON },
        { "help", 0, NULL, HELP }, { NULL, 0, NULL, 0 },
    };
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    int c;

    *o = (struct options){ .sizes = { 12, 32, 4096, 65536 }, .nsizes = 4, .rounds = 15, .rep_ns = 5e6, .cpu = -1 };
    exe[n > 0 ? n : 0] = '\0';
    snprintf(o->module, sizeof o->module, "%.*s/hwaead.so", PATH_MAX - 16, dirname(dirname(exe)));
    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        switch (c) {
        case SIZES_OPT: set_sizes(o, optarg); break;
        case ROUNDS: o->rounds = (unsigned)number(optarg, 7, MAX_ROUNDS, "bad number of rounds"); break;
        case REP: o->rep_ns = 1e6 * (double)number(optarg, 1, 10000, "bad length of a repetition"); break;
        case CPU: o->cpu = (int)number(optarg, 0, 1023, "bad CPU"); break;
        case MODULE: snprintf(o->module, sizeof o->module, "%s", optarg); break;
        case JSON: o->json = optarg; break;
        case 'h':
        case HELP: fputs(help, stdout); exit(0);
        default: exit(2);
        }
    }
    if (optind < argc)
        bad("unexpected argument", argv[optind]);
}

int main(int argc, char **argv)
{
    static struct spread result[SIZES][MOST_GENERATORS];
    struct options o;
    struct machine machine;
    struct calm calm;

    parse(argc, argv, &o);
    (void)pin_cpu(o.cpu >= 0 ? o.cpu : allowed_cpu(0));
    count = OpenSSL_version_num() >= 0x30500000 ? MOST_GENERATORS : MOST_GENERATORS - 1;
    machine_describe(&machine);
    printf("hwaead-bench-random %s: RAND_bytes, medians of %u repetitions of %.0f ms, generators in turn\n",
           hwaead_version(), o.rounds, o.rep_ns / 1e6);
    printf("%s, %s, %s\n", machine.cpu, OpenSSL_version(OPENSSL_VERSION), machine.compiler);
    for (size_t i = 0; i < count; i++) {
        set_up(&generators[i], o.module);
        check(&generators[i]);
    }
    calm_init(&calm, 0.08, 60);
    for (size_t j = 0; j < o.nsizes; j++) {
        measure_size(&o, &calm, o.sizes[j], result[j]);
        print_size(o.sizes[j], result[j]);
    }
    (void)OSSL_LIB_CTX_set0_default(NULL);
    if (o.json != NULL)
        write_figures(&o, &machine, result);
    return 0;
}
