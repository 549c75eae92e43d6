/* SPDX-License-Identifier: Apache-2.0
 *
 * Peers on the libraries of another Debian suite, which want that suite's C library too: this program once more,
 * started by the suite's own loader in its folder of libraries. It seals, opens and times what it is asked to, on
 * the same CPU while the bench waits, so that these peers take their turns like all others.
 *
 * A folder of bench/suites.sh: `loader`, the suite's ld.so; `lib`, its libraries; peer_ipsecmb.so, where that suite's
 * ipsec-mb has another interface than the one that the bench was built for.
 */
#include "bench.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WORKER_SOCKET = 3, WORKER_MEMORY = 4, MAX_SUITES = 4 };

static const char *const served[] = { "evp-hwaead", "evp-default", "evp-null", "ipsec-mb", "libgcrypt" };
enum { SERVED = sizeof served / sizeof *served };

enum request_kind { HELLO, SETUP, TEARDOWN, KEY, SEAL, OPEN, REKEY, TIME };

/* Text lies in the shared memory: what goes in at its start, what comes out `room` bytes further on. */
struct request {
    enum request_kind kind;
    size_t room, longest, aad_len; /* HELLO */
    unsigned threads;
    int cpus[MAX_THREADS];
    size_t peer; /* all but HELLO: index in `served` */
    size_t alg;  /* SETUP, TIME: index in algorithms */
    uint8_t key[KEY_MAX], nonce[NONCE_LEN], tag[TAG_LEN];
    size_t len;
    enum op op; /* TIME */
    enum mode mode;
    uint64_t n;
};

struct answer {
    bool ok;
    double ns;
    uint8_t tag[TAG_LEN];
    bool no_empty, rekey; /* SETUP */
    enum layer layer;
    char text[160]; /* SETUP: the version, or why not */
};

/* ---- In the bench -------------------------------------------------------------------------------------- */

struct suite {
    char name[NAME_LEN / 2], dir[4096];
    int socket; /* 0 before the worker runs */
    uint8_t *memory;
    size_t room;
};

struct remote {
    struct suite *suite;
    size_t peer, alg, key_len;
};

static struct suite suites[MAX_SUITES];
static const struct plan *plan;
static const char *module_file;
static char reason[256];

static bool ask(struct suite *s, const struct request *q, struct answer *a)
{
    return send(s->socket, q, sizeof *q, MSG_NOSIGNAL) == (ssize_t)sizeof *q
           && recv(s->socket, a, sizeof *a, 0) == (ssize_t)sizeof *a;
}

/* The descriptors first go out of each other's way. */
static void become_worker(const struct suite *s, int socket, int memory)
{
    char loader[4200], lib[4200], self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    self[n > 0 ? n : 0] = '\0';
    snprintf(loader, sizeof loader, "%s/loader", s->dir);
    snprintf(lib, sizeof lib, "%s/lib", s->dir);
    socket = fcntl(socket, F_DUPFD, WORKER_MEMORY + 1);
    memory = fcntl(memory, F_DUPFD, WORKER_MEMORY + 1);
    if (dup2(socket, WORKER_SOCKET) >= 0 && dup2(memory, WORKER_MEMORY) >= 0)
        execl(loader, loader, "--library-path", lib, self, "--worker", s->dir, module_file, (char *)NULL);
    _exit(127);
}

static bool start(struct suite *s)
{
    struct request q = { .kind = HELLO, .longest = plan_longest(plan), .aad_len = plan->aad_len,
                         .threads = plan->threads };
    struct answer a;
    int ends[2], memory = memfd_create("hwaead-bench", MFD_CLOEXEC);
    pid_t pid;

    s->room = (q.longest + 4095) / 4096 * 4096;
    if (memory < 0 || ftruncate(memory, (off_t)(2 * s->room)) != 0
        || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    s->memory = mmap(NULL, 2 * s->room, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        become_worker(s, ends[1], memory);
    close(ends[1]);
    close(memory);
    s->socket = ends[0];
    q.room = s->room;
    memcpy(q.cpus, plan->cpus, sizeof q.cpus);
    return pid > 0 && s->memory != MAP_FAILED && ask(s, &q, &a) && a.ok;
}

static bool remote_key(void *state, const uint8_t *key)
{
    struct remote *r = state;
    struct request q = { .kind = KEY, .peer = r->peer };
    struct answer a;

    memcpy(q.key, key, r->key_len);
    return ask(r->suite, &q, &a) && a.ok;
}

static bool remote_message(struct remote *r, struct request *q, uint8_t *out, uint8_t *tag, const uint8_t *nonce,
                           const uint8_t *in, size_t len)
{
    struct answer a;

    q->peer = r->peer;
    q->len = len;
    memcpy(q->nonce, nonce, NONCE_LEN);
    memcpy(r->suite->memory, in, len);
    if (!ask(r->suite, q, &a) || !a.ok)
        return false;
    memcpy(out, r->suite->memory + r->suite->room, len);
    if (tag != NULL)
        memcpy(tag, a.tag, TAG_LEN);
    return true;
}

static bool remote_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                        size_t len)
{
    return remote_message(state, &(struct request){ .kind = SEAL }, out, tag, nonce, in, len);
}

static bool remote_rekey(void *state, const uint8_t *key, uint8_t *out, uint8_t *tag, const uint8_t *nonce,
                         const uint8_t *in, size_t len)
{
    struct remote *r = state;
    struct request q = { .kind = REKEY };

    memcpy(q.key, key, r->key_len);
    return remote_message(r, &q, out, tag, nonce, in, len);
}

static bool remote_open(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                        size_t len)
{
    struct request q = { .kind = OPEN };

    memcpy(q.tag, tag, TAG_LEN);
    return remote_message(state, &q, out, NULL, nonce, in, len);
}

static double remote_timed(void *state, const struct cell *cell, uint64_t n, bool *ok)
{
    struct remote *r = state;
    struct request q = { .kind = TIME, .peer = r->peer, .alg = r->alg, .len = cell->size, .op = cell->op,
                         .mode = cell->mode, .n = n };
    struct answer a = { .ok = false };

    *ok &= ask(r->suite, &q, &a) && a.ok;
    return a.ns;
}

static void remote_teardown(struct peer *self)
{
    struct remote *r = self->state;
    struct answer a;

    (void)ask(r->suite, &(struct request){ .kind = TEARDOWN, .peer = r->peer }, &a);
    free(r);
    self->state = NULL;
}

static const char *remote_setup(struct peer *self, const struct job *job)
{
    struct suite *s = &suites[self->variant / SERVED];
    struct remote r = { s, (size_t)self->variant % SERVED, (size_t)(job->alg - algorithms), job->alg->key_len };
    struct request q = { .kind = SETUP, .peer = r.peer, .alg = r.alg };
    struct answer a;

    if (s->socket == 0 && !start(s))
        return "that suite's loader does not run the bench";
    if (!ask(s, &q, &a))
        return "that suite's worker has ended";
    if (!a.ok) {
        snprintf(reason, sizeof reason, "%s", a.text);
        return reason;
    }
    self->state = malloc(sizeof r);
    if (self->state == NULL)
        abort();
    memcpy(self->state, &r, sizeof r);
    self->no_empty = a.no_empty;
    self->layer = a.layer;
    self->rekey = a.rekey ? remote_rekey : NULL;
    snprintf(self->version, sizeof self->version, "%s", a.text);
    return NULL;
}

static int wanted(const struct dirent *d)
{
    return d->d_name[0] != '.' && strlen(d->d_name) < sizeof suites->name;
}

static void add_suite(struct peer **next, int index, const char *dir, const char *name)
{
    struct suite *s = &suites[index];

    snprintf(s->name, sizeof s->name, "%.15s", name);
    snprintf(s->dir, sizeof s->dir, "%.4000s/%.15s", dir, name);
    for (int i = 0; i < SERVED; i++) {
        struct peer *p = (*next)++;

        *p = (struct peer){ .layer = LAYER_LIBRARY, .variant = index * SERVED + i, .setup = remote_setup,
                            .teardown = remote_teardown, .seal = remote_seal, .open = remote_open,
                            .key = remote_key, .timed = remote_timed };
        snprintf(p->name, sizeof p->name, "%.15s@%.15s", served[i], name);
        p->hollow = strcmp(served[i], "evp-null") == 0;
    }
}

void peers_suites(struct peer **next, const char *dir, const char *module, const struct plan *the_plan)
{
    struct dirent **found = NULL;
    int n = scandir(dir, &found, wanted, alphasort);

    plan = the_plan;
    module_file = module;
    for (int i = 0; i < n; i++) {
        if (i < MAX_SUITES)
            add_suite(next, i, dir, found[i]->d_name);
        free(found[i]);
    }
    free(found);
}

/* ---- In the worker ------------------------------------------------------------------------------------- */

struct worker {
    struct plan plan;
    struct places places;
    const char *dir;
    uint8_t *memory;
    size_t room;
    struct stand *stand;
    size_t alg; /* of the stand */
    struct peer *peer[SERVED];
    struct peer own_ipsecmb;
    struct crew crew[SERVED];
};

typedef void fill_fn(struct peer *);

/* Bound to the library that it brings along, not to the one that this program was linked to. */
static struct peer *find_ipsecmb(struct worker *w)
{
    char path[4200];
    void *library;
    union {
        void *object;
        fill_fn *function;
    } symbol;

    snprintf(path, sizeof path, "%s/peer_ipsecmb.so", w->dir);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    symbol.object = library != NULL ? dlsym(library, "peer_ipsecmb") : NULL;
    if (symbol.object == NULL)
        return NULL;
    w->own_ipsecmb = (struct peer){ .layer = LAYER_LIBRARY };
    symbol.function(&w->own_ipsecmb);
    return &w->own_ipsecmb;
}

static struct peer *find_peer(struct worker *w, size_t index)
{
    size_t n;
    struct peer *all;

    if (strcmp(served[index], "ipsec-mb") == 0)
        return find_ipsecmb(w);
    all = peers_all(&n, &w->places, &w->plan);
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, served[index]) == 0)
            return &all[i];
    return NULL;
}

static void greet(struct worker *w, const struct request *q, struct answer *a)
{
    w->room = q->room;
    w->plan = (struct plan){ .aad_len = q->aad_len, .threads = q->threads, .sizes = { q->longest }, .nsizes = 1 };
    memcpy(w->plan.cpus, q->cpus, sizeof q->cpus);
    w->memory = mmap(NULL, 2 * w->room, PROT_READ | PROT_WRITE, MAP_SHARED, WORKER_MEMORY, 0);
    for (size_t i = 0; i < SERVED; i++)
        w->peer[i] = find_peer(w, i);
    a->ok = w->memory != MAP_FAILED;
}

/* The job is that of the bench: stands of the same plan are alike. */
static void set_up(struct worker *w, const struct request *q, struct answer *a)
{
    struct peer *p = w->peer[q->peer];
    const char *why = "this suite was fetched without it";

    if (w->stand == NULL || w->alg != q->alg) {
        if (w->stand != NULL)
            stand_free(w->stand);
        w->alg = q->alg;
        w->stand = stand_new(&algorithms[w->alg], &w->plan);
    }
    if (p != NULL)
        why = crew_setup(&w->crew[q->peer], p, stand_job(w->stand), w->plan.threads);
    a->ok = why == NULL;
    snprintf(a->text, sizeof a->text, "%s", a->ok ? p->version : why);
    if (!a->ok)
        return;
    a->no_empty = p->no_empty;
    a->rekey = p->rekey != NULL;
    a->layer = p->layer;
}

static void serve(struct worker *w, const struct request *q, struct answer *a)
{
    struct peer *p = w->peer[q->peer];
    const struct cell cell = { &algorithms[w->alg], q->op, q->mode, q->len };
    uint8_t *in = w->memory, *out = w->memory + w->room;

    switch (q->kind) {
    case HELLO: greet(w, q, a); break;
    case SETUP: set_up(w, q, a); break;
    case TEARDOWN: crew_teardown(&w->crew[q->peer]); a->ok = true; break;
    case KEY: a->ok = p->key(p->state, q->key); break;
    case SEAL: a->ok = p->seal(p->state, out, a->tag, q->nonce, in, q->len); break;
    case OPEN: a->ok = p->open(p->state, out, q->tag, q->nonce, in, q->len); break;
    case REKEY: a->ok = p->rekey(p->state, q->key, out, a->tag, q->nonce, in, q->len); break;
    case TIME:
        a->ok = stand_prepare(w->stand, &w->crew[q->peer], &cell);
        a->ns = a->ok ? stand_time(w->stand, &w->crew[q->peer], &cell, q->n, &a->ok) : 0;
        break;
    }
}

int suite_worker(const char *dir, const char *module)
{
    static struct worker w;
    struct request q;

    w.dir = dir;
    snprintf(w.places.module, sizeof w.places.module, "%s", module);
    while (recv(WORKER_SOCKET, &q, sizeof q, 0) == (ssize_t)sizeof q) {
        struct answer a = { .ok = false };

        serve(&w, &q, &a);
        if (send(WORKER_SOCKET, &a, sizeof a, MSG_NOSIGNAL) != (ssize_t)sizeof a)
            return 1;
    }
    return 0;
}
