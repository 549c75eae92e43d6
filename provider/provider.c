/* SPDX-License-Identifier: Apache-2.0
 *
 * The entry of the module. No libcrypto is linked: all that is needed of it comes as functions at init.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cipher_gcm.h"
#include "cipher_siv.h"
#include "prov.h"
#include "rand.h"
#include "random.h"

/* ---- Parameters of the provider --------------------------------------------------------------------------- */

static int get_name(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct provider *prov = obj;
    (void)row;
    return param_put_string(p, "hwaead: AES-GCM and AES-GCM-SIV by CPU instructions") || FAIL(prov, R_PARAM);
}

static int get_version(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct provider *prov = obj;
    (void)row;
    return param_put_string(p, HWAEAD_VERSION) || FAIL(prov, R_PARAM);
}

static int get_buildinfo(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct provider *prov = obj;
    (void)row;
    return param_put_string(p, prov->buildinfo) || FAIL(prov, R_PARAM);
}

static const char *tier_in_use(const struct provider *prov)
{
    return prov->kernel != NULL ? prov->kernel->name : "none";
}

static int get_tier(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct provider *prov = obj;
    (void)row;
    return param_put_string(p, tier_in_use(prov)) || FAIL(prov, R_PARAM);
}

static int get_status(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct provider *prov = obj;
    (void)row;
    return param_put_uint(p, prov->kernel != NULL) || FAIL(prov, R_PARAM);
}

/* Whether libcrypto took random bytes by the provider's own function: nothing else tells. */
static int get_random_provider(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    const struct provider *prov = obj;
    (void)row;
    return param_put_uint(p, (uint64_t)prov->gave_random_bytes) || FAIL(prov, R_PARAM);
}

/* row->arg is the event for all algorithms together, ... */
static int get_total(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct provider *prov = obj;
    uint64_t n = 0;
    for (size_t alg = 0; alg < ALG_COUNT; alg++)
        n += atomic_load_explicit(&prov->stats.count[alg][row->arg], memory_order_relaxed);
    return param_put_uint(p, n) || FAIL(prov, R_PARAM);
}

/* ... or alg * EVENT_COUNT + event. */
static int get_count(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct provider *prov = obj;
    const size_t alg = row->arg / EVENT_COUNT, event = row->arg % EVENT_COUNT;
    const uint64_t n = atomic_load_explicit(&prov->stats.count[alg][event], memory_order_relaxed);
    return param_put_uint(p, n) || FAIL(prov, R_PARAM);
}

#define TEXT OSSL_PARAM_UTF8_PTR, 0
#define INT OSSL_PARAM_INTEGER, sizeof(int)
#define COUNTER OSSL_PARAM_UNSIGNED_INTEGER, sizeof(uint64_t)

static const struct param_row plain_params[] = {
    { "name", TEXT, get_name, NULL, 0 },
    { "version", TEXT, get_version, NULL, 0 },
    { "buildinfo", TEXT, get_buildinfo, NULL, 0 },
    { "status", INT, get_status, NULL, 0 },
    { "hwaead.tier", TEXT, get_tier, NULL, 0 },
    { "hwaead.random-provider", INT, get_random_provider, NULL, 0 },
    { .key = NULL },
};

/* With `stats = 1`. */
static const struct param_row stats_params[] = {
    { "hwaead.sealed", COUNTER, get_total, NULL, EVENT_SEALED },
    { "hwaead.opened", COUNTER, get_total, NULL, EVENT_OPENED },
    { "hwaead.tls-records", COUNTER, get_total, NULL, EVENT_TLS_RECORD },
    { "hwaead.aes-128-gcm.sealed", COUNTER, get_count, NULL, ALG_AES_128_GCM * EVENT_COUNT + EVENT_SEALED },
    { "hwaead.aes-128-gcm.opened", COUNTER, get_count, NULL, ALG_AES_128_GCM * EVENT_COUNT + EVENT_OPENED },
    { "hwaead.aes-192-gcm.sealed", COUNTER, get_count, NULL, ALG_AES_192_GCM * EVENT_COUNT + EVENT_SEALED },
    { "hwaead.aes-192-gcm.opened", COUNTER, get_count, NULL, ALG_AES_192_GCM * EVENT_COUNT + EVENT_OPENED },
    { "hwaead.aes-256-gcm.sealed", COUNTER, get_count, NULL, ALG_AES_256_GCM * EVENT_COUNT + EVENT_SEALED },
    { "hwaead.aes-256-gcm.opened", COUNTER, get_count, NULL, ALG_AES_256_GCM * EVENT_COUNT + EVENT_OPENED },
    { "hwaead.aes-128-gcm-siv.sealed", COUNTER, get_count, NULL, ALG_AES_128_GCM_SIV * EVENT_COUNT + EVENT_SEALED },
    { "hwaead.aes-128-gcm-siv.opened", COUNTER, get_count, NULL, ALG_AES_128_GCM_SIV * EVENT_COUNT + EVENT_OPENED },
    { "hwaead.aes-192-gcm-siv.sealed", COUNTER, get_count, NULL, ALG_AES_192_GCM_SIV * EVENT_COUNT + EVENT_SEALED },
    { "hwaead.aes-192-gcm-siv.opened", COUNTER, get_count, NULL, ALG_AES_192_GCM_SIV * EVENT_COUNT + EVENT_OPENED },
    { "hwaead.aes-256-gcm-siv.sealed", COUNTER, get_count, NULL, ALG_AES_256_GCM_SIV * EVENT_COUNT + EVENT_SEALED },
    { "hwaead.aes-256-gcm-siv.opened", COUNTER, get_count, NULL, ALG_AES_256_GCM_SIV * EVENT_COUNT + EVENT_OPENED },
    { .key = NULL },
};
_Static_assert((sizeof plain_params + sizeof stats_params) / sizeof *plain_params <= PARAM_ROWS_MAX,
               "PARAM_ROWS_MAX");

/* ---- Algorithms ------------------------------------------------------------------------------------------- */

/* The names are those of libcrypto's own ciphers, no more and no fewer: else they would not be the same ciphers. */
static const OSSL_ALGORITHM ciphers[ALG_COUNT] = {
    [ALG_AES_128_GCM] = { "AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", NULL, aes_128_gcm,
                          "AES-128 in Galois/Counter Mode by CPU instructions" },
    [ALG_AES_192_GCM] = { "AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26", NULL, aes_192_gcm,
                          "AES-192 in Galois/Counter Mode by CPU instructions" },
    [ALG_AES_256_GCM] = { "AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", NULL, aes_256_gcm,
                          "AES-256 in Galois/Counter Mode by CPU instructions" },
    [ALG_AES_128_GCM_SIV] = { "AES-128-GCM-SIV", NULL, aes_128_gcm_siv,
                              "AES-128 in GCM-SIV, misuse-resistant, by CPU instructions" },
    [ALG_AES_192_GCM_SIV] = { "AES-192-GCM-SIV", NULL, aes_192_gcm_siv,
                              "AES-192 in GCM-SIV, misuse-resistant, by CPU instructions" },
    [ALG_AES_256_GCM_SIV] = { "AES-256-GCM-SIV", NULL, aes_256_gcm_siv,
                              "AES-256 in GCM-SIV, misuse-resistant, by CPU instructions" },
};

/* Two entries for rand_ctr_drbg, not one with two names: the name CTR-DRBG belongs to libcrypto's own already, and
 * libcrypto refuses to join names that it has numbers for. The last is offered with `replace_ctr_drbg` only. */
static const OSSL_ALGORITHM rands[RAND_NAMES] = {
    { "HWAEAD-CTR-DRBG", NULL, rand_ctr_drbg, "SP 800-90A CTR_DRBG with AES-256 by CPU instructions" },
    { "HWAEAD-DRBG", NULL, rand_fast_drbg, "CTR_DRBG with AES-256 by CPU instructions, small requests from a buffer" },
    { "HWAEAD-SEED-SRC", NULL, rand_seed_src, "seeds from the operating system and the CPU" },
    { "CTR-DRBG", NULL, rand_ctr_drbg, "SP 800-90A CTR_DRBG with AES-256 by CPU instructions" },
};

/* ---- Functions of the provider ---------------------------------------------------------------------------- */

static OSSL_FUNC_provider_teardown_fn teardown;
static OSSL_FUNC_provider_gettable_params_fn gettable_params;
static OSSL_FUNC_provider_get_params_fn get_params;
static OSSL_FUNC_provider_query_operation_fn query_operation;
static OSSL_FUNC_provider_get_reason_strings_fn get_reason_strings;
static OSSL_FUNC_provider_self_test_fn run_self_test;

static void teardown(void *prov)
{
    fork_watch_stop(&((struct provider *)prov)->forks);
    free(prov);
}

static const OSSL_PARAM *gettable_params(void *prov)
{
    return ((struct provider *)prov)->gettable;
}

static int get_params(void *prov, OSSL_PARAM params[])
{
    return params_get(plain_params, prov, params)
           && (!((struct provider *)prov)->config.stats || params_get(stats_params, prov, params));
}

static const OSSL_ALGORITHM *query_operation(void *vprov, int operation, int *no_cache)
{
    const struct provider *prov = vprov;
    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_CIPHER:
        return prov->ciphers;
    case OSSL_OP_RAND:
        return prov->rands;
    default:
        return NULL;
    }
}

static const OSSL_ITEM *get_reason_strings(void *prov)
{
    return ((struct provider *)prov)->reasons;
}

static int run_self_test(void *prov)
{
    return self_test(prov);
}

int provider_can_run(const struct provider *prov)
{
    return prov->kernel != NULL || FAIL_WITH(prov, R_CANNOT_RUN, "%s", prov->refusal);
}

/* OpenSSL 3.5's, where the headers are older; earlier ones skip what they do not know. RAND_bytes is nothing but this
 * call where `[random] random_provider` names us. */
enum { PROVIDER_RANDOM_BYTES = 1032, FOR_PRIVATE_USE = 1 };

static int give_random_bytes(void *vprov, int which, void *out, size_t n, unsigned int strength)
{
    struct provider *prov = vprov;
    if (strength > DRBG_STRENGTH)
        return FAIL(prov, R_RAND_STRENGTH);
    if (!provider_can_run(prov))
        return 0;
    if (!prov->gave_random_bytes)
        prov->gave_random_bytes = 1;
    return random_bytes(which == FOR_PRIVATE_USE ? RANDOM_PRIVATE : RANDOM_PUBLIC, out, n) == HWAEAD_OK
           || FAIL(prov, R_ENTROPY);
}

/* No get_capabilities: libssl then takes it that we have none, whereas an answer of 0 would fail SSL_CTX_new. */
static const OSSL_DISPATCH functions[] = {
    { OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown },
    { OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable_params },
    { OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params },
    { OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query_operation },
    { OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, (void (*)(void))get_reason_strings },
    { OSSL_FUNC_PROVIDER_SELF_TEST, (void (*)(void))run_self_test },
    { PROVIDER_RANDOM_BYTES, (void (*)(void))give_random_bytes },
    { 0, NULL },
};

/* ---- Start ------------------------------------------------------------------------------------------------ */

/* Whatever this libcrypto does not offer stays NULL. */
static void take_core_functions(struct provider *prov, const OSSL_DISPATCH *in)
{
    for (; in->function_id != 0; in++) {
        switch (in->function_id) {
        case OSSL_FUNC_CORE_NEW_ERROR:
            prov->new_error = OSSL_FUNC_core_new_error(in);
            break;
        case OSSL_FUNC_CORE_SET_ERROR_DEBUG:
            prov->set_error_debug = OSSL_FUNC_core_set_error_debug(in);
            break;
        case OSSL_FUNC_CORE_VSET_ERROR:
            prov->vset_error = OSSL_FUNC_core_vset_error(in);
            break;
        case OSSL_FUNC_CORE_GET_PARAMS:
            prov->core_get_params = OSSL_FUNC_core_get_params(in);
            break;
        default:
            break;
        }
    }
}

static void choose_kernel(struct provider *prov)
{
    const char *missing = hwaead_cpu_missing();
    if (missing != NULL) {
        (void)snprintf(prov->refusal, sizeof prov->refusal, "hwaead: %s", missing);
        return;
    }
    prov->kernel = kernel_of(prov->config.tier);
    if (prov->kernel == NULL)
        (void)snprintf(prov->refusal, sizeof prov->refusal,
                       "hwaead: tier = %s in the configuration asks for instructions that this CPU or OS lacks",
                       hwaead_tier_name(prov->config.tier));
}

static void fill_tables(struct provider *prov)
{
    /* where we cannot run, libcrypto's own generator must stay the one that is found */
    const int replace_ctr_drbg = prov->config.replace_ctr_drbg && prov->kernel != NULL;
    (void)snprintf(prov->buildinfo, sizeof prov->buildinfo, "hwaead " HWAEAD_VERSION ", tier %s%s%s%s",
                   tier_in_use(prov), prov->kernel == NULL ? ", every use fails: " : "", prov->refusal,
                   replace_ctr_drbg ? ", offers CTR-DRBG" : "");
    (void)snprintf(prov->properties, sizeof prov->properties, "provider=" PROVIDER_NAME ",hwaead.use=yes,hwaead.tier=%s",
                   tier_in_use(prov));
    for (size_t i = 0; i < ALG_COUNT; i++) {
        prov->ciphers[i] = ciphers[i];
        prov->ciphers[i].property_definition = prov->properties;
    }
    for (size_t i = 0; i < RAND_NAMES - !replace_ctr_drbg; i++) {
        prov->rands[i] = rands[i];
        prov->rands[i].property_definition = prov->properties;
    }
    reasons_fill(prov->reasons);
    const size_t n = params_list_gettable(prov->gettable, plain_params);
    if (prov->config.stats)
        (void)params_list_gettable(prov->gettable + n, stats_params);
    (void)params_list_gettable(prov->cipher_gettable, cipher_constants);
    (void)params_list_gettable(prov->gcm_gettable, gcm_params);
    (void)params_list_settable(prov->gcm_settable, gcm_params);
    (void)params_list_gettable(prov->siv_gettable, siv_params);
    (void)params_list_settable(prov->siv_settable, siv_params);
    (void)params_list_gettable(prov->rand_gettable, rand_params);
    (void)params_list_settable(prov->rand_settable, rand_params);
    (void)params_list_gettable(prov->seed_gettable, rand_seed_params);
}

static int start(struct provider *prov)
{
    if (!config_read(prov))
        return 0;
    choose_kernel(prov);
    if (!prov->config.strict && !provider_can_run(prov))
        return 0;
    fill_tables(prov);
    random_limit(prov->kernel, (uint32_t)prov->config.reseed_seconds);
    return 1;
}

__attribute__((visibility("default"))) int OSSL_provider_init(const OSSL_CORE_HANDLE *handle,
                                                              const OSSL_DISPATCH *in,
                                                              const OSSL_DISPATCH **out, void **provctx)
{
    struct provider *prov = calloc(1, sizeof *prov);
    if (prov == NULL)
        return 0;
    prov->handle = handle;
    take_core_functions(prov, in);
    if (!start(prov)) {
        free(prov);
        return 0;
    }
    *out = functions;
    *provctx = prov;
    return 1;
}
