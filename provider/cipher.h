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

/* A copy of the n bytes of ctx, which has no pointers into itself; NULL, with one error queued, without memory. */
void *cipher_ctx_dup(const struct provider *prov, const void *ctx, size_t n);

/* Wipes and frees; ctx may be NULL. */
void cipher_ctx_free(void *ctx, size_t n);

/* EVP_Cipher: update and final in one function. Callers see the length written, -1 for our 0; without this function
 * they would see a wrong tag as 0 bytes written. */
static inline int cipher_one_shot(const struct provider *prov, OSSL_FUNC_cipher_update_fn *update,
                                  OSSL_FUNC_cipher_final_fn *final, void *ctx, unsigned char *out, size_t *out_len,
                                  size_t out_size, const unsigned char *in, size_t len)
{
    if (in == NULL && len == 0)
        return final(ctx, out, out_len, out_size);
    if (out != NULL && out_size < len)
        return FAIL(prov, R_OUTPUT_TOO_SMALL);
    return update(ctx, out, out_len, out_size, in, len);
}

#endif
