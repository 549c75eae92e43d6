/* SPDX-License-Identifier: Apache-2.0 */
#include "evp.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include <hwaead/hwaead.h>

#include "direct.h"

#ifdef HWAEAD_TEST_BUILTIN
extern OSSL_provider_init_fn hwaead_provider_init;
#endif

OSSL_LIB_CTX *lib;
EVP_CIPHER *ours[NKEYS];
EVP_CIPHER *ref[NKEYS];
const char *const evp_name[NKEYS] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM"};
bool subject_is_default;
bool evp_hwaead_first;
const char *evp_first_line = "";
static const char *tier = "auto"; /* as asked for */
static const char *ran = "none";  /* as the module says */

const char *evp_tier(void)
{
    return ran;
}

const char *evp_least_tier(void)
{
    size_t n = 0;
    while (hwaead_tier_runnable(n + 1) != HWAEAD_TIER_AUTO)
        n++;
    return hwaead_tier_name(hwaead_tier_runnable(n));
}

static const char *module_in_its_place;

void evp_use_module(const char *path)
{
    module_in_its_place = path;
}

const char *evp_module(void)
{
    if (module_in_its_place != NULL)
        return module_in_its_place;
    const char *other = getenv("HWAEAD_TEST_MODULE");
    return other != NULL && *other != '\0' ? other : HWAEAD_TEST_MODULE_PATH;
}

OSSL_provider_init_fn *evp_entry(void)
{
#ifdef HWAEAD_TEST_BUILTIN
    return hwaead_provider_init;
#else
    return direct_entry(evp_module());
#endif
}

/* ---- Configuration ---- */

#ifndef HWAEAD_TEST_BUILTIN
/* OpenSSL 3.0.2 and 3.0.13 overlook the module of a section that is not activated, and look for hwaead.so. */
static void find_by_name(OSSL_LIB_CTX *target, const char *module)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", module);
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = '\0';
        OSSL_PROVIDER_set_default_search_path(target, folder);
    }
}
#endif

bool evp_config(OSSL_LIB_CTX *target, const char *lines, const char *default_properties, bool activate)
{
    const char *dir = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/hwaead-test-XXXXXX", dir != NULL && *dir != '\0' ? dir : "/tmp");
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (f == NULL) {
        perror(path);
        exit(2);
    }
    fprintf(f, "openssl_conf = t_init\n\n[t_init]\n%sproviders = t_providers\n", evp_first_line);
    if (default_properties != NULL)
        fprintf(f, "alg_section = t_algorithms\n");
    fprintf(f, "\n[t_providers]\n");
    if (!subject_is_default && evp_hwaead_first)
        fprintf(f, "hwaead = t_hwaead\n");
    fprintf(f, "default = t_default\n");
    if (!subject_is_default && !evp_hwaead_first)
        fprintf(f, "hwaead = t_hwaead\n");
    fprintf(f, "\n[t_default]\nactivate = 1\n\n[t_hwaead]\n");
#ifdef HWAEAD_TEST_BUILTIN
    if (OSSL_PROVIDER_add_builtin(target, "hwaead", hwaead_provider_init) != 1) {
        fprintf(stderr, "OSSL_PROVIDER_add_builtin failed\n");
        exit(2);
    }
#else
    fprintf(f, "module = %s\n", evp_module());
    find_by_name(target, evp_module());
#endif
    fprintf(f, "%s%s", lines, activate ? "activate = 1\n" : "");
    if (default_properties != NULL)
        fprintf(f, "\n[t_algorithms]\ndefault_properties = %s\n", default_properties);
    if (fclose(f) != 0) {
        perror(path);
        exit(2);
    }
    bool good = OSSL_LIB_CTX_load_config(target, path) > 0;
    unlink(path);
    return good;
}

const char *evp_rand_name(void)
{
    const char *name = getenv("HWAEAD_TEST_RAND");
    return name != NULL && *name != '\0' ? name : "HWAEAD-CTR-DRBG";
}

OSSL_LIB_CTX *evp_lib_new(void)
{
    OSSL_LIB_CTX *made = OSSL_LIB_CTX_new();
    char line[64];
    snprintf(line, sizeof line, "tier = %s\n", tier);
    if (made == NULL || !evp_config(made, line, NULL, true)) {
        ERR_print_errors_fp(stderr);
        exit(2);
    }
    return made;
}

struct find {
    const char *name;
    OSSL_PROVIDER *found;
};

static int find_provider(OSSL_PROVIDER *p, void *arg)
{
    struct find *f = arg;
    if (strcmp(OSSL_PROVIDER_get0_name(p), f->name) == 0)
        f->found = p;
    return 1;
}

const char *evp_provider_text(OSSL_LIB_CTX *from, const char *key)
{
    struct find f = {"hwaead", NULL};
    char *value = NULL;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_utf8_ptr(key, &value, 0), OSSL_PARAM_construct_end()};
    OSSL_PROVIDER_do_all(from, find_provider, &f);
    if (f.found == NULL || OSSL_PROVIDER_get_params(f.found, ask) != 1 || !OSSL_PARAM_modified(ask))
        return NULL;
    return value;
}

EVP_CIPHER *evp_fetch(OSSL_LIB_CTX *from, int k, const char *properties)
{
    return EVP_CIPHER_fetch(from, evp_name[k], properties);
}

/* ---- main ---- */

static const struct evp_case *current;

void where(const char *format, ...)
{
    char detail[400];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    check_note("%s %s: %s", current->ids, current->what, detail);
}

static bool wanted(const char *ids, int argc, char **argv)
{
    if (argc < 3)
        return true;
    for (int i = 2; i < argc; i++) {
        size_t n = strlen(argv[i]);
        for (const char *at = ids; (at = strstr(at, argv[i])) != NULL; at += n)
            if ((at == ids || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' '))
                return true;
    }
    return false;
}

/* The best tier that runs here when `tier` is "auto"; NULL, and a sentence, when it does not run here. */
static const char *runnable(void)
{
    hwaead_tier t;
    if (hwaead_cpu_missing() != NULL) {
        printf("Skipped: %s\n", hwaead_cpu_missing());
        return NULL;
    }
    if (strcmp(tier, "auto") == 0)
        return hwaead_tier_name(hwaead_tier_runnable(0));
    if (hwaead_tier_by_name(&t, tier) != HWAEAD_OK) {
        fprintf(stderr, "no tier of the name \"%s\"\n", tier);
        exit(2);
    }
    for (size_t i = 0; hwaead_tier_runnable(i) != HWAEAD_TIER_AUTO; i++)
        if (hwaead_tier_runnable(i) == t)
            return tier;
    printf("Skipped: this CPU cannot run the tier %s, so nothing of it was tested.\n", tier);
    return NULL;
}

int evp_main(int argc, char **argv, const struct evp_case *cases, size_t n)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < n; i++)
            printf("%s: %s\n", cases[i].ids, cases[i].what);
        return 0;
    }
    setenv("OPENSSL_CONF", "/dev/null", 1); /* only configurations of our own */
    unsetenv("OPENSSL_MODULES");
    const char *other = getenv("HWAEAD_TEST_MODULE");
    subject_is_default = other != NULL && strcmp(other, "default") == 0;
    if (argc > 1)
        tier = argv[1];
    const char *expected = runnable();
    if (expected == NULL)
        return CHECK_SKIP;

    lib = evp_lib_new();
    if (!subject_is_default) {
        const char *says = evp_provider_text(lib, "hwaead.tier");
        ran = says == NULL ? "none" : strdup(says);
        if (strcmp(ran, expected) != 0) {
            ERR_print_errors_fp(stdout);
            printf("FAILED: the tier %s was asked for, the module runs \"%s\"\n", expected, ran);
            return 1;
        }
    } else {
        ran = "default";
    }
    for (int k = 0; k < NKEYS; k++) {
        ours[k] = evp_fetch(lib, k, subject_is_default ? "provider=default" : "provider=hwaead");
        ref[k] = evp_fetch(lib, k, "provider=default");
        if (ours[k] == NULL || ref[k] == NULL) {
            ERR_print_errors_fp(stdout);
            printf("FAILED: %s cannot be fetched\n", evp_name[k]);
            return 1;
        }
    }
    ERR_clear_error();

    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        if (!wanted(cases[i].ids, argc, argv))
            continue;
        rnd_seed(i + 1);
        current = &cases[i];
        where("tier %s", ran);
        cases[i].run();
        ERR_clear_error();
        done++;
    }
    for (int k = 0; k < NKEYS; k++) {
        EVP_CIPHER_free(ours[k]);
        EVP_CIPHER_free(ref[k]);
    }
    OSSL_LIB_CTX_free(lib);
    printf("%zu cases on tier %s (%s)\n", done, ran, OpenSSL_version(OPENSSL_VERSION));
    return check_done();
}

/* ---- Random test data ---- */

static struct rng rng = {1};

void rnd_seed(uint64_t seed)
{
    rng.state = seed;
}

uint64_t rnd64(void)
{
    return rng_next(&rng);
}

size_t rnd(size_t n)
{
    return rng_below(&rng, n);
}

void rnd_bytes(void *out, size_t n)
{
    rng_fill(&rng, out, n);
}

/* Messages are windows into one pool of random bytes: cheap, and at all alignments. */
enum { POOL = 3 << 20, SMALL = 4096 };
static uint8_t pool[POOL];

struct msg rnd_msg(int k, size_t iv_len, size_t aad_len, size_t len)
{
    static bool filled;
    if (!filled) {
        struct rng keep = rng;
        rnd_seed(99);
        rnd_bytes(pool, sizeof pool);
        rng = keep;
        filled = true;
    }
    struct msg m = {.k = k, .iv_len = iv_len, .aad_len = aad_len, .len = len};
    m.key = pool + rnd(SMALL);
    m.iv = pool + rnd(POOL - iv_len);
    m.aad = pool + rnd(POOL - aad_len);
    m.text = pool + rnd(POOL - len);
    return m;
}

/* ---- The error queue ---- */

struct queue drain(void)
{
    struct queue q = {0};
    for (;;) {
        const char *data = NULL;
        int flags = 0;
        unsigned long e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
        if (e == 0)
            return q;
        const char *owner = ERR_lib_error_string(e);
        q.total++;
        q.reason = ERR_GET_REASON(e);
        if (subject_is_default || (owner != NULL && strcmp(owner, "hwaead") == 0))
            q.ours++;
        snprintf(q.text, sizeof q.text, "%s", (flags & ERR_TXT_STRING) != 0 && data != NULL ? data : "");
    }
}

static bool judge(bool good, const struct queue *q, const char *file, int line, const char *what, const char *text)
{
    if (good)
        return check_count(true, file, line, text);
    char sentence[600];
    snprintf(sentence, sizeof sentence, "%s: %s (errors queued: %zu, the module's: %zu, last: %d %s)", what, text,
             q->total, q->ours, q->reason, q->text);
    return check_count(false, file, line, sentence);
}

bool refused(bool success, const char *file, int line, const char *text)
{
    struct queue q = drain();
    return judge(!success && q.total == 1 && q.ours == 1, &q, file, line, "fails with one error", text);
}

bool silent(bool success, const char *file, int line, const char *text)
{
    struct queue q = drain();
    return judge(!success && q.total == 0, &q, file, line, "fails and queues nothing", text);
}

bool okay(bool success, const char *file, int line, const char *text)
{
    struct queue q = drain();
    return judge(success && q.total == 0, &q, file, line, "succeeds", text);
}

/* ---- Messages ---- */

EVP_CIPHER_CTX *evp_ctx(void)
{
    EVP_CIPHER_CTX *x = EVP_CIPHER_CTX_new();
    if (x == NULL)
        abort();
    return x;
}

int set_param(EVP_CIPHER_CTX *x, OSSL_PARAM one)
{
    OSSL_PARAM list[] = {one, OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(x, list);
}

int get_octets(EVP_CIPHER_CTX *x, const char *key, void *out, size_t n)
{
    OSSL_PARAM list[] = {OSSL_PARAM_construct_octet_string(key, out, n), OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_get_params(x, list);
}

int get_size(EVP_CIPHER_CTX *x, const char *key, size_t *out)
{
    OSSL_PARAM list[] = {OSSL_PARAM_construct_size_t(key, out), OSSL_PARAM_construct_end()};
    *out = SIZE_MAX;
    return EVP_CIPHER_CTX_get_params(x, list);
}

int set_ivlen(EVP_CIPHER_CTX *x, size_t n)
{
    return set_param(x, OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &n));
}

int begin(EVP_CIPHER_CTX *x, const EVP_CIPHER *c, const struct msg *m, int enc)
{
    size_t iv_len = m->iv_len;
    OSSL_PARAM list[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &iv_len),
                         OSSL_PARAM_construct_end()};
    return EVP_CipherInit_ex2(x, c, m->key, m->iv, enc, list);
}

/* A value of *outl that no call here produces, so that an *outl which was not set shows. */
enum { POISON = -559038737 };

int update(EVP_CIPHER_CTX *x, uint8_t *out, const uint8_t *in, size_t n)
{
    int got = POISON;
    int r = EVP_CipherUpdate(x, out, &got, in, (int)n);
    return r > 0 && got == (int)n;
}

int aad(EVP_CIPHER_CTX *x, const uint8_t *in, size_t n)
{
    return update(x, NULL, in, n);
}

int finish(EVP_CIPHER_CTX *x)
{
    int got = POISON;
    uint8_t out[16];
    int r = EVP_CipherFinal_ex(x, out, &got);
    return r > 0 && got == 0;
}

int get_tag(EVP_CIPHER_CTX *x, uint8_t *tag, size_t n)
{
    return EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_GET_TAG, (int)n, tag);
}

int set_tag(EVP_CIPHER_CTX *x, const uint8_t *tag, size_t n)
{
    uint8_t copy[64]; /* ctrl's argument is not const */
    if (tag != NULL)
        memcpy(copy, tag, n < sizeof copy ? n : sizeof copy);
    return EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, (int)n, tag == NULL ? NULL : copy);
}

int init_iv(EVP_CIPHER_CTX *x, const uint8_t *iv, int enc)
{
    return EVP_CipherInit_ex2(x, NULL, NULL, iv, enc, NULL);
}

int init_key(EVP_CIPHER_CTX *x, const uint8_t *key, int enc)
{
    return EVP_CipherInit_ex2(x, NULL, key, NULL, enc, NULL);
}

int seal(const EVP_CIPHER *c, const struct msg *m, uint8_t *out, uint8_t tag[16])
{
    EVP_CIPHER_CTX *x = evp_ctx();
    int r = begin(x, c, m, 1) > 0 && (m->aad_len == 0 || aad(x, m->aad, m->aad_len)) &&
            (m->len == 0 || update(x, out, m->text, m->len)) && finish(x) && get_tag(x, tag, 16) > 0;
    EVP_CIPHER_CTX_free(x);
    return r;
}

int open_(const EVP_CIPHER *c, const struct msg *m, const uint8_t *ct, const uint8_t *tag, size_t tag_len,
          uint8_t *out)
{
    EVP_CIPHER_CTX *x = evp_ctx();
    int r = begin(x, c, m, 0) > 0 && set_tag(x, tag, tag_len) > 0 &&
            (m->aad_len == 0 || aad(x, m->aad, m->aad_len)) && (m->len == 0 || update(x, out, ct, m->len)) &&
            finish(x);
    EVP_CIPHER_CTX_free(x);
    return r;
}

bool works(EVP_CIPHER_CTX *x, int k)
{
    struct msg m = rnd_msg(k, 12, 13, 100);
    uint8_t got[100], want[100], got_tag[16], want_tag[16];
    int r = begin(x, NULL, &m, 1) > 0 && aad(x, m.aad, 13) && update(x, got, m.text, 100) && finish(x) &&
            get_tag(x, got_tag, 16) > 0;
    return r && seal(ref[k], &m, want, want_tag) && memcmp(got, want, 100) == 0 && memcmp(got_tag, want_tag, 16) == 0;
}
