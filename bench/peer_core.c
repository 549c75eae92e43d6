/* SPDX-License-Identifier: Apache-2.0
 *
 * The core by its public functions, one peer a tier.
 */
#include "arch.h"

#include <stdlib.h>

#include <hwaead/hazmat.h>

struct core {
    union {
        hwaead_gcm_key gcm;
        hwaead_siv_key siv;
    } key;
    hwaead_tier tier;
    size_t key_len;
    const uint8_t *aad;
    size_t aad_len;
};

/* ---- AES-GCM ------------------------------------------------------------------------------------------- */

static bool gcm_key(void *state, const uint8_t *key)
{
    struct core *s = state;

    return hwaead_gcm_key_init(&s->key.gcm, sizeof s->key.gcm, key, s->key_len, s->tier) == HWAEAD_OK;
}

static bool gcm_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                     size_t len)
{
    struct core *s = state;

    return hwaead_gcm_seal_with_nonce(&s->key.gcm, out, tag, TAG_LEN, nonce, NONCE_LEN, s->aad, s->aad_len,
                                      in, len)
           == HWAEAD_OK;
}

static bool gcm_open(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                     size_t len)
{
    struct core *s = state;

    return hwaead_gcm_open_with_nonce(&s->key.gcm, out, nonce, NONCE_LEN, s->aad, s->aad_len, in, len, tag,
                                      TAG_LEN)
           == HWAEAD_OK;
}

static void gcm_teardown(struct peer *self)
{
    struct core *s = self->state;

    hwaead_gcm_key_wipe(&s->key.gcm);
    free(s);
    self->state = NULL;
}

/* ---- AES-GCM-SIV --------------------------------------------------------------------------------------- */

static bool siv_key(void *state, const uint8_t *key)
{
    struct core *s = state;

    return hwaead_siv_key_init(&s->key.siv, sizeof s->key.siv, key, s->key_len, s->tier) == HWAEAD_OK;
}

static bool siv_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                     size_t len)
{
    struct core *s = state;

    return hwaead_siv_seal_with_nonce(&s->key.siv, out, tag, TAG_LEN, nonce, NONCE_LEN, s->aad, s->aad_len,
                                      in, len)
           == HWAEAD_OK;
}

static bool siv_open(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                     size_t len)
{
    struct core *s = state;

    return hwaead_siv_open_with_nonce(&s->key.siv, out, nonce, NONCE_LEN, s->aad, s->aad_len, in, len, tag,
                                      TAG_LEN)
           == HWAEAD_OK;
}

static void siv_teardown(struct peer *self)
{
    struct core *s = self->state;

    hwaead_siv_key_wipe(&s->key.siv);
    free(s);
    self->state = NULL;
}

/* ---- Set-up -------------------------------------------------------------------------------------------- */

static hwaead_err first_key(struct core *s, enum family family, const uint8_t *key)
{
    hwaead_err err;
    hwaead_tier tier;

    if (family == FAMILY_SIV) {
        err = hwaead_siv_key_init(&s->key.siv, sizeof s->key.siv, key, s->key_len, s->tier);
        tier = err == HWAEAD_OK ? hwaead_siv_key_tier(&s->key.siv) : s->tier;
    } else {
        err = hwaead_gcm_key_init(&s->key.gcm, sizeof s->key.gcm, key, s->key_len, s->tier);
        tier = err == HWAEAD_OK ? hwaead_gcm_key_tier(&s->key.gcm) : s->tier;
    }
    return tier == s->tier ? err : HWAEAD_ERR_TIER;
}

static void choose_functions(struct peer *self, enum family family)
{
    bool siv = family == FAMILY_SIV;

    self->key = siv ? siv_key : gcm_key;
    self->seal = siv ? siv_seal : gcm_seal;
    self->open = siv ? siv_open : gcm_open;
    self->teardown = siv ? siv_teardown : gcm_teardown;
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
    err = first_key(s, job->alg->family, job->key);
    if (err != HWAEAD_OK) {
        free(s);
        return hwaead_strerror(err);
    }
    choose_functions(self, job->alg->family);
    self->state = s;
    snprintf(self->version, sizeof self->version, "hwaead %s, tier %s", hwaead_version(),
             hwaead_tier_name(s->tier));
    return NULL;
}

void peers_core(struct peer **next)
{
    for (size_t i = 0; i < arch_tier_count; i++) {
        struct peer *p = (*next)++;

        *p = (struct peer){ .layer = LAYER_CORE, .tier = arch_tiers[i], .setup = core_setup };
        snprintf(p->name, sizeof p->name, "core-%s", hwaead_tier_name(arch_tiers[i]));
    }
}
