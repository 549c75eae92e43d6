/* SPDX-License-Identifier: Apache-2.0 */
#include "null_provider.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>

/* The functions that libcrypto insists on, and no more: it then takes no lock either. */

static void *newctx(void *provctx, void *parent, const OSSL_DISPATCH *parents_functions)
{
    (void)provctx, (void)parent, (void)parents_functions;
    return malloc(1);
}

static void freectx(void *ctx)
{
    free(ctx);
}

static int instantiate(void *ctx, unsigned int strength, int pr, const unsigned char *pers, size_t pers_len,
                       const OSSL_PARAM params[])
{
    (void)ctx, (void)strength, (void)pr, (void)pers, (void)pers_len, (void)params;
    return 1;
}

static int uninstantiate(void *ctx)
{
    (void)ctx;
    return 1;
}

static int generate(void *ctx, unsigned char *out, size_t len, unsigned int strength, int pr,
                    const unsigned char *addin, size_t addin_len)
{
    (void)ctx, (void)out, (void)len, (void)strength, (void)pr, (void)addin, (void)addin_len;
    return 1;
}

static int enable_locking(void *ctx)
{
    (void)ctx;
    return 1;
}

/* The one question that is asked at each request is answered first. */
static int get_ctx_params(void *ctx, OSSL_PARAM params[])
{
    (void)ctx;
    for (OSSL_PARAM *p = params; p->key != NULL; p++) {
        if (strcmp(p->key, OSSL_RAND_PARAM_MAX_REQUEST) == 0)
            memcpy(p->data, &(size_t){ 1 << 16 }, sizeof(size_t));
        else if (strcmp(p->key, OSSL_RAND_PARAM_STATE) == 0)
            memcpy(p->data, &(int){ EVP_RAND_STATE_READY }, sizeof(int));
        else if (strcmp(p->key, OSSL_RAND_PARAM_STRENGTH) == 0)
            memcpy(p->data, &(unsigned){ 256 }, sizeof(unsigned));
        p->return_size = p->data_size;
    }
    return 1;
}

static const OSSL_DISPATCH functions[] = {
    { OSSL_FUNC_RAND_NEWCTX, (void (*)(void))newctx },
    { OSSL_FUNC_RAND_FREECTX, (void (*)(void))freectx },
    { OSSL_FUNC_RAND_INSTANTIATE, (void (*)(void))instantiate },
    { OSSL_FUNC_RAND_UNINSTANTIATE, (void (*)(void))uninstantiate },
    { OSSL_FUNC_RAND_GENERATE, (void (*)(void))generate },
    { OSSL_FUNC_RAND_ENABLE_LOCKING, (void (*)(void))enable_locking },
    { OSSL_FUNC_RAND_GET_CTX_PARAMS, (void (*)(void))get_ctx_params },
    { 0, NULL },
};

const OSSL_ALGORITHM null_rands[] = {
    { "BENCH-NULL-RAND", "provider=bench-null", functions, NULL },
    { NULL, NULL, NULL, NULL },
};
