/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdlib.h>

#include <nettle/aes.h>
#include <nettle/gcm.h>
#include <nettle/memops.h>
#include <nettle/version.h>

/* The block function and its key schedule, which nettle has by key size. */
struct nettle {
    struct gcm_key gcm;
    struct gcm_ctx msg;
    union {
        struct aes128_ctx k128;
        struct aes192_ctx k192;
        struct aes256_ctx k256;
    } aes;
    nettle_cipher_func *encrypt_block;
    size_t key_len;
    const uint8_t *aad;
    size_t aad_len;
};

static void begin(struct nettle *s, const uint8_t *nonce)
{
    gcm_set_iv(&s->msg, &s->gcm, NONCE_LEN, nonce);
    gcm_update(&s->msg, &s->gcm, s->aad_len, s->aad);
}

static bool nettle_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                        size_t len)
{
    struct nettle *s = state;

    begin(s, nonce);
    gcm_encrypt(&s->msg, &s->gcm, &s->aes, s->encrypt_block, len, out, in);
    gcm_digest(&s->msg, &s->gcm, &s->aes, s->encrypt_block, TAG_LEN, tag);
    return true;
}

static bool nettle_open(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce,
                        const uint8_t *in, size_t len)
{
    struct nettle *s = state;
    uint8_t computed[TAG_LEN];

    begin(s, nonce);
    gcm_decrypt(&s->msg, &s->gcm, &s->aes, s->encrypt_block, len, out, in);
    gcm_digest(&s->msg, &s->gcm, &s->aes, s->encrypt_block, TAG_LEN, computed);
    return memeql_sec(computed, tag, TAG_LEN);
}

static bool nettle_key(void *state, const uint8_t *key)
{
    struct nettle *s = state;

    if (s->key_len == 16)
        aes128_set_encrypt_key(&s->aes.k128, key);
    else if (s->key_len == 24)
        aes192_set_encrypt_key(&s->aes.k192, key);
    else
        aes256_set_encrypt_key(&s->aes.k256, key);
    gcm_set_key(&s->gcm, &s->aes, s->encrypt_block);
    return true;
}

static void nettle_teardown(struct peer *self)
{
    free(self->state);
}

static const char *nettle_setup(struct peer *self, const struct job *job)
{
    struct nettle *s;

    if (job->alg->family != FAMILY_GCM)
        return "no adapter for this mode";
    s = calloc(1, sizeof *s);
    if (s == NULL)
        return "no memory";
    s->key_len = job->alg->key_len;
    s->encrypt_block = s->key_len == 16 ? (nettle_cipher_func *)aes128_encrypt
                       : s->key_len == 24 ? (nettle_cipher_func *)aes192_encrypt
                                          : (nettle_cipher_func *)aes256_encrypt;
    s->aad = job->aad;
    s->aad_len = job->aad_len;
    self->state = s;
    nettle_key(s, job->key);
    snprintf(self->version, sizeof self->version, "nettle %d.%d", nettle_version_major(),
             nettle_version_minor());
    return NULL;
}

void peer_nettle(struct peer *p)
{
    p->setup = nettle_setup;
    p->teardown = nettle_teardown;
    p->seal = nettle_seal;
    p->open = nettle_open;
    p->key = nettle_key;
}
