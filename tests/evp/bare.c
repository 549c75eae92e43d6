/* SPDX-License-Identifier: Apache-2.0
 *
 * P4: a program without libcrypto loads the module, starts it on an empty core and unloads it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        puts("P4: the module in a program without libcrypto");
        return 0;
    }
    const char *path = argc > 1 ? argv[1] : "hwaead.so";
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (so == NULL) {
        printf("P4 FAILED: %s\n", dlerror());
        return 1;
    }
    if (dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto") != NULL || dlsym(so, "OPENSSL_init_crypto") != NULL) {
        printf("P4 FAILED: libcrypto is in this process, so the module, or this test, is linked with it\n");
        return 1;
    }
    OSSL_provider_init_fn *entry = NULL;
    void *symbol = dlsym(so, "OSSL_provider_init");
    if (symbol == NULL) {
        printf("P4 FAILED: %s\n", dlerror());
        return 1;
    }
    memcpy(&entry, &symbol, sizeof entry);
    const OSSL_DISPATCH none[] = {{0, NULL}};
    const OSSL_DISPATCH *functions = NULL;
    void *prov = NULL;
    if (entry(NULL, none, &functions, &prov) == 1) {
        for (const OSSL_DISPATCH *f = functions; f->function_id != 0; f++)
            if (f->function_id == OSSL_FUNC_PROVIDER_TEARDOWN)
                OSSL_FUNC_provider_teardown(f)(prov);
        puts("P4: loaded, started and ended without libcrypto");
    } else {
        puts("P4: loaded without libcrypto; this CPU cannot run it");
    }
    return dlclose(so) == 0 ? 0 : 1;
}
