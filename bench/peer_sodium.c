/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdlib.h>

#include <sodium.h>

struct sodium {
    crypto_aead_aes256gcm_state key; /* wants an alignment of 16, which malloc gives */
    const uint8_t *aad;
    size_t aad_len;
};

static bool sodium_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                        size_t len)
{
    struct sodium *s = state;

    return crypto_aead_aes256gcm_encrypt_detached_afternm(out, tag, NULL, in, len, s->aad, s->aad_len, NULL,
                                                          nonce, &s->key) == 0;
}

static bool sodium_open(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce,
                        const uint8_t *in, size_t len)
{
    struct sodium *s = state;

    return crypto_aead_aes256gcm_decrypt_detached_afternm(out, NULL, in, len, tag, s->aad, s->aad_len, nonce,
                                                          &s->key) == 0;
}

static bool sodium_key(void *state, const uint8_t *key)
{
    struct sodium *s = state;

    return crypto_aead_aes256gcm_beforenm(&s->key, key) == 0;
}

static void sodium_teardown(struct peer *self)
{
    free(self->state);
}

static const char *sodium_setup(struct peer *self, const struct job *job)
{
    struct sodium *s;

    if (job->alg->family != FAMILY_GCM || job->alg->key_len != 32)
        return "it has AES-256-GCM only";
    if (sodium_init() < 0 || !crypto_aead_aes256gcm_is_available())
        return "it does not run on this CPU";
    s = calloc(1, sizeof *s);
    if (s == NULL)
        return "no memory";
    s->aad = job->aad;
    s->aad_len = job->aad_len;
    self->state = s;
    sodium_key(s, job->key);
    snprintf(self->version, sizeof self->version, "libsodium %s", sodium_version_string());
    return NULL;
}

void peer_sodium(struct peer *p)
{
    p->setup = sodium_setup;
    p->teardown = sodium_teardown;
    p->seal = sodium_seal;
    p->open = sodium_open;
    p->key = sodium_key;
}
