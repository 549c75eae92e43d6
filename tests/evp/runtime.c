/* SPDX-License-Identifier: Apache-2.0
 *
 * Life of a process: threads, fork, a million messages, and every way to end with contexts still in use.
 */
#include "evp.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WELL = 42 };

/* ---- A message in progress, for handlers that run when main is over ---- */

static uint8_t g_key[32] = {1, 2, 3}, g_iv[12] = {4, 5, 6}, g_text[3000], g_want[3000], g_tag[16];

/* The rest of a message that has done 1000 bytes. */
static bool goes_on(EVP_CIPHER_CTX *x)
{
    uint8_t out[2000], tag[16];
    int n;
    return EVP_EncryptUpdate(x, out, &n, g_text + 1000, 2000) == 1 && memcmp(out, g_want + 1000, 2000) == 0 &&
           EVP_EncryptFinal_ex(x, NULL, &n) == 1 && EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1 &&
           memcmp(tag, g_tag, 16) == 0;
}

/* A whole one in the same context. */
static bool another(EVP_CIPHER_CTX *x)
{
    uint8_t out[1000];
    int n;
    return EVP_EncryptInit_ex2(x, NULL, g_key, g_iv, NULL) == 1 &&
           EVP_EncryptUpdate(x, out, &n, g_text, 1000) == 1 && memcmp(out, g_want, 1000) == 0 && goes_on(x);
}

static EVP_CIPHER_CTX *in_progress(const EVP_CIPHER *c)
{
    uint8_t out[1000];
    int n;
    EVP_CIPHER_CTX *x = evp_ctx();
    if (EVP_EncryptInit_ex2(x, c, g_key, g_iv, NULL) != 1 || EVP_EncryptUpdate(x, out, &n, g_text, 1000) != 1 ||
        memcmp(out, g_want, 1000) != 0)
        abort();
    return x;
}

static void expect(const EVP_CIPHER *c)
{
    struct msg m = {.k = K256, .key = g_key, .iv = g_iv, .iv_len = 12, .text = g_text, .len = sizeof g_text};
    for (size_t i = 0; i < sizeof g_text; i++)
        g_text[i] = (uint8_t)(i * 7);
    if (!seal(c, &m, g_want, g_tag))
        abort();
}

/* ---- X1: what a child of this program does ---- */

static EVP_CIPHER_CTX *late[4]; /* for the handlers: left as they are */
static bool in_destructor, handler_ran;

static void handler(void)
{
    if (!goes_on(late[0]) || !another(late[0]))
        _exit(1);
    handler_ran = true;
    if (!in_destructor)
        _exit(WELL);
}

static void quick_handler(void)
{
    _exit(goes_on(late[0]) && another(late[0]) ? WELL : 1);
}

__attribute__((destructor)) static void library_end(void)
{
    if (in_destructor) {
        handler();
        _exit(handler_ran ? WELL : 1);
    }
}

static void *busy(void *arg)
{
    EVP_CIPHER_CTX *x = arg;
    for (;;)
        if (!another(x))
            _exit(1); /* even when the process is ending it must stay right */
    return NULL;
}

static int child(const char *mode, const char *tier)
{
    char line[64];
    const bool in_default = strncmp(mode, "default-", 8) == 0;
    if (in_default)
        mode += 8;
    setenv("OPENSSL_CONF", "/dev/null", 1);
    snprintf(line, sizeof line, "tier = %s\n", tier);
    if (strcmp(mode, "atexit-late") == 0) /* before libcrypto's own: runs after its clean-up */
        atexit(handler);
    OSSL_LIB_CTX *own = in_default ? NULL : OSSL_LIB_CTX_new();
    if (!evp_config(own, line, "?provider=hwaead", true) || OSSL_PROVIDER_available(own, "hwaead") != 1)
        return 3;
    EVP_CIPHER *c = evp_fetch(own, K256, "provider=hwaead"), *r = evp_fetch(own, K256, "provider=default");
    if (c == NULL || r == NULL)
        return 4;
    expect(r);
    for (size_t i = 0; i < COUNT(late); i++)
        late[i] = in_progress(c);
    EVP_CIPHER_CTX_copy(late[3], late[2]);

    if (strcmp(mode, "_exit") == 0)
        _exit(WELL);
    if (strcmp(mode, "atexit") == 0)
        atexit(handler);
    if (strcmp(mode, "quick_exit") == 0) {
        at_quick_exit(quick_handler);
        quick_exit(1);
    }
    if (strcmp(mode, "destructor") == 0)
        in_destructor = true;
    if (strcmp(mode, "freed-cipher") == 0) {
        EVP_CIPHER_free(c);
        OSSL_LIB_CTX_free(own); /* the context still has a reference to cipher and provider */
    }
    if (strcmp(mode, "threads") == 0 || strcmp(mode, "pthread_exit") == 0) {
        pthread_t t;
        for (size_t i = 1; i < COUNT(late); i++)
            if (pthread_create(&t, NULL, busy, late[i]) != 0)
                return 5;
        usleep(20000);
        if (strcmp(mode, "pthread_exit") == 0) {
            alarm(1); /* the others go on; SIGALRM ends it */
            pthread_exit(NULL);
        }
    }
    exit(WELL);
}

/* This program, under the emulator that it runs under itself: HWAEAD_TEST_EMULATOR has its words, a | between. */
static void execute_again(const char *mode)
{
    static char self[4096];
    char *words[32], *emulator = getenv("HWAEAD_TEST_EMULATOR");
    size_t n = 0;
    for (char *word = emulator == NULL ? NULL : strtok(strdup(emulator), "|"); word != NULL && n < 20;
         word = strtok(NULL, "|"))
        words[n++] = word;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        _exit(126);
    const char *const rest[] = {self, "--child", mode, evp_tier(), NULL};
    memcpy(words + n, rest, sizeof rest);
    execvp(words[0], words);
    _exit(127);
}

static int run_child(const char *mode)
{
    pid_t pid = fork();
    if (pid == 0) {
        const char *old = getenv("ASAN_OPTIONS");
        char options[512]; /* the leaks are the test */
        snprintf(options, sizeof options, "%s%sdetect_leaks=0", old == NULL ? "" : old, old == NULL ? "" : ":");
        setenv("ASAN_OPTIONS", options, 1);
        execute_again(mode);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

static void ways_to_end(void)
{
    static const char *const modes[] = {"exit", "_exit", "quick_exit", "atexit", "atexit-late", "destructor",
                                        "freed-cipher", "threads", "default-exit", "default-_exit",
                                        "default-quick_exit", "default-atexit", "default-freed-cipher"};
    for (size_t i = 0; i < COUNT(modes); i++) {
        int status = run_child(modes[i]);
        where("%s: status %x", modes[i], (unsigned)status);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == WELL);
    }
    int status = run_child("pthread_exit");
    where("pthread_exit: status %x", (unsigned)status);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
    status = run_child("default-threads");
    where("default-threads: status %x", (unsigned)status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == WELL);
}

/* ---- X4 ---- */

static void fork_in_message(void)
{
    expect(ref[K256]);
    for (int generations = 0; generations < 20; generations++) {
        EVP_CIPHER_CTX *x = in_progress(ours[K256]);
        pid_t pid = fork();
        if (pid == 0) {
            pid_t grandchild = fork();
            bool good = goes_on(x) && another(x);
            if (grandchild == 0)
                _exit(good ? WELL : 1);
            int status = -1;
            waitpid(grandchild, &status, 0);
            _exit(good && WIFEXITED(status) && WEXITSTATUS(status) == WELL ? WELL : 1);
        }
        where("fork %d", generations);
        CHECK(goes_on(x) && another(x));
        int status = -1;
        waitpid(pid, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == WELL);
        EVP_CIPHER_CTX_free(x);
    }
}

/* A child that ends in the normal way, as nginx's workers do: it tears down a provider that it has not loaded. */
static void forked_teardown(void)
{
    for (int i = 0; i < 10; i++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            OSSL_LIB_CTX *mine = lib;
            EVP_CIPHER *c = evp_fetch(mine, K256, "provider=hwaead");
            EVP_CIPHER_free(c);
            for (int k = 0; k < NKEYS; k++) {
                EVP_CIPHER_free(ours[k]);
                EVP_CIPHER_free(ref[k]);
            }
            OSSL_LIB_CTX_free(mine);
            _exit(c != NULL ? WELL : 1);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == WELL);
    }
    struct msg m = rnd_msg(K256, 12, 0, 0); /* nothing of that is felt here */
    EVP_CIPHER_CTX *x = evp_ctx();
    CHECK(begin(x, ours[K256], &m, 1) == 1 && works(x, K256));
    EVP_CIPHER_CTX_free(x);
}

/* ---- X7 ---- */

static void million_messages(void)
{
    struct msg m = rnd_msg(K256, 12, 13, 64);
    uint8_t ct[64], tag[16], out[64], iv[12];
    bool good = true;
    int pad = 1;
    OSSL_PARAM ignored[] = {OSSL_PARAM_construct_int("padding", &pad), OSSL_PARAM_construct_int("nonsense", &pad),
                            OSSL_PARAM_construct_end()};
    EVP_CIPHER_CTX *a = evp_ctx(), *b = evp_ctx();
    memcpy(iv, m.iv, 12);
    CHECK(begin(a, ours[K256], &m, 1) == 1 && begin(b, ours[K256], &m, 0) == 1);
    for (uint32_t i = 0; i < 500000 && good; i++) { /* each sealed and opened */
        memcpy(iv, &i, sizeof i);
        good = init_iv(a, iv, 1) == 1 && aad(a, m.aad, 13) && update(a, ct, m.text, 64) && finish(a) &&
               get_tag(a, tag, 16) == 1 && init_iv(b, iv, 0) == 1 && set_tag(b, tag, 16) == 1 &&
               aad(b, m.aad, 13) && update(b, out, ct, 64) && finish(b) &&
               EVP_CIPHER_CTX_set_params(b, ignored) == 1 &&
               EVP_CIPHER_CTX_get_params(b, ignored) == 1;
    }
    CHECK(good);
    CHECK_BYTES(out, m.text, 64);
    CHECK(ERR_peek_error() == 0);
    /* forged ones queue nothing either */
    for (uint32_t i = 0; i < 10000; i++) {
        CHECK(init_iv(b, iv, 0) == 1 && set_tag(b, ct, 16) == 1 && aad(b, m.aad, 13) && update(b, out, ct, 64));
        CHECK(!finish(b));
    }
    CHECK(ERR_peek_error() == 0);
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
}

/* ---- G39 ---- */

enum { THREADS = 64, ROUNDS = 60 };

struct job {
    uint64_t seed;
    bool good;
};

static void *worker(void *arg)
{
    struct job *job = arg;
    struct rng rng = {job->seed};
    EVP_CIPHER_CTX *x = EVP_CIPHER_CTX_new(), *y = EVP_CIPHER_CTX_new();
    bool good = x != NULL && y != NULL;
    uint8_t key[32], iv[12], text[2000], a[2000], b[2000], tag_a[16], tag_b[16];
    for (int i = 0; i < ROUNDS && good; i++) {
        int k = i % NKEYS, n;
        size_t len = rng_below(&rng, sizeof text);
        rng_fill(&rng, key, sizeof key);
        rng_fill(&rng, iv, sizeof iv);
        rng_fill(&rng, text, len);
        good = EVP_EncryptInit_ex2(x, ours[k], key, iv, NULL) == 1 &&
               EVP_EncryptInit_ex2(y, ref[k], key, iv, NULL) == 1 &&
               EVP_EncryptUpdate(x, a, &n, text, (int)len) == 1 &&
               EVP_EncryptUpdate(y, b, &n, text, (int)len) == 1 &&
               EVP_EncryptFinal_ex(x, NULL, &n) == 1 && EVP_EncryptFinal_ex(y, NULL, &n) == 1 &&
               EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_GET_TAG, 16, tag_a) == 1 &&
               EVP_CIPHER_CTX_ctrl(y, EVP_CTRL_AEAD_GET_TAG, 16, tag_b) == 1 && memcmp(a, b, len) == 0 &&
               memcmp(tag_a, tag_b, 16) == 0;
        if (i % 16 == 0) { /* errors in one thread's queue are not in another's */
            good &= EVP_EncryptUpdate(x, a, &n, text, 16) == 0 && ERR_get_error() != 0 && ERR_get_error() == 0;
            EVP_CIPHER *own = evp_fetch(lib, k, "provider=hwaead");
            good &= own != NULL && EVP_EncryptInit_ex2(x, own, NULL, NULL, NULL) == 1;
            EVP_CIPHER_free(own);
        }
    }
    EVP_CIPHER_CTX_free(x);
    EVP_CIPHER_CTX_free(y);
    job->good = good;
    return NULL;
}

static void many_threads(void)
{
    static struct job job[THREADS];
    static pthread_t thread[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        job[i] = (struct job){.seed = rnd64()};
        NEED(pthread_create(&thread[i], NULL, worker, &job[i]) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        where("thread %zu", i);
        CHECK(job[i].good);
    }
}

/* A context begun in one thread and ended in another. */
static void *ending(void *arg)
{
    return goes_on(arg) ? arg : NULL;
}

static void handed_over(void)
{
    expect(ref[K256]);
    for (int i = 0; i < 50; i++) {
        EVP_CIPHER_CTX *x = in_progress(ours[K256]);
        pthread_t t;
        void *result = NULL;
        NEED(pthread_create(&t, NULL, ending, x) == 0);
        pthread_join(t, &result);
        CHECK(result == x);
        EVP_CIPHER_CTX_free(x);
    }
}

static const struct evp_case cases[] = {
    {"X1", "ways to end", ways_to_end},
    {"X4", "fork in a message", fork_in_message},
    {"X1 T16", "teardown in a child", forked_teardown},
    {"X7", "a million messages", million_messages},
    {"G39", "64 threads", many_threads},
    {"G39", "handed over", handed_over},
};

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--child") == 0)
        return child(argv[2], argv[3]);
    return evp_main(argc, argv, cases, COUNT(cases));
}
