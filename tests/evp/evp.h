/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench on which the module is tested through EVP: a private library context with `default` and the module
 * of this build loaded by a generated configuration, and the ciphers of both.
 *
 * A program is a table of cases. Each case carries the ids of the contract that it covers (coverage.md), and
 * each failure is printed with them.
 *
 *     PROGRAM TIER [ID...]    runs the cases (with one of the ids) with `tier = TIER`; "auto" takes the best one
 *     PROGRAM --list          prints the ids
 *
 * Exit status: 0 good, 1 failed, 77 skipped, after a sentence that says why.
 * HWAEAD_TEST_MODULE in the environment names another module; the value "default" puts the default provider
 * in hwaead's place, which must make tests of the deviations fail (see coverage.md).
 */
#ifndef HWAEAD_TESTS_EVP_H
#define HWAEAD_TESTS_EVP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "check.h"
#include "memory.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Ends the case (a void function) after a failed check. */
#define NEED(cond) \
    do { \
        if (!CHECK(cond)) \
            return; \
    } while (0)

struct evp_case {
    const char *ids; /* "G5 G6" */
    const char *what;
    void (*run)(void);
};

/* What exactly is being tested, printed with each failure after it, behind the ids. */
void where(const char *format, ...) __attribute__((format(printf, 1, 2)));

int evp_main(int argc, char **argv, const struct evp_case *cases, size_t n);

/* ---- What is under test ---- */

enum { K128, K192, K256, NKEYS };

extern OSSL_LIB_CTX *lib;          /* default + hwaead */
extern EVP_CIPHER *ours[NKEYS];    /* provider=hwaead */
extern EVP_CIPHER *ref[NKEYS];     /* provider=default */
extern const char *const evp_name[NKEYS];
extern bool subject_is_default;    /* the control run: ours are the default provider's, too */
const char *evp_tier(void);        /* the tier that runs, as the module says */
const char *evp_least_tier(void);  /* the last of those that can run here */
const char *evp_module(void);      /* path of the module */
OSSL_provider_init_fn *evp_entry(void); /* OSSL_provider_init of what is under test */
void evp_use_module(const char *path); /* what evp_config loads from now on; NULL: the module of this build */

/* Loads a generated configuration into target (NULL: the default context): default and hwaead, whose section
 * gets the given lines ("tier = aesni\nstrict = 1\n"), and default_properties when it is not NULL. With
 * activate = false hwaead waits for OSSL_PROVIDER_load. The result of OSSL_LIB_CTX_load_config. */
bool evp_config(OSSL_LIB_CTX *target, const char *lines, const char *default_properties, bool activate);

extern bool evp_hwaead_first;      /* evp_config names hwaead before default */
extern const char *evp_first_line; /* evp_config begins its first section with it */

/* The generator under test: HWAEAD_TEST_RAND, or HWAEAD-CTR-DRBG. */
const char *evp_rand_name(void);

/* OSSL_LIB_CTX_new and evp_config with `tier` = the tier of this run. Ends the program when that fails. */
OSSL_LIB_CTX *evp_lib_new(void);

/* hwaead's answer for one of its provider parameters of type UTF8, NULL when it has none. */
const char *evp_provider_text(OSSL_LIB_CTX *from, const char *key);

EVP_CIPHER *evp_fetch(OSSL_LIB_CTX *from, int k, const char *properties);

/* ---- Random test data: the same in each run ---- */

uint64_t rnd64(void);
size_t rnd(size_t n);                        /* 0 .. n - 1 */
void rnd_bytes(void *out, size_t n);
void rnd_seed(uint64_t seed);

/* ---- The error queue ---- */

struct queue {
    size_t total; /* errors found (and removed) */
    size_t ours;  /* of these, raised by the module */
    int reason;   /* of the last */
    char text[256];
};
struct queue drain(void);

/* CHECK that call fails and queues exactly one error, of the module. */
#define REFUSED(call) refused((call) > 0, __FILE__, __LINE__, #call)
/* CHECK that call fails and queues none. */
#define FAILS_SILENTLY(call) silent((call) > 0, __FILE__, __LINE__, #call)
/* CHECK that call succeeds and queues nothing. */
#define OK(call) okay((call) > 0, __FILE__, __LINE__, #call)
bool refused(bool success, const char *file, int line, const char *text);
bool silent(bool success, const char *file, int line, const char *text);
bool okay(bool success, const char *file, int line, const char *text);

/* ---- Messages ---- */

struct msg {
    int k;              /* K128 .. K256 */
    const uint8_t *key;
    const uint8_t *iv;
    size_t iv_len;
    const uint8_t *aad;
    size_t aad_len;
    const uint8_t *text;
    size_t len;
};

/* A message of random bytes, which live until the next call but seven. len and aad_len up to 1 MiB. */
struct msg rnd_msg(int k, size_t iv_len, size_t aad_len, size_t len);

EVP_CIPHER_CTX *evp_ctx(void); /* EVP_CIPHER_CTX_new, which cannot fail here */

/* Begins the message: cipher, IV length, key and IV. enc: 1 or 0. */
int begin(EVP_CIPHER_CTX *x, const EVP_CIPHER *c, const struct msg *m, int enc);

/* Whole messages, each call of EVP once, in a context of its own. 1 or 0; nothing is drained. */
int seal(const EVP_CIPHER *c, const struct msg *m, uint8_t *out, uint8_t tag[16]);
int open_(const EVP_CIPHER *c, const struct msg *m, const uint8_t *ct, const uint8_t *tag, size_t tag_len,
          uint8_t *out);

/* Single calls that check *outl too: poisoned before, it must be `want` after a success. */
int update(EVP_CIPHER_CTX *x, uint8_t *out, const uint8_t *in, size_t n);
int aad(EVP_CIPHER_CTX *x, const uint8_t *in, size_t n);
int finish(EVP_CIPHER_CTX *x);
int get_tag(EVP_CIPHER_CTX *x, uint8_t *tag, size_t n);
int set_tag(EVP_CIPHER_CTX *x, const uint8_t *tag, size_t n);
int set_ivlen(EVP_CIPHER_CTX *x, size_t n);
int init_iv(EVP_CIPHER_CTX *x, const uint8_t *iv, int enc);   /* keeps the key; enc -1: and the direction */
int init_key(EVP_CIPHER_CTX *x, const uint8_t *key, int enc); /* keeps the IV */

/* One parameter in, one out. */
int set_param(EVP_CIPHER_CTX *x, OSSL_PARAM one);
int get_octets(EVP_CIPHER_CTX *x, const char *key, void *out, size_t n);
int get_size(EVP_CIPHER_CTX *x, const char *key, size_t *out);

/* A context of ours that is good for messages: seals one and compares with ref. */
bool works(EVP_CIPHER_CTX *x, int k);

#endif
