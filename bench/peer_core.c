/* SPDX-License-Identifier: Apache-2.0
 *
 * The core by its public functions, one peer a tier.
 */
#include "bench.h"

#include <stdlib.h>

#include <hwaead/hazmat.h>

struct core {
    hwaead_gcm_key key;
    hwaead_tier tier;
    size_t key_len;
    const uint8_t *aad;
    size_t aad_len;
};

static bool core_key(void *state, const uint8_t *key)
{
    struct core *s = state;

    return hwaead_gcm_key_init(&s->key, sizeof s->key, key, s->key_len, s->tier) == HWAEAD_OK;
}

static bool core_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                      size_t len)
{
    struct core *s = state;

    return hwaead_gcm_seal_with_nonce(&s->key, out, tag, TAG_LEN, nonce, NONCE_LEN, s->aad, s->aad_len, in,
                                      len)
           == HWAEAD_OK;
}

static bool core_open(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                      size_t len)
{
    struct core *s = state;

    return hwaead_gcm_open_with_nonce(&s->key, out, nonce, NONCE_LEN, s->aad, s->aad_len, in, len, tag,
                                      TAG_LEN)
           == HWAEAD_OK;
}

static void core_teardown(struct peer *self)
{
    struct core *s = self->state;

    hwaead_gcm_key_wipe(&s->key);
    free(s);
    self->state = NULL;
}

static const char *core_setup(struct peer *self, const struct job *job)
{
    struct core *s;
    hwaead_err err;

    if (hwaead_cpu_missing() != NULL)
        return hwaead_cpu_missing();
    s = malloc(sizeof *s);
    if (s == NULL)
        return "no memory";
    *s = (struct core){ .tier = self->tier, .key_len = job->alg->key_len, .aad = job->aad,
                        .aad_len = job->aad_len };
    err = hwaead_gcm_key_init(&s->key, sizeof s->key, job->key, s->key_len, s->tier);
    if (err == HWAEAD_OK && hwaead_gcm_key_tier(&s->key) != s->tier)
        err = HWAEAD_ERR_TIER;
    if (err != HWAEAD_OK) {
        free(s);
        return hwaead_strerror(err);
    }
    self->state = s;
    snprintf(self->version, sizeof self->version, "hwaead %s, tier %s", hwaead_version(),
             hwaead_tier_name(s->tier));
    return NULL;
}

void peers_core(struct peer **next)
{
    static const hwaead_tier tiers[] = { HWAEAD_TIER_VAES512, HWAEAD_TIER_VAES256, HWAEAD_TIER_AESNI };

    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++) {
        struct peer *p = (*next)++;

        *p = (struct peer){ .layer = LAYER_CORE, .tier = tiers[i], .setup = core_setup,
                            .teardown = core_teardown, .seal = core_seal, .open = core_open,
                            .key = core_key };
        snprintf(p->name, sizeof p->name, "core-%s", hwaead_tier_name(tiers[i]));
    }
}
