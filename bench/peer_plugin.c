/* SPDX-License-Identifier: Apache-2.0
 *
 * Peers from the Rust registry: peers/ has a crate for each, peers/build.sh makes a shared library of it, and
 * this loads it into a namespace of its own, since BoringSSL and AWS-LC have functions named as libcrypto's.
 */
#include "bench.h"
#include "peers/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct plugin {
    const struct plugin_cipher *cipher;
    void *key;
    const uint8_t *aad;
    size_t aad_len;
};

/* name: of the peer; the library is libhwaead_bench_FILE.so. */
static const struct {
    const char *name, *file;
    bool context;
} plugins[] = {
    { "aws-lc", "awslc", false },
    { "boringssl", "boringssl", false },
    { "ring", "ring", false },
    { "rustcrypto", "rustcrypto", false },
    { "aegis", "aegis", true },
};

static char folder[PATH_MAX - 64];

static bool plugin_key(void *state, const uint8_t *key)
{
    struct plugin *s = state;

    return s->cipher->key_set(s->key, key);
}

static bool plugin_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                        size_t len)
{
    struct plugin *s = state;

    return s->cipher->seal(s->key, out, tag, nonce, s->aad, s->aad_len, in, len);
}

static bool plugin_open(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce,
                        const uint8_t *in, size_t len)
{
    struct plugin *s = state;

    return s->cipher->open(s->key, out, tag, nonce, s->aad, s->aad_len, in, len);
}

static void plugin_teardown(struct peer *self)
{
    struct plugin *s = self->state;

    s->cipher->key_free(s->key);
    free(s);
    self->state = NULL;
}

/* Loaded once and never closed: a Rust library may leave destructors with the thread. */
static const char *load(int variant, plugin_fn **fn)
{
    static plugin_fn *loaded[sizeof plugins / sizeof *plugins];
    char path[PATH_MAX];
    union {
        void *object;
        plugin_fn *function;
    } symbol;
    void *library;

    if (loaded[variant] == NULL) {
        snprintf(path, sizeof path, "%s/libhwaead_bench_%s.so", folder, plugins[variant].file);
        if (access(path, R_OK) != 0)
            return "not built; bench/peers/build.sh builds it, --peers DIR tells where it is";
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        symbol.object = library != NULL ? dlsym(library, PLUGIN_SYMBOL) : NULL;
        if (symbol.object == NULL)
            return library != NULL ? "built for another version of the bench" : "its library does not load";
        loaded[variant] = symbol.function;
    }
    *fn = loaded[variant];
    return NULL;
}

static const char *plugin_setup(struct peer *self, const struct job *job)
{
    struct plugin s = { .aad = job->aad, .aad_len = job->aad_len }, *copy;
    plugin_fn *fn = NULL;
    const char *why = load(self->variant, &fn);

    if (why != NULL)
        return why;
    s.cipher = fn(job->alg->name);
    if (s.cipher == NULL)
        return "it has no such cipher";
    s.key = s.cipher->key_new(job->key);
    if (s.key == NULL)
        return "it refused the key";
    copy = malloc(sizeof *copy);
    if (copy == NULL)
        abort();
    *copy = s;
    self->state = copy;
    snprintf(self->version, sizeof self->version, "%s", s.cipher->version);
    return NULL;
}

void peers_plugins(struct peer **next, const char *dir)
{
    snprintf(folder, sizeof folder, "%.*s", (int)sizeof folder - 1, dir);
    for (size_t i = 0; i < sizeof plugins / sizeof *plugins; i++) {
        struct peer *p = (*next)++;

        *p = (struct peer){ .layer = LAYER_LIBRARY, .context = plugins[i].context, .variant = (int)i,
                            .setup = plugin_setup,
                            .teardown = plugin_teardown, .seal = plugin_seal, .open = plugin_open,
                            .key = plugin_key };
        snprintf(p->name, sizeof p->name, "%s", plugins[i].name);
    }
}
