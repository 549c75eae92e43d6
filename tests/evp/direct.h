/* SPDX-License-Identifier: Apache-2.0
 *
 * The module without libcrypto between: its entry is called with a core that is made here, and its functions are
 * taken from the tables that it returns.
 */
#ifndef HWAEAD_TESTS_DIRECT_H
#define HWAEAD_TESTS_DIRECT_H

#include <stddef.h>
#include <stdint.h>

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

/* A core: what it answers and what it has heard. */
struct core {
    const char *const *settings; /* key, value, key, value, ..., NULL; or NULL */
    int without;                 /* bits CORE_NO_... */
    size_t errors;               /* raised so far */
    uint32_t reason;             /* of the last */
    char text[512];
};
enum { CORE_NO_ERRORS = 1, CORE_NO_PARAMS = 2, CORE_NO_MEMORY = 4, CORE_STRANGE = 8 };

/* One instance of the provider. */
struct direct {
    struct core *core;
    void *prov;
    const OSSL_DISPATCH *functions;
    OSSL_FUNC_provider_teardown_fn *teardown;
    OSSL_FUNC_provider_gettable_params_fn *gettable_params;
    OSSL_FUNC_provider_get_params_fn *get_params;
    OSSL_FUNC_provider_query_operation_fn *query;
    OSSL_FUNC_provider_get_reason_strings_fn *reasons;
    OSSL_FUNC_provider_self_test_fn *self_test;
};

/* The functions of one cipher. */
struct direct_cipher {
    OSSL_FUNC_cipher_newctx_fn *newctx;
    OSSL_FUNC_cipher_freectx_fn *freectx;
    OSSL_FUNC_cipher_dupctx_fn *dupctx;
    OSSL_FUNC_cipher_encrypt_init_fn *einit;
    OSSL_FUNC_cipher_decrypt_init_fn *dinit;
    OSSL_FUNC_cipher_update_fn *update;
    OSSL_FUNC_cipher_final_fn *final;
    OSSL_FUNC_cipher_cipher_fn *cipher;
    OSSL_FUNC_cipher_get_params_fn *get_params;
    OSSL_FUNC_cipher_get_ctx_params_fn *get_ctx;
    OSSL_FUNC_cipher_set_ctx_params_fn *set_ctx;
    OSSL_FUNC_cipher_gettable_params_fn *gettable;
    OSSL_FUNC_cipher_gettable_ctx_params_fn *gettable_ctx;
    OSSL_FUNC_cipher_settable_ctx_params_fn *settable_ctx;
};

/* OSSL_provider_init of the module at path; the image stays loaded. Ends the program when there is none. */
OSSL_provider_init_fn *direct_entry(const char *path);

/* What the entry returned. On success d is filled. */
int direct_start(struct direct *d, OSSL_provider_init_fn *entry, struct core *core);

/* The cipher whose names begin with name; its functions in c. 0 when there is none. */
int direct_find(const struct direct *d, const char *name, struct direct_cipher *c);

#endif
