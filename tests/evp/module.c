/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading and unloading: several library contexts, many times, in use, with threads.
 */
#include "evp.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* A message with a cipher fetched from `from`, against ref. */
static bool seals(OSSL_LIB_CTX *from, const char *properties)
{
    EVP_CIPHER *c = evp_fetch(from, K256, properties);
    EVP_CIPHER_CTX *x = evp_ctx();
    bool good = c != NULL && EVP_CipherInit_ex2(x, c, NULL, NULL, 1, NULL) == 1 && works(x, K256);
    EVP_CIPHER_CTX_free(x);
    EVP_CIPHER_free(c);
    return good;
}

static void two_contexts(void)
{
    OSSL_LIB_CTX *a = evp_lib_new(), *b = evp_lib_new();
    CHECK(seals(a, "provider=hwaead") && seals(b, "provider=hwaead"));
    OSSL_LIB_CTX_free(a);
    CHECK(seals(b, "provider=hwaead"));
    CHECK(strcmp(evp_provider_text(b, "hwaead.tier"), evp_tier()) == 0);
    OSSL_LIB_CTX *c = evp_lib_new();
    OSSL_LIB_CTX_free(b);
    CHECK(seals(c, "provider=hwaead"));
    OSSL_LIB_CTX_free(c);
    CHECK(drain().total == 0);
}

/* Different settings side by side: nothing is shared. */
static void own_settings(void)
{
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new(), *b = OSSL_LIB_CTX_new();
    struct msg m = rnd_msg(K256, 12, 0, 0);
    uint8_t tag[16];
    char lines[64];
    snprintf(lines, sizeof lines, "min_tag = 12\ntier = %s\n", evp_least_tier());
    CHECK(evp_config(a, lines, NULL, true) && evp_config(b, "min_tag = 4\n", NULL, true));
    for (int i = 0; i < 2; i++) {
        EVP_CIPHER *c = evp_fetch(i ? b : a, K256, "provider=hwaead");
        EVP_CIPHER_CTX *x = evp_ctx();
        NEED(c != NULL);
        where("context %d", i);
        CHECK(begin(x, c, &m, 1) == 1 && finish(x));
        if (i)
            OK(get_tag(x, tag, 8));
        else
            REFUSED(get_tag(x, tag, 8));
        EVP_CIPHER_CTX_free(x);
        EVP_CIPHER_free(c);
    }
    CHECK(strcmp(evp_provider_text(a, "hwaead.tier"), evp_least_tier()) == 0);
    OSSL_LIB_CTX_free(a);
    OSSL_LIB_CTX_free(b);
}

/* The same configuration twice into one context, as some programs do (C6). */
static void configured_twice(void)
{
    OSSL_LIB_CTX *a = evp_lib_new();
    evp_config(a, "", NULL, true);
    CHECK(seals(a, "provider=hwaead"));
    evp_config(a, "", "?provider=hwaead", true);
    CHECK(seals(a, NULL) && seals(a, "provider=hwaead"));
    OSSL_LIB_CTX_free(a);
    ERR_clear_error();
}

static size_t maps(void)
{
    size_t lines = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    for (int c; f != NULL && (c = fgetc(f)) != EOF;)
        lines += c == '\n';
    if (f != NULL)
        fclose(f);
    return lines;
}

/* Loaded by its path: reading a configuration leaves memory behind in libcrypto itself. */
static void thousand_times(void)
{
    size_t maps_before = 0, heap_before = 0;
    for (int i = 0; i < 1000; i++) {
        where("round %d", i);
        OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
        OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, evp_module());
        NEED(p != NULL);
        CHECK(i % 50 != 0 || seals(a, "provider=hwaead"));
        OSSL_PROVIDER_unload(p);
        OSSL_LIB_CTX_free(a);
        if (i == 100) {
            maps_before = maps();
            heap_before = mallinfo2().uordblks;
        }
    }
    const size_t heap = mallinfo2().uordblks;
    where("maps %zu -> %zu, heap %zu -> %zu", maps_before, maps(), heap_before, heap);
    CHECK(SANITIZED || maps() <= maps_before + 2);
    CHECK(SANITIZED || heap < heap_before + 900 * 48); /* libcrypto grows a little; ASan finds leaks itself */
    CHECK(drain().total == 0);
}

/* One context, the provider loaded and unloaded in it. */
static void load_and_unload(void)
{
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
    CHECK(evp_config(a, "", NULL, false));
    CHECK(OSSL_PROVIDER_available(a, "hwaead") == 0);
    for (int i = 0; i < 100; i++) {
        where("round %d", i);
        OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
        NEED(p != NULL);
        CHECK(seals(a, "provider=hwaead"));
        CHECK(OSSL_PROVIDER_self_test(p) == 1); /* P18 */
        CHECK(OSSL_PROVIDER_unload(p) == 1);
        EVP_CIPHER *gone = evp_fetch(a, K256, "provider=hwaead");
        CHECK(gone == NULL);
        EVP_CIPHER_free(gone);
        ERR_clear_error();
    }
    OSSL_LIB_CTX_free(a);
}

static void unload_in_use(void)
{
    for (int order = 0; order < 2; order++) {
        struct msg m = rnd_msg(K256, 12, 13, 200);
        uint8_t got[200], want[200], tag[16], want_tag[16];
        where("order %d", order);
        CHECK(seal(ref[K256], &m, want, want_tag));
        OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
        CHECK(evp_config(a, "", NULL, false));
        OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
        NEED(p != NULL);
        EVP_CIPHER *c = evp_fetch(a, K256, "provider=hwaead");
        EVP_CIPHER_CTX *x = evp_ctx(), *y = evp_ctx();
        CHECK(c != NULL && begin(x, c, &m, 1) == 1 && aad(x, m.aad, 13) && update(x, got, m.text, 77));
        CHECK(OSSL_PROVIDER_unload(p) == 1);
        if (order == 0)
            EVP_CIPHER_free(c);
        CHECK(update(x, got + 77, m.text + 77, 123));
        OK(EVP_CIPHER_CTX_copy(y, x));
        CHECK(finish(x) && get_tag(x, tag, 16) == 1);
        CHECK_BYTES(got, want, 200);
        CHECK_BYTES(tag, want_tag, 16);
        if (order == 1)
            CHECK(begin(x, c, &m, 0) == 1); /* a new context of it */
        EVP_CIPHER_CTX_free(x);
        CHECK(finish(y) && get_tag(y, tag, 16) == 1);
        CHECK_BYTES(tag, want_tag, 16);
        REFUSED(finish(y)); /* errors still find their way */
        EVP_CIPHER_CTX_free(y);
        if (order == 1)
            EVP_CIPHER_free(c);
        OSSL_LIB_CTX_free(a);
    }
}

/* P10: threads that used the module and end after it is gone. */
struct late {
    pthread_barrier_t *used, *gone;
    OSSL_LIB_CTX *lib;
    bool good;
};

static void *late_thread(void *arg)
{
    struct late *l = arg;
    EVP_CIPHER *c = evp_fetch(l->lib, K256, "provider=hwaead");
    EVP_CIPHER_CTX *x = EVP_CIPHER_CTX_new();
    uint8_t key[32] = {1}, iv[12] = {2}, text[100] = {3}, tag[16];
    int n;
    l->good = c != NULL && x != NULL && EVP_EncryptInit_ex2(x, c, key, iv, NULL) == 1 &&
              EVP_EncryptUpdate(x, text, &n, text, 100) == 1 && EVP_EncryptFinal_ex(x, text, &n) == 1 &&
              EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
    l->good &= EVP_EncryptUpdate(x, text, &n, text, 100) == 0; /* an error for this thread's queue */
    EVP_CIPHER_CTX_free(x);
    EVP_CIPHER_free(c);
    pthread_barrier_wait(l->used);
    pthread_barrier_wait(l->gone);
    return NULL;
}

static void threads_outlive(void)
{
    enum { THREADS = 8 };
    pthread_barrier_t used, gone;
    pthread_t thread[THREADS];
    struct late late[THREADS];
    OSSL_LIB_CTX *a = evp_lib_new();
    pthread_barrier_init(&used, NULL, THREADS + 1);
    pthread_barrier_init(&gone, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        late[i] = (struct late){&used, &gone, a, false};
        NEED(pthread_create(&thread[i], NULL, late_thread, &late[i]) == 0);
    }
    pthread_barrier_wait(&used);
    OSSL_LIB_CTX_free(a);
    pthread_barrier_wait(&gone);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK(late[i].good);
    }
    pthread_barrier_destroy(&used);
    pthread_barrier_destroy(&gone);
}

/* Init and fetch in many library contexts at once. */
static void *loading_thread(void *arg)
{
    bool *good = arg;
    *good = true;
    for (int i = 0; i < 20; i++) {
        OSSL_LIB_CTX *a = evp_lib_new();
        EVP_CIPHER *c = evp_fetch(a, i % NKEYS, "provider=hwaead");
        *good &= c != NULL;
        EVP_CIPHER_free(c);
        OSSL_LIB_CTX_free(a);
    }
    return NULL;
}

static void loaded_by_threads(void)
{
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    bool good[THREADS];
    for (int i = 0; i < THREADS; i++)
        NEED(pthread_create(&thread[i], NULL, loading_thread, &good[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK(good[i]);
    }
}

static void reported(void)
{
    static const char *const keys[] = {"name", "version", "buildinfo", "hwaead.tier"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const char *text = evp_provider_text(lib, keys[i]);
        where("%s = %s", keys[i], text == NULL ? "nothing" : text);
        CHECK(text != NULL && *text != '\0');
    }
    CHECK(strstr(evp_provider_text(lib, "buildinfo"), evp_tier()) != NULL);
}

static const struct evp_case cases[] = {
    {"P7 C6", "two library contexts", two_contexts},
    {"P7", "settings of each context", own_settings},
    {"C6", "configured twice", configured_twice},
    {"P8", "a thousand contexts", thousand_times},
    {"P8 P18", "loaded and unloaded", load_and_unload},
    {"P9", "unloaded in use", unload_in_use},
    {"P10", "threads outlive it", threads_outlive},
    {"P7", "loaded by many threads", loaded_by_threads},
    {"P5", "what it says of itself", reported},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
