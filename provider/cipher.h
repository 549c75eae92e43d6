/* SPDX-License-Identifier: Apache-2.0
 *
 * What the ciphers have in common.
 */
#ifndef HWAEAD_PROVIDER_CIPHER_H
#define HWAEAD_PROVIDER_CIPHER_H

#include "prov.h"

/* What libcrypto asks once a fetch; sizes in bytes. */
struct cipher_alg {
    enum alg_id id;
    unsigned int mode;
    unsigned int key_len;
    unsigned int iv_len;
    unsigned int block_size;
    unsigned int aead;
    unsigned int custom_iv;
    unsigned int cts;
    unsigned int tls_multi;
    unsigned int has_randkey;
    unsigned int decrypt_only;
};

/* The table behind cipher_get_constants. */
extern const struct param_row cipher_constants[];

int cipher_get_constants(const struct cipher_alg *alg, OSSL_PARAM params[]);
OSSL_FUNC_cipher_gettable_params_fn cipher_gettable_constants;

/* Zeroed memory for a context of n bytes; NULL, with one error queued, when there is none. */
void *cipher_ctx_alloc(const struct provider *prov, size_t n);

/* Wipes and frees; ctx may be NULL. */
void cipher_ctx_free(void *ctx, size_t n);

#endif
