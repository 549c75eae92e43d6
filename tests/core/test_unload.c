/* SPDX-License-Identifier: Apache-2.0
 *
 * A plug-in that has the static library inside is unloaded while threads live on that used it: their ends call nothing
 * that is gone, and a process can do so more often than libc has keys for threads.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include <hwaead/hwaead.h>

#include "check.h"

enum { ROUNDS = PTHREAD_KEYS_MAX + 50, THREADS = 4 };

/* musl's dlclose only says that it was well: nothing is ever unloaded. */
#ifdef __GLIBC__
static const bool unloads = true;
#else
static const bool unloads = false;
#endif

typedef int key_fn(uint8_t key[HWAEAD_RANDOM_KEY_LEN]);

static key_fn *plugin_key;
static pthread_barrier_t used, unloaded;

static void *load(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = plugin != NULL ? dlsym(plugin, "plugin_key") : NULL;
    memcpy(&plugin_key, &symbol, sizeof symbol);
    return CHECK(symbol != NULL) ? plugin : NULL;
}

static bool is_loaded(const char *path)
{
    void *again = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    return again != NULL && dlclose(again) == 0;
}

static void *outlive(void *arg)
{
    uint8_t key[HWAEAD_RANDOM_KEY_LEN];
    int *good = arg;
    *good = plugin_key(key);
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&unloaded);
    return NULL;
}

static void threads_outlive(const char *path)
{
    pthread_t threads[THREADS];
    int good[THREADS] = {0};
    void *plugin = load(path);
    if (plugin == NULL)
        return;
    check_note("threads that outlive the plug-in");
    pthread_barrier_init(&used, NULL, THREADS + 1);
    pthread_barrier_init(&unloaded, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, outlive, &good[i]) == 0);
    pthread_barrier_wait(&used);
    CHECK(dlclose(plugin) == 0 && is_loaded(path) != unloads);
    pthread_barrier_wait(&unloaded);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0 && good[i]);
    pthread_barrier_destroy(&used);
    pthread_barrier_destroy(&unloaded);
}

static void many_times(const char *path)
{
    uint8_t key[HWAEAD_RANDOM_KEY_LEN], last[HWAEAD_RANDOM_KEY_LEN] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        pthread_key_t left;
        check_note("round %d", i);
        void *plugin = load(path);
        if (plugin == NULL)
            return;
        CHECK(plugin_key(key) && memcmp(key, last, sizeof key) != 0);
        memcpy(last, key, sizeof key);
        CHECK(dlclose(plugin) == 0 && is_loaded(path) != unloads);
        CHECK(pthread_key_create(&left, NULL) == 0 && pthread_key_delete(left) == 0);
    }
}

int main(int argc, char **argv)
{
    if (!CHECK(argc == 2))
        return check_done();
    threads_outlive(argv[1]);
    many_times(argv[1]);
    return check_done();
}
