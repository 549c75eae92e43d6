/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of peers. A further one is one adapter file, one line here and one in CMakeLists.txt; from the
 * Rust registry, a crate in peers/ and a line in peer_plugin.c.
 */
#include "bench.h"

#include <string.h>

const struct algorithm algorithms[] = {
    { "AES-256-GCM", FAMILY_GCM, 32 },
    { "AES-192-GCM", FAMILY_GCM, 24 },
    { "AES-128-GCM", FAMILY_GCM, 16 },
    { "AES-256-GCM-SIV", FAMILY_SIV, 32 },
    { "AES-192-GCM-SIV", FAMILY_SIV, 24 },
    { "AES-128-GCM-SIV", FAMILY_SIV, 16 },
};
const size_t algorithm_count = sizeof algorithms / sizeof *algorithms;

const char *const op_names[OP_COUNT] = { "seal", "open", "key", "rekey" };
const char *const mode_names[MODE_COUNT] = { "throughput", "latency", "mix" };
const char *const layer_names[] = { "core", "evp", "library" };

static const char *not_built(struct peer *self, const struct job *job)
{
    (void)self, (void)job;
    return "its headers were not found when the bench was built";
}

static void absent(struct peer *p)
{
    p->setup = not_built;
}

static void add_library(struct peer **next, const char *name, void (*fill)(struct peer *))
{
    struct peer *p = (*next)++;

    *p = (struct peer){ .layer = LAYER_LIBRARY };
    snprintf(p->name, sizeof p->name, "%s", name);
    fill(p);
}

#if !HAVE_IPSECMB
# define peer_ipsecmb absent
#endif
#if !HAVE_GCRYPT
# define peer_gcrypt absent
#endif
#if !HAVE_NETTLE
# define peer_nettle absent
#endif
#if !HAVE_SODIUM
# define peer_sodium absent
#endif

struct peer *peers_all(size_t *count, const struct places *places, const struct plan *plan)
{
    static struct peer peers[MAX_PEERS];
    static size_t n;
    struct peer *next = peers;

    if (n == 0) {
        peers_core(&next);
        peers_evp(&next, places->module);
        add_library(&next, "ipsec-mb", peer_ipsecmb);
        add_library(&next, "libgcrypt", peer_gcrypt);
        add_library(&next, "nettle", peer_nettle);
        add_library(&next, "libsodium", peer_sodium);
        peers_plugins(&next, places->plugins);
        peers_suites(&next, places->suites, places->module, plan);
        (void)absent;
        n = (size_t)(next - peers);
    }
    *count = n;
    return peers;
}
