/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV as a cipher of libcrypto: the context that cipher_siv.c (messages) and siv_params.c (parameters) share.
 */
#ifndef HWAEAD_PROVIDER_CIPHER_SIV_H
#define HWAEAD_PROVIDER_CIPHER_SIV_H

#include "cipher.h"
#include "siv.h"

enum siv_state {
    SIV_NO_NONCE,
    SIV_LOADED,     /* a nonce for the next message, of which nothing has come */
    SIV_RUNNING,    /* msg is under way, so a key is set; no text yet */
    SIV_DONE,       /* the text is through, and msg wiped */
    SIV_REPEATABLE, /* the same with `speed`: msg is kept, and another text may take the place of this one */
    SIV_SPENT       /* the message is over, well or badly: nothing works until a new nonce */
};

struct siv_ctx {
    struct provider *prov;
    const struct cipher_alg *alg;

    int enc;
    enum siv_state state;
    int speed;    /* texts may come more than once */
    int tag_made; /* made is the tag of the last text */
    int right;    /* the last text had the tag that was wanted */
    int has_want; /* want was set */

    uint8_t made[BLOCK];
    uint8_t want[BLOCK];
    uint8_t nonce[SIV_NONCE];
    struct siv_msg msg;
    struct siv_key key;
};

/* Parameters of a context (siv_params.c). */
extern const struct param_row siv_params[];
OSSL_FUNC_cipher_get_ctx_params_fn siv_get_params;
OSSL_FUNC_cipher_set_ctx_params_fn siv_set_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn siv_gettable;
OSSL_FUNC_cipher_settable_ctx_params_fn siv_settable;

/* Dispatch tables (cipher_siv.c). */
extern const OSSL_DISPATCH aes_128_gcm_siv[], aes_192_gcm_siv[], aes_256_gcm_siv[];

#endif
