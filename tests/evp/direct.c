/* SPDX-License-Identifier: Apache-2.0 */
#include "direct.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void new_error(const OSSL_CORE_HANDLE *handle)
{
    (void)handle;
}

static void set_error_debug(const OSSL_CORE_HANDLE *handle, const char *file, int line, const char *func)
{
    (void)handle, (void)file, (void)line, (void)func;
}

/* The handle is the core itself. */
static struct core *core_of(const OSSL_CORE_HANDLE *handle)
{
    return (struct core *)(uintptr_t)handle;
}

__attribute__((format(printf, 3, 0))) static void vset_error(const OSSL_CORE_HANDLE *handle, uint32_t reason,
                                                            const char *format, va_list args)
{
    struct core *core = core_of(handle);
    core->errors++;
    core->reason = reason;
    if (format != NULL)
        vsnprintf(core->text, sizeof core->text, format, args);
}

static int get_params(const OSSL_CORE_HANDLE *handle, OSSL_PARAM params[])
{
    const struct core *core = core_of(handle);
    for (OSSL_PARAM *p = params; p->key != NULL; p++)
        for (const char *const *s = core->settings; s != NULL && *s != NULL; s += 2)
            if (strcmp(p->key, s[0]) == 0 && p->data_type == OSSL_PARAM_UTF8_PTR) {
                *(const char **)p->data = s[1];
                p->return_size = strlen(s[1]);
            }
    return 1;
}

static void *core_malloc(size_t n, const char *file, int line)
{
    (void)file, (void)line;
    return malloc(n);
}

static void *core_zalloc(size_t n, const char *file, int line)
{
    (void)file, (void)line;
    return calloc(1, n);
}

static void core_free(void *p, const char *file, int line)
{
    (void)file, (void)line;
    free(p);
}

static void strange(void)
{
    fprintf(stderr, "a core function that nobody knows was called\n");
    abort();
}

OSSL_provider_init_fn *direct_entry(const char *path)
{
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    OSSL_provider_init_fn *entry = NULL;
    void *symbol = so == NULL ? NULL : dlsym(so, "OSSL_provider_init");
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    memcpy(&entry, &symbol, sizeof entry);
    return entry;
}

int direct_start(struct direct *d, OSSL_provider_init_fn *entry, struct core *core)
{
    OSSL_DISPATCH in[16];
    size_t n = 0;
    memset(d, 0, sizeof *d);
    d->core = core;
    if (core->without & CORE_STRANGE) {
        in[n++] = (OSSL_DISPATCH){9999, strange};
        in[n++] = (OSSL_DISPATCH){120, strange};
    }
    if (!(core->without & CORE_NO_ERRORS)) {
        in[n++] = (OSSL_DISPATCH){OSSL_FUNC_CORE_NEW_ERROR, (void (*)(void))new_error};
        in[n++] = (OSSL_DISPATCH){OSSL_FUNC_CORE_SET_ERROR_DEBUG, (void (*)(void))set_error_debug};
        in[n++] = (OSSL_DISPATCH){OSSL_FUNC_CORE_VSET_ERROR, (void (*)(void))vset_error};
    }
    if (!(core->without & CORE_NO_PARAMS))
        in[n++] = (OSSL_DISPATCH){OSSL_FUNC_CORE_GET_PARAMS, (void (*)(void))get_params};
    if (!(core->without & CORE_NO_MEMORY)) {
        in[n++] = (OSSL_DISPATCH){OSSL_FUNC_CRYPTO_MALLOC, (void (*)(void))core_malloc};
        in[n++] = (OSSL_DISPATCH){OSSL_FUNC_CRYPTO_ZALLOC, (void (*)(void))core_zalloc};
        in[n++] = (OSSL_DISPATCH){OSSL_FUNC_CRYPTO_FREE, (void (*)(void))core_free};
    }
    in[n] = (OSSL_DISPATCH){0, NULL};
    if (entry((const OSSL_CORE_HANDLE *)core, in, &d->functions, &d->prov) != 1)
        return 0;
    for (const OSSL_DISPATCH *f = d->functions; f->function_id != 0; f++)
        switch (f->function_id) {
        case OSSL_FUNC_PROVIDER_TEARDOWN:
            d->teardown = OSSL_FUNC_provider_teardown(f);
            break;
        case OSSL_FUNC_PROVIDER_GETTABLE_PARAMS:
            d->gettable_params = OSSL_FUNC_provider_gettable_params(f);
            break;
        case OSSL_FUNC_PROVIDER_GET_PARAMS:
            d->get_params = OSSL_FUNC_provider_get_params(f);
            break;
        case OSSL_FUNC_PROVIDER_QUERY_OPERATION:
            d->query = OSSL_FUNC_provider_query_operation(f);
            break;
        case OSSL_FUNC_PROVIDER_GET_REASON_STRINGS:
            d->reasons = OSSL_FUNC_provider_get_reason_strings(f);
            break;
        case OSSL_FUNC_PROVIDER_SELF_TEST:
            d->self_test = OSSL_FUNC_provider_self_test(f);
            break;
        default:
            break;
        }
    return 1;
}

int direct_find(const struct direct *d, const char *name, struct direct_cipher *c)
{
    int no_cache = 1;
    const OSSL_ALGORITHM *a = d->query(d->prov, OSSL_OP_CIPHER, &no_cache);
    memset(c, 0, sizeof *c);
    while (a != NULL && a->algorithm_names != NULL && strncmp(a->algorithm_names, name, strlen(name)) != 0)
        a++;
    if (a == NULL || a->algorithm_names == NULL)
        return 0;
    for (const OSSL_DISPATCH *f = a->implementation; f->function_id != 0; f++)
        switch (f->function_id) {
        case OSSL_FUNC_CIPHER_NEWCTX:
            c->newctx = OSSL_FUNC_cipher_newctx(f);
            break;
        case OSSL_FUNC_CIPHER_FREECTX:
            c->freectx = OSSL_FUNC_cipher_freectx(f);
            break;
        case OSSL_FUNC_CIPHER_DUPCTX:
            c->dupctx = OSSL_FUNC_cipher_dupctx(f);
            break;
        case OSSL_FUNC_CIPHER_ENCRYPT_INIT:
            c->einit = OSSL_FUNC_cipher_encrypt_init(f);
            break;
        case OSSL_FUNC_CIPHER_DECRYPT_INIT:
            c->dinit = OSSL_FUNC_cipher_decrypt_init(f);
            break;
        case OSSL_FUNC_CIPHER_UPDATE:
            c->update = OSSL_FUNC_cipher_update(f);
            break;
        case OSSL_FUNC_CIPHER_FINAL:
            c->final = OSSL_FUNC_cipher_final(f);
            break;
        case OSSL_FUNC_CIPHER_CIPHER:
            c->cipher = OSSL_FUNC_cipher_cipher(f);
            break;
        case OSSL_FUNC_CIPHER_GET_PARAMS:
            c->get_params = OSSL_FUNC_cipher_get_params(f);
            break;
        case OSSL_FUNC_CIPHER_GET_CTX_PARAMS:
            c->get_ctx = OSSL_FUNC_cipher_get_ctx_params(f);
            break;
        case OSSL_FUNC_CIPHER_SET_CTX_PARAMS:
            c->set_ctx = OSSL_FUNC_cipher_set_ctx_params(f);
            break;
        case OSSL_FUNC_CIPHER_GETTABLE_PARAMS:
            c->gettable = OSSL_FUNC_cipher_gettable_params(f);
            break;
        case OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS:
            c->gettable_ctx = OSSL_FUNC_cipher_gettable_ctx_params(f);
            break;
        case OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS:
            c->settable_ctx = OSSL_FUNC_cipher_settable_ctx_params(f);
            break;
        default:
            break;
        }
    return 1;
}
