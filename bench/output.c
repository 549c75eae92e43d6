/* SPDX-License-Identifier: Apache-2.0
 *
 * Text tables, JSON, progress.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <openssl/crypto.h>

static const char BASE[] = "evp-default";

static const char *peer_state(const struct peer *p)
{
    return *p->version ? p->version : p->absent != NULL ? p->absent : "left out";
}

/* ---- Head and limits ----------------------------------------------------------------------------------- */

void print_head(FILE *f, const struct report *r)
{
    const struct machine *m = r->machine;

    fprintf(f, "hwaead-bench %s\n", hwaead_version());
    fprintf(f, "machine      %s (%s%sfamily %u model %u stepping %u), %u CPUs%s%s, %s\n", m->cpu, m->core,
            *m->core ? ", " : "", m->family, m->model, m->stepping, m->cpus, *m->hypervisor ? ", under " : "",
            m->hypervisor, m->kernel);
    fprintf(f, "clock        %.2f GHz, measured\n", 1 / r->limits->cycle_ns);
    fprintf(f, "tiers        %s\n", *m->tiers ? m->tiers : "none: this CPU cannot run hwaead");
    fprintf(f, "OpenSSL      %s\n", OpenSSL_version(OPENSSL_VERSION));
    fprintf(f, "compiler     %s, %s\n", m->compiler, BENCH_BUILD_TYPE);
}

static void print_method(FILE *f, const struct report *r)
{
    const struct plan *p = r->plan;
    const struct results *s = r->results;

    fprintf(f, "method       %zu bytes of AAD, medians of %u repetitions of %.3g ms, peers in turn, CPU %d\n",
            p->aad_len, p->rounds, p->rep_ns / 1e6, p->cpus[0]);
    if (p->threads > 1)
        fprintf(f, "             %u threads at once, the other on CPU %d: ns is of one thread, GB/s of both\n",
                p->threads, p->cpus[1]);
    fprintf(f, "             the loop itself and its call: %.1f ns, included in every figure\n",
            s->harness_ns);
    fprintf(f, "             %u repetitions done again beside a slowed moment, %u kept although slowed\n",
            s->redone, s->slowed);
    for (size_t i = 0; i < r->npeers; i++)
        fprintf(f, "%s %-20s %s%s\n", i ? "            " : "peers       ", r->peers[i].name,
                *r->peers[i].version ? "" : "absent: ", peer_state(&r->peers[i]));
}

static void print_siv_limits(FILE *f, const struct report *r)
{
    fprintf(f, "\n%-9s AES-256-GCM-SIV, cycles per 64 bytes\n", "");
    fprintf(f, "%-9s %15s %14s %8s %15s %14s %8s\n", "tier", "seal schoolbook", "seal Karatsuba", "GB/s",
            "open schoolbook", "open Karatsuba", "GB/s");
    for (size_t i = 1; i < LIMIT_TIERS; i++) {
        const struct tier_limits *t = &r->limits->tier[i];

        if (t->known)
            fprintf(f, "%-9s %15.2f %14.2f %8.1f %15.2f %14.2f %8.1f\n", hwaead_tier_name((hwaead_tier)i), t->siv_school[2],
                    t->siv_karatsuba[2], 64 / (t->siv_school[2] * r->limits->cycle_ns), t->school[2],
                    t->karatsuba[2], 64 / (t->school[2] * r->limits->cycle_ns));
    }
    fprintf(f, "seal: the AES of a CTR pass and the multiplies of a POLYVAL pass added up;\n"
               "open: one pass, as GCM.\n");
}

void print_limits(FILE *f, const struct report *r)
{
    if (!limits_known(r->limits)) {
        fprintf(f, "\nLimits of this CPU: - (there are no loops to measure them here)\n");
        return;
    }
    fprintf(f, "\nLimits of this CPU, measured at %.2f GHz: cycles\n", 1 / r->limits->cycle_ns);
    fprintf(f, "%-9s %19s %31s   %s\n", "", "latency", "between independent ones",
            "AES-256-GCM, per 64 bytes");
    fprintf(f, "%-9s %9s %9s %7s %7s %7s %7s   %10s %10s %10s %8s\n", "tier", "AES round", "multiply", "AES",
            "mult.", "logic", "shuffle", "schoolbook", "Karatsuba", "all work", "GB/s");
    for (size_t i = 1; i < LIMIT_TIERS; i++) {
        const struct tier_limits *t = &r->limits->tier[i];

        if (t->known)
            fprintf(f, "%-9s %9.2f %9.2f %7.2f %7.2f %7.2f %7.2f   %10.2f %10.2f %10.2f %8.1f\n",
                    hwaead_tier_name((hwaead_tier)i), t->aes_latency, t->clmul_latency, t->aes, t->clmul, t->logic, t->shuffle,
                    t->school[2], t->karatsuba[2], t->all[2], 64 / (t->school[2] * r->limits->cycle_ns));
    }
    fprintf(f, "schoolbook, Karatsuba: AES rounds and multiplies alone, a reduction in 256 bytes; all work:\n"
               "the first with counters, whitening, byte reversals and sums as well; GB/s: of schoolbook.\n");
    print_siv_limits(f, r);
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static bool same_cell(const struct cell *a, const struct cell *b)
{
    return a->alg == b->alg && a->op == b->op && a->mode == b->mode && a->size == b->size;
}

static const struct result *find(const struct results *s, const struct cell *cell, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (same_cell(&s->rows[i].cell, cell) && strcmp(s->rows[i].peer->name, name) == 0)
            return &s->rows[i];
    return NULL;
}

static void print_number(FILE *f, double x, bool doubtful)
{
    if (!(x > 0))
        fprintf(f, " %8s ", "");
    else
        fprintf(f, " %8.*f%c", x < 10 ? 2 : x < 1000 ? 1 : 0, x, doubtful ? '~' : ' ');
}

enum unit { UNIT_NS, UNIT_GBPS, UNIT_RATIO };

static double bytes_of(const struct cell *cell)
{
    return cell->mode == MODE_MIX ? mix_mean() : (double)cell->size;
}

static double value_of(const struct report *r, const struct result *x, enum unit unit)
{
    const struct result *base;

    switch (unit) {
    case UNIT_NS:
        return x->ns.median;
    case UNIT_GBPS:
        return bytes_of(&x->cell) * r->plan->threads / x->ns.median;
    case UNIT_RATIO:
        base = find(r->results, &x->cell, BASE);
        return base != NULL ? base->ns.median / x->ns.median : 0;
    }
    return 0;
}

/* One line; false when the peer has no figure here. The last column is the widest spread in it. */
static bool print_row(FILE *f, const struct report *r, const struct peer *p, struct cell cell, enum unit unit)
{
    size_t n = plan_cells(r->plan, cell.op, cell.mode);
    double widest = 0;
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        const struct result *x;
        double wide;

        cell.size = cell_sized(cell.op, cell.mode) ? r->plan->sizes[i] : 0;
        x = find(r->results, &cell, p->name);
        if (x == NULL)
            continue;
        if (!any)
            fprintf(f, "%-20s", p->name);
        any = true;
        print_number(f, value_of(r, x, unit), 2 * x->slowed > r->plan->rounds);
        wide = (x->ns.q3 - x->ns.q1) / x->ns.median;
        widest = wide > widest ? wide : widest;
    }
    if (any && unit == UNIT_NS)
        fprintf(f, " %7.1f%%", 100 * widest);
    if (any)
        fprintf(f, "\n");
    return any;
}

static void print_limit_row(FILE *f, const struct report *r, struct cell cell, enum unit unit)
{
    if (unit == UNIT_RATIO || (cell.op != OP_SEAL && cell.op != OP_OPEN))
        return;
    if (!limits_known(r->limits)) {
        fprintf(f, "%-20s %s\n", "(limit of the ports)", "-");
        return;
    }
    fprintf(f, "%-20s", "(limit of the ports)");
    for (size_t i = 0; i < plan_cells(r->plan, cell.op, cell.mode); i++) {
        double ns;

        cell.size = cell_sized(cell.op, cell.mode) ? r->plan->sizes[i] : 0;
        ns = limit_ns(r->limits, HWAEAD_TIER_AUTO, &cell);
        print_number(f, unit == UNIT_NS ? ns : bytes_of(&cell) * r->plan->threads / ns, false);
    }
    fprintf(f, "\n");
}

static void print_table(FILE *f, const struct report *r, struct cell cell, enum unit unit)
{
    static const char *const units[] = { "ns", "GB/s", "times as fast as " };

    fprintf(f, "\n%s %s%s%s, %s%s\n%-20s", cell.alg->name, op_names[cell.op], cell.op == OP_KEY ? "" : " ",
            cell.op == OP_KEY ? "" : mode_names[cell.mode], units[unit], unit == UNIT_RATIO ? BASE : "", "bytes");
    for (size_t i = 0; i < plan_cells(r->plan, cell.op, cell.mode); i++) {
        if (cell_sized(cell.op, cell.mode))
            fprintf(f, " %8zu ", r->plan->sizes[i]);
        else
            fprintf(f, " %8s ", cell.mode == MODE_MIX ? "mix" : "");
    }
    fprintf(f, "%s\n", unit == UNIT_NS ? "   spread" : "");
    for (size_t i = 0; i < r->npeers; i++)
        print_row(f, r, &r->peers[i], cell, unit);
    print_limit_row(f, r, cell, unit);
}

static bool measured(const struct results *s, const struct cell *cell)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].cell.alg == cell->alg && s->rows[i].cell.op == cell->op
            && s->rows[i].cell.mode == cell->mode)
            return true;
    return false;
}

void print_tables(FILE *f, const struct report *r)
{
    print_method(f, r);
    for (size_t a = 0; a < r->plan->nalgs; a++)
        for (int op = 0; op < OP_COUNT; op++)
            for (int mode = 0; mode < MODE_COUNT; mode++) {
                struct cell cell = { r->plan->algs[a], (enum op)op, (enum mode)mode, 0 };

                if (!measured(r->results, &cell))
                    continue;
                print_table(f, r, cell, UNIT_NS);
                if (op != OP_KEY)
                    print_table(f, r, cell, UNIT_GBPS);
                print_table(f, r, cell, UNIT_RATIO);
            }
    fprintf(f, "\nspread: the widest distance between quartiles in the row, against its median\n"
               "~: most repetitions were slowed, and patience had run out\n");
}

/* ---- Seams --------------------------------------------------------------------------------------------- */

/* The seams of one peer, of one kind. */
struct seam_sum {
    FILE *f;
    struct seam first, worst;
    size_t count, to;
};

static bool same_line(const struct seam *a, const struct seam *b)
{
    const struct cell *x = &a->of->cell, *y = &b->of->cell;

    return a->kind == b->kind && a->of->peer == b->of->peer && x->alg == y->alg && x->op == y->op
           && x->mode == y->mode;
}

static void print_seam_sum(const struct seam_sum *s)
{
    const struct cell *c = &s->worst.of->cell;
    char what[64];

    if (s->count == 0)
        return;
    snprintf(what, sizeof what, "%s %s %s", c->alg->name, op_names[c->op], mode_names[c->mode]);
    fprintf(s->f, "%-32s %-20s %3zu %-10s %5zu to %5zu; %7.1f ns at %5zu, %7.1f at %5zu: %+4.0f %%\n", what,
            s->worst.of->peer->name, s->count, s->worst.kind == SEAM_STEP ? "steps" : "inversions", s->first.from, s->to,
            s->worst.ns, s->worst.at, s->worst.other_ns, s->worst.other, 100 * (s->worst.ns / s->worst.other_ns - 1));
}

static void add_seam(void *arg, const struct seam *s)
{
    struct seam_sum *sum = arg;

    if (sum->count == 0 || !same_line(s, &sum->first)) {
        print_seam_sum(sum);
        *sum = (struct seam_sum){ .f = sum->f, .first = *s, .worst = *s };
    }
    if (s->ns / s->other_ns > sum->worst.ns / sum->worst.other_ns)
        sum->worst = *s;
    sum->to = s->to;
    sum->count++;
}

void print_seams(FILE *f, const struct report *r)
{
    struct seam_sum sum = { .f = f };

    print_method(f, r);
    fprintf(f, "\nSeams of over %.0f %%, on lower quartiles. Step: three sizes that each take so much more than each of the\n"
               "three before. Inversion: sizes that, with their neighbours, take so much more than some longer message.\n"
               "How many, where, and the worst; --json lists them all.\n\n",
            100 * r->plan->seam);
    seams_find(r->results, r->plan->seam, add_seam, &sum);
    print_seam_sum(&sum);
    if (sum.count == 0)
        fprintf(f, "None.\n");
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void json_text(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if ((unsigned char)*s < 32)
            fprintf(f, "\\u%04x", (unsigned)*s);
        else
            fputc(*s, f);
    }
    fputc('"', f);
}

static void json_field(FILE *f, const char *key, const char *value, const char *end)
{
    fprintf(f, "\"%s\": ", key);
    json_text(f, value);
    fputs(end, f);
}

static void json_machine(FILE *f, const struct report *r)
{
    const struct machine *m = r->machine;
    char now[32] = "";
    time_t t = time(NULL);
    struct tm tm;

    if (gmtime_r(&t, &tm) != NULL)
        strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_field(f, "finished", now, ",\n ");
    json_field(f, "hwaead", hwaead_version(), ",\n ");
    json_field(f, "openssl", OpenSSL_version(OPENSSL_VERSION), ",\n ");
    json_field(f, "compiler", m->compiler, ",\n ");
    json_field(f, "build_type", BENCH_BUILD_TYPE, ",\n \"machine\": {");
    json_field(f, "cpu", m->cpu, ", ");
    json_field(f, "vendor", m->vendor, ", ");
    json_field(f, "core", m->core, ", ");
    json_field(f, "hypervisor", m->hypervisor, ", ");
    json_field(f, "kernel", m->kernel, ", ");
    json_field(f, "tiers", m->tiers, ", ");
    fprintf(f, "\"family\": %u, \"model\": %u, \"stepping\": %u, \"cpus\": %u, \"clock_ghz\": %.4f},\n",
            m->family, m->model, m->stepping, m->cpus, 1 / r->limits->cycle_ns);
}

static void json_method(FILE *f, const struct report *r)
{
    const struct plan *p = r->plan;

    fprintf(f, " \"method\": {\"aad\": %zu, \"rounds\": %u, \"rep_ms\": %g, \"threads\": %u, \"cpus\": [%d",
            p->aad_len, p->rounds, p->rep_ns / 1e6, p->threads, p->cpus[0]);
    for (unsigned i = 1; i < p->threads; i++)
        fprintf(f, ", %d", p->cpus[i]);
    fprintf(f, "], \"tolerance\": %g, \"mix_mean\": %.1f, \"seam\": %g,", p->tolerance, mix_mean(), p->seam);
    fprintf(f, " \"harness_ns\": %.3f, \"redone\": %u, \"slowed\": %u, \"base\": \"%s\"},\n",
            r->results->harness_ns, r->results->redone, r->results->slowed, BASE);
}

static void json_three(FILE *f, const char *key, const double x[3])
{
    fprintf(f, ", \"%s\": {\"AES-128-GCM\": %.3f, \"AES-192-GCM\": %.3f, \"AES-256-GCM\": %.3f}", key, x[0],
            x[1], x[2]);
}

static void json_siv(FILE *f, const char *key, const double seal[3], const double open[3])
{
    fprintf(f, ", \"%s\": {", key);
    for (unsigned k = 0; k < 3; k++)
        fprintf(f, "%s\"AES-%u-GCM-SIV\": {\"seal\": %.3f, \"open\": %.3f}", k ? ", " : "", 128 + 64 * k,
                seal[k], open[k]);
    fprintf(f, "}");
}

static void json_limits(FILE *f, const struct report *r)
{
    const char *sep = "";

    fprintf(f, " \"limits\": {");
    for (size_t i = 1; i < LIMIT_TIERS; i++) {
        const struct tier_limits *t = &r->limits->tier[i];

        if (!t->known)
            continue;
        fprintf(f, "%s\n  \"%s\": {\"aes\": %.3f, \"clmul\": %.3f, \"logic\": %.3f, \"shuffle\": %.3f", sep,
                hwaead_tier_name((hwaead_tier)i), t->aes, t->clmul, t->logic, t->shuffle);
        fprintf(f, ", \"aes_latency\": %.3f, \"clmul_latency\": %.3f", t->aes_latency, t->clmul_latency);
        json_three(f, "school", t->school);
        json_three(f, "karatsuba", t->karatsuba);
        json_three(f, "all", t->all);
        json_siv(f, "siv_school", t->siv_school, t->school);
        json_siv(f, "siv_karatsuba", t->siv_karatsuba, t->karatsuba);
        fprintf(f, "}");
        sep = ",";
    }
    fprintf(f, "},\n");
}

static void json_peers(FILE *f, const struct report *r)
{
    fprintf(f, " \"peers\": [");
    for (size_t i = 0; i < r->npeers; i++) {
        const struct peer *p = &r->peers[i];

        fprintf(f, "%s\n  {", i ? "," : "");
        json_field(f, "name", p->name, ", ");
        json_field(f, "layer", layer_names[p->layer], ", ");
        json_field(f, *p->version ? "version" : "absent", peer_state(p),
                   p->hollow ? ", \"hollow\": true}" : p->context ? ", \"context\": true}" : "}");
    }
    fprintf(f, "],\n");
}

static void json_results(FILE *f, const struct report *r)
{
    fprintf(f, " \"results\": [");
    for (size_t i = 0; i < r->results->count; i++) {
        const struct result *x = &r->results->rows[i];

        fprintf(f, "%s\n  {\"alg\": \"%s\", \"op\": \"%s\", \"mode\": \"%s\"", i ? "," : "",
                x->cell.alg->name, op_names[x->cell.op], mode_names[x->cell.mode]);
        fprintf(f, ", \"size\": %zu, \"peer\": \"%s\"", x->cell.size, x->peer->name);
        fprintf(f, ", \"ns\": %.3f, \"q1\": %.3f, \"q3\": %.3f, \"min\": %.3f, \"max\": %.3f, \"reps\": %llu",
                x->ns.median, x->ns.q1, x->ns.q3, x->ns.min, x->ns.max, (unsigned long long)x->reps);
        fprintf(f, ", \"redone\": %u, \"slowed\": %u, \"limit_ns\": %.3f}", x->redone, x->slowed,
                limit_ns(r->limits, x->peer->tier, &x->cell));
    }
    fprintf(f, "],\n");
}

struct seam_writer {
    FILE *f;
    const char *sep;
};

static void json_seam(void *arg, const struct seam *s)
{
    struct seam_writer *w = arg;
    const struct cell *c = &s->of->cell;

    fprintf(w->f, "%s\n  {\"alg\": \"%s\", \"op\": \"%s\", \"mode\": \"%s\", \"peer\": \"%s\"", w->sep, c->alg->name,
            op_names[c->op], mode_names[c->mode], s->of->peer->name);
    fprintf(w->f, ", \"kind\": \"%s\", \"from\": %zu, \"to\": %zu", s->kind == SEAM_STEP ? "step" : "inversion", s->from,
            s->to);
    fprintf(w->f, ", \"at\": %zu, \"other\": %zu, \"ns\": %.3f, \"other_ns\": %.3f}", s->at, s->other, s->ns, s->other_ns);
    w->sep = ",";
}

static void json_seams(FILE *f, const struct report *r)
{
    struct seam_writer w = { f, "" };

    fprintf(f, " \"seams\": [");
    if (r->plan->seam > 0)
        seams_find(r->results, r->plan->seam, json_seam, &w);
    fprintf(f, "]\n");
}

bool write_json(const char *path, const struct report *r)
{
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    bool ok;

    if (f == NULL)
        return false;
    fprintf(f, "{\"format\": 3,\n ");
    json_machine(f, r);
    json_method(f, r);
    json_limits(f, r);
    json_peers(f, r);
    json_results(f, r);
    json_seams(f, r);
    fprintf(f, "}\n");
    ok = !ferror(f);
    return f == stdout ? fflush(f) == 0 && ok : fclose(f) == 0 && ok;
}

/* ---- Progress ------------------------------------------------------------------------------------------ */

struct progress {
    bool on, terminal;
    size_t steps, done;
    double start, shown;
};

struct progress *progress_new(bool on, size_t steps)
{
    static struct progress p;

    p = (struct progress){ .on = on, .terminal = isatty(STDERR_FILENO) == 1, .steps = steps, .start = clock_wall_ns() };
    return &p;
}

/* On a terminal one line that changes, elsewhere a line every ten seconds. */
void progress_step(struct progress *p, const struct cell *cell, unsigned slowed)
{
    char bar[25], what[64], left[32] = "";
    double now = clock_wall_ns(), share = (double)++p->done / (double)p->steps;
    size_t full = (size_t)(share * (sizeof bar - 1));

    if (!p->on || now - p->shown < (p->terminal ? 1e8 : 1e10))
        return;
    p->shown = now;
    for (size_t i = 0; i < sizeof bar - 1; i++)
        bar[i] = i < full ? '#' : '.';
    bar[sizeof bar - 1] = '\0';
    snprintf(what, sizeof what, "%s %s%s%s", cell->alg->name, op_names[cell->op], cell->op == OP_KEY ? "" : " ",
             cell->op == OP_KEY ? "" : mode_names[cell->mode]);
    if (share > 0.02)
        snprintf(left, sizeof left, ", %.0f s left", (now - p->start) / 1e9 * (1 - share) / share);
    fprintf(stderr, "%s[%s] %3.0f %%  %s%s, %u slowed moments%s", p->terminal ? "\r" : "", bar, 100 * share, what, left,
            slowed, p->terminal ? "\033[K" : "\n");
}

void progress_end(struct progress *p)
{
    if (p->on && p->terminal)
        fprintf(stderr, "\r\033[K");
}
