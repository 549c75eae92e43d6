/* SPDX-License-Identifier: Apache-2.0
 *
 * hwaead-bench: the command line.
 */
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
    "built, and those that bench/peers/build.sh made. Every peer is checked before it is timed.\n"
    "\n"
    "  --algs LIST       AES-256-GCM (default), AES-256-GCM-SIV, the same with 192 and 128, or all\n"
    "  --ops LIST        seal, open, key (a new key), rekey (a new key and one message); default all\n"
    "  --modes LIST      throughput (independent calls), latency (each nonce waits for the call before)\n"
    "  --sizes LIST      bytes of text, also FROM-TO or FROM-TO:STEP\n"
    "  --aad BYTES       of associated data, 13 unless told, at most 64\n"
    "  --only LIST       peers whose names begin so, for instance core,evp-default\n"
    "  --skip LIST       leave those out\n"
    "  --quick           three sizes, 3 ms a repetition, throughput only\n"
    "  --rounds N        repetitions of each figure, 7 to 101; default 9\n"
    "  --rep-ms MS       length of a repetition; default 10\n"
    "  --tolerance PCT   the reference loop may take so much longer than usual; default 8\n"
    "  --patience S      seconds to spend on waiting for full speed and doing again; default 600\n"
    "  --cpu N           pin to this CPU; default the last one allowed\n"
    "  --module FILE     hwaead.so; default the one of the build tree\n"
    "  --peers DIR       where bench/peers/build.sh put its libraries; default peers beside this program\n"
    "  --json FILE       write everything there, - for standard output instead of the tables\n"
    "  --limits          only measure what this CPU's instructions allow\n"
    "  --list            only list the peers\n"
    "  --progress        show progress on standard error even when that is no terminal\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0; 1 when a peer computes something wrong or nothing could be measured; 2 for bad usage.\n";

struct options {
    struct plan plan;
    const char *only, *skip, *json;
    char module[PATH_MAX], peers[PATH_MAX];
    bool limits, list, progress;
};

/* ---- Parsing ------------------------------------------------------------------------------------------- */

static void bad(const char *what, const char *value)
{
    fprintf(stderr, "hwaead-bench: %s: %s (see --help)\n", what, value);
    exit(2);
}

static unsigned long number(const char *text, unsigned long min, unsigned long max, const char *what)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (end == text || *end != '\0' || n < min || n > max)
        bad(what, text);
    return n;
}

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

static void defaults(struct plan *p)
{
    if (p->nalgs == 0)
        add_alg(p, "AES-256-GCM");
    if (p->nsizes == 0)
        words("16,64,256,1024,1350,4096,8192,16384,65536,131072", add_sizes, p);
    if (memchr(p->ops, true, sizeof p->ops) == NULL)
        words("seal,open,key,rekey", add_op, p);
    if (memchr(p->modes, true, sizeof p->modes) == NULL)
        words("throughput,latency", add_mode, p);
}

static void quick(struct plan *p)
{
    words("16,1024,16384", add_sizes, p);
    add_mode(p, "throughput");
    p->rounds = 7;
    p->rep_ns = 3e6;
}

/* The module of the build tree lies one folder above this program's. */
static void find_files(struct options *o)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    const char *dir;

    exe[n > 0 ? n : 0] = '\0';
    dir = dirname(exe);
    snprintf(o->peers, sizeof o->peers, "%.*s/peers", PATH_MAX - 16, dir);
    snprintf(o->module, sizeof o->module, "%.*s/hwaead.so", PATH_MAX - 16, dirname(exe));
}

static void parse(int argc, char **argv, struct options *o)
{
    enum { ALGS = 256, OPS, MODES, SIZES, AAD, ONLY, SKIP, QUICK, ROUNDS, REP, TOLERANCE, PATIENCE, CPU,
           MODULE, PEERS, JSON, LIMITS, LIST, PROGRESS, HELP, VERSION };
    static const struct option longs[] = {
        { "algs", 1, NULL, ALGS }, { "ops", 1, NULL, OPS }, { "modes", 1, NULL, MODES },
        { "sizes", 1, NULL, SIZES }, { "aad", 1, NULL, AAD }, { "only", 1, NULL, ONLY },
        { "skip", 1, NULL, SKIP }, { "quick", 0, NULL, QUICK }, { "rounds", 1, NULL, ROUNDS },
        { "rep-ms", 1, NULL, REP }, { "tolerance", 1, NULL, TOLERANCE }, { "patience", 1, NULL, PATIENCE },
        { "cpu", 1, NULL, CPU }, { "module", 1, NULL, MODULE }, { "peers", 1, NULL, PEERS },
        { "json", 1, NULL, JSON },
        { "limits", 0, NULL, LIMITS }, { "list", 0, NULL, LIST }, { "progress", 0, NULL, PROGRESS },
        { "help", 0, NULL, HELP }, { "version", 0, NULL, VERSION }, { NULL, 0, NULL, 0 },
    };
    struct plan *p = &o->plan;
    int c;

    *o = (struct options){ .plan = { .aad_len = 13, .rounds = 9, .rep_ns = 10e6, .tolerance = 0.08,
                                     .patience_s = 600, .cpu = -1 },
                           .progress = isatty(STDERR_FILENO) == 1 };
    find_files(o);
    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        switch (c) {
        case ALGS: words(optarg, add_alg, p); break;
        case OPS: words(optarg, add_op, p); break;
        case MODES: words(optarg, add_mode, p); break;
        case SIZES: words(optarg, add_sizes, p); break;
        case AAD: p->aad_len = number(optarg, 0, 64, "bad length of AAD"); break;
        case ONLY: o->only = optarg; break;
        case SKIP: o->skip = optarg; break;
        case QUICK: quick(p); break;
        case ROUNDS: p->rounds = (unsigned)number(optarg, 7, MAX_ROUNDS, "bad number of rounds"); break;
        case REP: p->rep_ns = 1e6 * (double)number(optarg, 1, 10000, "bad length of a repetition"); break;
        case TOLERANCE: p->tolerance = (double)number(optarg, 1, 1000, "bad tolerance") / 100; break;
        case PATIENCE: p->patience_s = (double)number(optarg, 0, 86400, "bad patience"); break;
        case CPU: p->cpu = (int)number(optarg, 0, 1023, "bad CPU"); break;
        case MODULE: snprintf(o->module, sizeof o->module, "%s", optarg); break;
        case PEERS: snprintf(o->peers, sizeof o->peers, "%s", optarg); break;
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
    defaults(p);
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

static size_t count_cells(const struct plan *p)
{
    size_t n = 0;

    for (int mode = 0; mode < MODE_COUNT; mode++) {
        if (!p->modes[mode])
            continue;
        n += (p->ops[OP_SEAL] ? p->nsizes : 0) + (p->ops[OP_OPEN] ? p->nsizes : 0);
        if (mode == MODE_THROUGHPUT)
            n += (p->ops[OP_KEY] ? 1 : 0) + (p->ops[OP_REKEY] ? p->nsizes : 0);
    }
    return n * p->nalgs;
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

    parse(argc, argv, &o);
    text = o.json != NULL && strcmp(o.json, "-") == 0 ? stderr : stdout;
    peers = peers_all(&report.npeers, o.module, o.peers);
    report.peers = peers;
    select_peers(&o, peers, report.npeers);
    if (o.list) {
        list_peers(&o.plan, peers, report.npeers);
        return 0;
    }
    o.plan.cpu = pin_cpu(o.plan.cpu);
    machine_describe(&machine);
    limits_measure(&limits);
    print_head(text, &report);
    fflush(text);
    if (o.limits) {
        print_limits(text, &report);
        return 0;
    }
    if (!measure(&o.plan, peers, report.npeers, &results, progress_new(o.progress, count_cells(&o.plan))))
        return 1;
    limits_measure(&limits);
    if (results.count == 0) {
        fprintf(stderr, "hwaead-bench: no peer could run\n");
        list_peers(&o.plan, peers, report.npeers);
        return 1;
    }
    if (text == stdout) {
        print_tables(text, &report);
        print_limits(text, &report);
    }
    if (o.json != NULL && !write_json(o.json, &report)) {
        fprintf(stderr, "hwaead-bench: cannot write %s\n", o.json);
        return 1;
    }
    free(results.rows);
    return 0;
}
