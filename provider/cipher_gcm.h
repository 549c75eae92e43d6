/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM as a cipher of libcrypto: the context that cipher_gcm.c (messages), gcm_tls.c (IVs and records of TLS 1.2
 * and SSH) and gcm_params.c (parameters) share.
 */
#ifndef HWAEAD_PROVIDER_CIPHER_GCM_H
#define HWAEAD_PROVIDER_CIPHER_GCM_H

#include "cipher.h"
#include "gcm.h"
#include "secret.h"

enum { GCM_MAX_IV = 128, GCM_RANDOM_IV_MIN = 12, TLS_AAD_LEN = 13, TLS_EXPLICIT_IV_LEN = 8 };

enum iv_state {
    IV_NONE,    /* none yet; an encryption makes a random one when it needs it */
    IV_LOADED,  /* of the next message */
    IV_RUNNING, /* msg is under way, so a key is set */
    IV_SPENT    /* the message is over, well or badly: nothing works until a new IV */
};

struct gcm_ctx {
    struct provider *prov;
    const struct cipher_alg *alg;

    int enc;
    enum iv_state iv_state;
    size_t iv_len;
    unsigned int iv_random; /* the IV is one that we made */
    int iv_counts;          /* tlsivfixed was set: the last 8 bytes of iv count, iv_len is 8 or more */
    uint64_t ivs_made;      /* by counting, under this key */

    int tag_made;    /* made is the tag of the last message */
    size_t want_len; /* bytes of want, 0 when none was set */

    int tls_record;       /* the next update is a whole TLS record, with tls_aad */
    unsigned int tls_pad; /* what tlsaad adds to a record: the tag */

    uint8_t made[BLOCK];
    uint8_t want[BLOCK];
    uint8_t tls_aad[TLS_AAD_LEN];
    uint8_t iv[GCM_MAX_IV];
    struct gcm_msg msg;
    struct gcm_key key;
};

static inline int gcm_has_key(const struct gcm_ctx *c)
{
    return c->key.kernel != NULL;
}

/* Gives up the message under way, if there is one. */
static inline void gcm_drop(struct gcm_ctx *c)
{
    if (c->iv_state != IV_RUNNING)
        return;
    c->iv_state = IV_SPENT;
    secret_wipe(&c->msg, sizeof c->msg);
}

/* The IV in c->iv is that of the next message: what belonged to the last one goes. */
static inline void gcm_iv_loaded(struct gcm_ctx *c)
{
    gcm_drop(c);
    c->iv_state = IV_LOADED;
    c->iv_random = 0;
    c->tag_made = 0;
    c->tls_record = 0;
}

/* Makes the IV that a sealing context was not given. On failure one error is queued. */
int gcm_make_iv(struct gcm_ctx *c);

/* Begins a message with c->iv; a key is set. */
static inline void gcm_begin(struct gcm_ctx *c)
{
    (void)gcm_start(&c->key, &c->msg, c->iv, c->iv_len); /* its one error is an empty nonce */
    c->iv_state = IV_RUNNING;
}

/* The update after `tlsaad`: a record of explicit IV || text || tag. */
int gcm_tls_record(struct gcm_ctx *c, uint8_t *out, size_t *out_len, size_t out_size, const uint8_t *in,
                   size_t len);

/* tlsaad, tlsivfixed, tlsivgen, tlsivinv. */
param_set_fn gcm_set_tls_aad, gcm_set_fixed_iv, gcm_set_iv_end;
param_get_fn gcm_get_next_iv;

/* Parameters of a context (gcm_params.c). */
extern const struct param_row gcm_params[];
OSSL_FUNC_cipher_get_ctx_params_fn gcm_get_params;
OSSL_FUNC_cipher_set_ctx_params_fn gcm_set_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn gcm_gettable;
OSSL_FUNC_cipher_settable_ctx_params_fn gcm_settable;

/* Dispatch tables (cipher_gcm.c). */
extern const OSSL_DISPATCH aes_128_gcm[], aes_192_gcm[], aes_256_gcm[];

#endif
