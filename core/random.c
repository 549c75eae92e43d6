/* SPDX-License-Identifier: Apache-2.0 */
#include "random.h"

/* The generation and the clock are read first: what happens while we draw makes the seeding old, not young. */
static hwaead_err seed(struct random_rules *rules, struct random *r)
{
    struct drbg *d = &r->fast.drbg;
    struct entropy_seed s;
    const struct kernel *kernel = atomic_load_explicit(&rules->kernel, memory_order_relaxed);
    if (kernel == NULL && (kernel = kernel_of(HWAEAD_TIER_AUTO)) == NULL)
        return HWAEAD_ERR_CPU;
    fork_watch_start(&rules->forks);
    r->seeded_in = fork_generation(&rules->forks);
    r->seeded_at = (uint64_t)rules->clock(NULL);
    fast_discard(&r->fast);
    if (!entropy_draw(rules->source, &r->health, &s))
        return HWAEAD_ERR_ENTROPY;

    const struct drbg_input all = {s.os, sizeof s.os}, extra = {(const uint8_t *)s.extra, sizeof s.extra};
    const struct drbg_input entropy = {s.os, DRBG_MIN_ENTROPY}, nonce = {s.os + DRBG_MIN_ENTROPY, DRBG_MIN_NONCE};
    const hwaead_err err = d->kernel != NULL ? drbg_reseed(d, all, extra)
                                             : drbg_instantiate(d, kernel, 1, entropy, nonce, extra);
    secret_wipe(&s, sizeof s);
    return err;
}

static int is_due(struct random_rules *rules, const struct random *r, size_t n)
{
    const uint64_t requests = atomic_load_explicit(&rules->requests, memory_order_relaxed);
    return r->fast.drbg.kernel == NULL || !random_is_fresh(rules, r)
           || (!fast_waits(&r->fast, n) && r->fast.drbg.reseed_counter > requests);
}

/* n <= DRBG_MAX_REQUEST bytes. A fork meanwhile, in a signal handler, must not leave both processes with them. */
static hwaead_err generate(struct random_rules *rules, struct random *r, uint8_t *out, size_t n)
{
    static const struct drbg_input none;
    hwaead_err err = HWAEAD_OK;
    do {
        if (is_due(rules, r, n))
            err = seed(rules, r);
        if (err == HWAEAD_OK)
            err = fast_generate(&r->fast, out, n, none);
    } while (err == HWAEAD_OK && fork_generation(&rules->forks) != r->seeded_in);
    return err;
}

hwaead_err random_generate(struct random_rules *rules, struct random *r, uint8_t *out, size_t n)
{
    hwaead_err err = HWAEAD_OK;
    for (size_t done = 0, piece; done < n && err == HWAEAD_OK; done += piece) {
        piece = n - done < DRBG_MAX_REQUEST ? n - done : DRBG_MAX_REQUEST;
        err = generate(rules, r, out + done, piece);
    }
    if (err != HWAEAD_OK) {
        secret_wipe(out, n);
        secret_wipe(r, sizeof *r);
    }
    return err;
}
