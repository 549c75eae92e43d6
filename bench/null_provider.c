/* SPDX-License-Identifier: Apache-2.0 */
#include "null_provider.h"

#include <openssl/core_dispatch.h>

static const OSSL_ALGORITHM *query(void *provctx, int operation, int *no_cache)
{
    (void)provctx;
    *no_cache = 0;
    return operation == OSSL_OP_CIPHER ? null_ciphers : operation == OSSL_OP_RAND ? null_rands : NULL;
}

int null_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                       void **provctx)
{
    static const OSSL_DISPATCH dispatch[] = { { OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query },
                                              { 0, NULL } };
    union {
        const OSSL_CORE_HANDLE *in;
        void *out;
    } h = { handle };

    (void)in;
    *out = dispatch;
    *provctx = h.out;
    return 1;
}
