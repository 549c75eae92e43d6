/* SPDX-License-Identifier: Apache-2.0
 *
 * hwaead-bench: the command line.
 */
#include "arguments.h"
#include "bench.h"

#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: hwaead-bench [options]\n"
    "\n"
    "Measures AES-GCM and AES-GCM-SIV: hwaead's core on every tier, hwaead and the default provider through\n"
    "OpenSSL's EVP, a provider that does nothing (what EVP itself costs), the libraries found when it was\n"
    "built, those that bench/peers/build.sh made, and those of newer Debian suites that bench/suites.sh got,\n"
    "named PEER@SUITE. Every peer is checked before it is timed.\n"
    "\n"
    "  --algs LIST       AES-256-GCM (default), AES-256-GCM-SIV, the same with 192 and 128, or all\n"
    "  --ops LIST        seal, open, key (a new key), rekey (a new key and one message); default all\n"
    "  --modes LIST      throughput (independent calls), latency (each nonce waits for the call before), mix\n"
    "                    (independent calls of random lengths up to 4095: an octave at random, a length in it)\n"
    "  --sizes LIST      bytes of text, also FROM-TO or FROM-TO:STEP; 16 to 131072 in ten steps unless told\n"
    "  --sweep           seal and open at every size to 2048 and every 16th to 8192, in repetitions of 0.3 ms;\n"
    "                    lists the seams: sizes where time jumps, or where a longer message takes less\n"
    "  --seam PCT        how much makes a seam; default 10\n"
    "  --threads N       1 or 2: all threads run at once, each with its own key and messages on its own CPU\n"
    "  --aad BYTES       of associated data, 13 unless told, at most 64\n"
    "  --only LIST       peers whose names begin so, for instance core,evp-default\n"
    "  --skip LIST       leave those out\n"
    "  --quick           three sizes, 3 ms a repetition, throughput only\n"
    "  --rounds N        repetitions of each figure, 7 to 101; default 9\n"
    "  --rep-ms MS       length of a repetition; default 10\n"
    "  --tolerance PCT   the reference loop may take so much longer than usual; default 8\n"
    "  --patience S      seconds to spend on waiting for full speed and doing again; default 120, 20 when quick\n"
    "  --cpu N           pin to this CPU; default the last one allowed\n"
    "  --module FILE     hwaead.so; default the one of the build tree\n"
    "  --peers DIR       where bench/peers/build.sh put its libraries; default peers beside this program\n"
    "  --suites DIR      where bench/suites.sh put Debian's; default suites beside this program\n"
    "  --json FILE       write everything there, - for standard output instead of the tables\n"
    "  --limits          only measure what this CPU's instructions allow\n"
    "  --list            only list the peers\n"
    "  --progress        show progress on standard error even when that is no terminal: a line every 10 s\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0; 1 when a peer computes something wrong or nothing could be measured; 2 for bad usage.\n";

struct options {
    struct plan plan;
    struct places places;
    const char *only, *skip, *json;
    int cpu;
    bool quick, sweep, limits, list, progress;
};

/* ---- Parsing ------------------------------------------------------------------------------------------- */

/* Calls each for every comma-separated word. */
static void words(const char *list, void (*each)(void *arg, const char *word), void *arg)
{
    char *copy = strdup(list), *save = NULL;

    if (copy == NULL)
        abort();
    for (char *w = strtok_r(copy, ",", &save); w != NULL; w = strtok_r(NULL, ",", &save))
        each(arg, w);
    free(copy);
}

static void add_alg(void *arg, const char *word)
{
    struct plan *p = arg;
    bool found = false;

    for (size_t i = 0; i < algorithm_count; i++) {
        if (strcmp(word, "all") != 0 && strcasecmp(word, algorithms[i].name) != 0)
            continue;
        found = true;
        if (p->nalgs < sizeof p->algs / sizeof *p->algs)
            p->algs[p->nalgs++] = &algorithms[i];
    }
    if (!found)
        bad("no such algorithm", word);
}

static void add_op(void *arg, const char *word)
{
    struct plan *p = arg;

    for (size_t i = 0; i < OP_COUNT; i++) {
        if (strcmp(word, op_names[i]) == 0) {
            p->ops[i] = true;
            return;
        }
    }
    bad("no such operation", word);
}

static void add_mode(void *arg, const char *word)
{
    struct plan *p = arg;

    for (size_t i = 0; i < MODE_COUNT; i++) {
        if (strcmp(word, mode_names[i]) == 0) {
            p->modes[i] = true;
            return;
        }
    }
    bad("no such mode", word);
}

static void add_sizes(void *arg, const char *word)
{
    struct plan *p = arg;
    unsigned long from, to, step = 1;
    int n = 0;

    if (sscanf(word, "%lu-%lu:%lu%n", &from, &to, &step, &n) != 3 || word[n] != '\0') {
        step = 1;
        if (sscanf(word, "%lu-%lu%n", &from, &to, &n) != 2 || word[n] != '\0')
            from = to = number(word, 0, 1UL << 26, "bad size");
    }
    if (from > to || to > 1UL << 26 || step == 0)
        bad("bad size", word);
    for (; from <= to; from += step) {
        if (p->nsizes == MAX_SIZES)
            bad("too many sizes", word);
        p->sizes[p->nsizes++] = from;
    }
}

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Ascending, each once. */
static void sort_sizes(struct plan *p)
{
    size_t n = 0;

    qsort(p->sizes, p->nsizes, sizeof *p->sizes, by_size);
    for (size_t i = 0; i < p->nsizes; i++)
        if (i == 0 || p->sizes[i] != p->sizes[i - 1])
            p->sizes[n++] = p->sizes[i];
    p->nsizes = n;
}

/* What the command line left open. */
static void defaults(struct options *o)
{
    struct plan *p = &o->plan;

    if (p->nalgs == 0)
        add_alg(p, "AES-256-GCM");
    if (p->nsizes == 0)
        words(o->sweep ? "0-2048,2064-8192:16" : o->quick ? "16,1024,16384"
              : "16,64,256,1024,1350,4096,8192,16384,65536,131072", add_sizes, p);
    sort_sizes(p);
    if (memchr(p->ops, true, sizeof p->ops) == NULL)
        words(o->sweep ? "seal,open" : "seal,open,key,rekey", add_op, p);
    if (memchr(p->modes, true, sizeof p->modes) == NULL)
        words(o->sweep || o->quick ? "throughput" : "throughput,latency,mix", add_mode, p);
    if (p->rounds == 0)
        p->rounds = o->sweep || o->quick ? MIN_ROUNDS : 9;
    if (p->rep_ns == 0)
        p->rep_ns = o->sweep ? 0.3e6 : o->quick ? 3e6 : 10e6;
    if (p->patience_s < 0)
        p->patience_s = o->quick ? 20 : 120;
    if (!o->sweep)
        p->seam = 0;
}

/* One CPU for each thread, the first as told, and this thread onto its own. */
static void place_threads(struct options *o)
{
    struct plan *p = &o->plan;
    unsigned seen = 0;

    p->cpus[0] = o->cpu >= 0 ? o->cpu : allowed_cpu(0);
    for (unsigned i = 1; i < p->threads; i++) {
        do
            p->cpus[i] = allowed_cpu(seen++);
        while (p->cpus[i] == p->cpus[0]);
        if (p->cpus[i] < 0)
            bad("as many CPUs are not to be had", "--threads");
    }
    if (!pin_cpu(p->cpus[0]))
        bad("this CPU is not to be had", "--cpu");
}

/* The module of the build tree lies one folder above this program's. */
static void find_files(struct places *at)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    const char *dir;

    exe[n > 0 ? n : 0] = '\0';
    dir = dirname(exe);
    snprintf(at->plugins, sizeof at->plugins, "%.*s/peers", PATH_MAX - 16, dir);
    snprintf(at->suites, sizeof at->suites, "%.*s/suites", PATH_MAX - 16, dir);
    snprintf(at->module, sizeof at->module, "%.*s/hwaead.so", PATH_MAX - 16, dirname(exe));
}

static void copy_path(char path[4096], const char *value)
{
    if (strlen(value) >= 4096)
        bad("path too long", value);
    strcpy(path, value);
}

static void parse(int argc, char **argv, struct options *o)
{
    enum { ALGS = 256, OPS, MODES, SIZES, SWEEP, SEAM, THREADS, AAD, ONLY, SKIP, QUICK, ROUNDS, REP, TOLERANCE,
           PATIENCE, CPU, MODULE, PEERS, SUITES, JSON, LIMITS, LIST, PROGRESS, HELP, VERSION };
    static const struct option longs[] = {
        { "algs", 1, NULL, ALGS }, { "ops", 1, NULL, OPS }, { "modes", 1, NULL, MODES },
        { "sizes", 1, NULL, SIZES }, { "sweep", 0, NULL, SWEEP }, { "seam", 1, NULL, SEAM },
        { "threads", 1, NULL, THREADS }, { "aad", 1, NULL, AAD }, { "only", 1, NULL, ONLY },
        { "skip", 1, NULL, SKIP }, { "quick", 0, NULL, QUICK }, { "rounds", 1, NULL, ROUNDS },
        { "rep-ms", 1, NULL, REP }, { "tolerance", 1, NULL, TOLERANCE }, { "patience", 1, NULL, PATIENCE },
        { "cpu", 1, NULL, CPU }, { "module", 1, NULL, MODULE }, { "peers", 1, NULL, PEERS },
        { "suites", 1, NULL, SUITES }, { "json", 1, NULL, JSON },
        { "limits", 0, NULL, LIMITS }, { "list", 0, NULL, LIST }, { "progress", 0, NULL, PROGRESS },
        { "help", 0, NULL, HELP }, { "version", 0, NULL, VERSION }, { NULL, 0, NULL, 0 },
    };
    struct plan *p = &o->plan;
    int c;

    *o = (struct options){ .plan = { .aad_len = 13, .tolerance = 0.08, .patience_s = -1, .threads = 1, .seam = 0.1 },
                           .cpu = -1, .progress = isatty(STDERR_FILENO) == 1 };
    find_files(&o->places);
    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        switch (c) {
        case ALGS: words(optarg, add_alg, p); break;
        case OPS: words(optarg, add_op, p); break;
        case MODES: words(optarg, add_mode, p); break;
        case SIZES: words(optarg, add_sizes, p); break;
        case SWEEP: o->sweep = true; break;
        case SEAM: p->seam = (double)number(optarg, 1, 1000, "bad share") / 100; break;
        case THREADS: p->threads = (unsigned)number(optarg, 1, MAX_THREADS, "bad number of threads"); break;
        case AAD: p->aad_len = number(optarg, 0, AAD_MAX, "bad length of AAD"); break;
        case ONLY: o->only = optarg; break;
        case SKIP: o->skip = optarg; break;
        case QUICK: o->quick = true; break;
        case ROUNDS: p->rounds = (unsigned)number(optarg, MIN_ROUNDS, MAX_ROUNDS, "bad number of rounds"); break;
        case REP: p->rep_ns = 1e6 * (double)number(optarg, 1, 10000, "bad length of a repetition"); break;
        case TOLERANCE: p->tolerance = (double)number(optarg, 1, 1000, "bad tolerance") / 100; break;
        case PATIENCE: p->patience_s = (double)number(optarg, 0, 86400, "bad patience"); break;
        case CPU: o->cpu = (int)number(optarg, 0, 1023, "bad CPU"); break;
        case MODULE: copy_path(o->places.module, optarg); break;
        case PEERS: copy_path(o->places.plugins, optarg); break;
        case SUITES: copy_path(o->places.suites, optarg); break;
        case JSON: o->json = optarg; break;
        case LIMITS: o->limits = true; break;
        case LIST: o->list = true; break;
        case PROGRESS: o->progress = true; break;
        case 'h':
        case HELP: fputs(help, stdout); exit(0);
        case VERSION: printf("hwaead-bench %s\n", hwaead_version()); exit(0);
        default: exit(2);
        }
    }
    if (optind < argc)
        bad("unexpected argument", argv[optind]);
    defaults(o);
}

/* ---- Which peers --------------------------------------------------------------------------------------- */

struct match {
    const char *name;
    bool found;
};

static void match_word(void *arg, const char *word)
{
    struct match *m = arg;

    m->found |= strncmp(m->name, word, strlen(word)) == 0;
}

static bool listed(const char *list, const char *name)
{
    struct match m = { name, false };

    words(list, match_word, &m);
    return m.found;
}

static const char *left_out(struct peer *self, const struct job *job)
{
    (void)self, (void)job;
    return "left out on the command line";
}

static void select_peers(const struct options *o, struct peer *peers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((o->only != NULL && !listed(o->only, peers[i].name))
            || (o->skip != NULL && listed(o->skip, peers[i].name)))
            peers[i].setup = left_out;
}

static void list_peers(const struct plan *plan, struct peer *peers, size_t n)
{
    static const uint8_t key[KEY_MAX], aad[64];
    struct job job = { plan->algs[0], key, aad, plan->aad_len };

    for (size_t i = 0; i < n; i++) {
        const char *why = peers[i].setup(&peers[i], &job);

        printf("%-20s %s%s\n", peers[i].name, why ? "absent: " : "", why ? why : peers[i].version);
        if (why == NULL)
            peers[i].teardown(&peers[i]);
    }
}

static size_t count_steps(const struct plan *p)
{
    size_t n = 0;

    for (int op = 0; op < OP_COUNT; op++)
        for (int mode = 0; mode < MODE_COUNT; mode++)
            n += plan_cells(p, (enum op)op, (enum mode)mode);
    return n * p->nalgs * p->rounds;
}

int main(int argc, char **argv)
{
    static struct options o;
    static struct limits limits;
    struct machine machine;
    struct results results = { 0 };
    struct report report = { &o.plan, &machine, &limits, NULL, 0, &results };
    struct peer *peers;
    FILE *text;

    if (argc == 4 && strcmp(argv[1], "--worker") == 0)
        return suite_worker(argv[2], argv[3]);
    parse(argc, argv, &o);
    text = o.json != NULL && strcmp(o.json, "-") == 0 ? stderr : stdout;
    peers = peers_all(&report.npeers, &o.places, &o.plan);
    report.peers = peers;
    select_peers(&o, peers, report.npeers);
    place_threads(&o);
    if (o.list) {
        list_peers(&o.plan, peers, report.npeers);
        return 0;
    }
    machine_describe(&machine);
    limits_measure(&limits);
    print_head(text, &report);
    fflush(text);
    if (o.limits) {
        print_limits(text, &report);
        return 0;
    }
    if (!measure(&o.plan, peers, report.npeers, &results, progress_new(o.progress, count_steps(&o.plan))))
        return 1;
    limits_measure(&limits);
    if (results.count == 0) {
        fprintf(stderr, "hwaead-bench: no peer could run\n");
        list_peers(&o.plan, peers, report.npeers);
        return 1;
    }
    if (text == stdout) {
        (o.sweep ? print_seams : print_tables)(text, &report);
        print_limits(text, &report);
    }
    if (o.json != NULL && !write_json(o.json, &report)) {
        fprintf(stderr, "hwaead-bench: cannot write %s\n", o.json);
        return 1;
    }
    free(results.rows);
    return 0;
}
