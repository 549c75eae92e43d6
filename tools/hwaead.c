/* SPDX-License-Identifier: Apache-2.0
 *
 * hwaead check: what a program that reads this machine's OpenSSL configuration gets, and why not hwaead if it does
 * not. libcrypto says nothing when a configured module is missing or refuses to load; this does. `hwaead random` is in
 * random.c.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

#include "random.h"

static const char usage[] =
    "Usage: hwaead check | random [--bytes N] [--request R] [--hex] [--force] | --version | --help\n"
    "\n"
    "check tells which provider serves AES-GCM, AES-GCM-SIV, SHA-256 and random bytes to programs that read the\n"
    "OpenSSL configuration in use (OPENSSL_CONF, else the system's), and what keeps hwaead from it.\n"
    "Exit code 0: hwaead serves AES-GCM and nothing else is missing. 1: it does not. 2: wrong usage.\n";

static const char *tier_of(OSSL_PROVIDER *provider)
{
    char *tier = NULL;
    OSSL_PARAM params[] = {OSSL_PARAM_utf8_ptr("hwaead.tier", &tier, 0), OSSL_PARAM_END};
    return OSSL_PROVIDER_get_params(provider, params) && tier != NULL ? tier : "unknown";
}

static int print_provider(OSSL_PROVIDER *provider, void *any)
{
    printf("%s%s", *(int *)any ? ", " : "", OSSL_PROVIDER_get0_name(provider));
    *(int *)any = 1;
    return 1;
}

/* Prints who serves the cipher; 1 when that is hwaead. */
static int cipher_is_ours(const char *name)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    if (cipher == NULL) {
        printf("  %-16s nobody\n", name);
        return 0;
    }
    const OSSL_PROVIDER *provider = EVP_CIPHER_get0_provider(cipher);
    const char *who = OSSL_PROVIDER_get0_name(provider);
    int ours = strcmp(who, "hwaead") == 0;
    printf("  %-16s %s\n", name, who);
    EVP_CIPHER_free(cipher);
    return ours;
}

/* Prints the error that a person can act on: the first one queued. */
static void print_reason(void)
{
    const char *data = NULL;
    int flags = 0;
    unsigned long e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
    if (e == 0)
        printf("no reason was given\n");
    else if ((flags & ERR_TXT_STRING) != 0 && data != NULL && *data != '\0')
        printf("%s\n", data);
    else
        printf("%s\n", ERR_reason_error_string(e) != NULL ? ERR_reason_error_string(e) : "unknown error");
    ERR_clear_error();
}

/* Loads the module and says how that went. */
static void try_module(OSSL_LIB_CTX *apart, const char *success)
{
    ERR_clear_error();
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(apart, "hwaead");
    if (provider != NULL)
        printf("%s, tier %s\n", success, tier_of(provider));
    else
        print_reason();
    OSSL_PROVIDER_unload(provider);
}

/* The name of hwaead's section in the configuration, NULL when there is none. */
static const char *section_of_hwaead(const CONF *conf)
{
    const char *init = NCONF_get_string(conf, NULL, "openssl_conf");
    const char *providers = init == NULL ? NULL : NCONF_get_string(conf, init, "providers");
    return providers == NULL ? NULL : NCONF_get_string(conf, providers, "hwaead");
}

/* A provider that configuration activates may fail in silence; one that is loaded by name with the same settings
 * says why. So the configuration is read without that one line. */
static void forget_activation(const CONF *conf, const char *section)
{
    STACK_OF(CONF_VALUE) *values = NCONF_get_section(conf, section);
    for (int i = sk_CONF_VALUE_num(values); i-- > 0;)
        if (strcmp(sk_CONF_VALUE_value(values, i)->name, "activate") == 0)
            (void)sk_CONF_VALUE_delete(values, i);
}

/* OpenSSL 3.0.2 and 3.0.13 overlook the module of a section that is not activated, and look for hwaead.so. */
static void find_by_name(OSSL_LIB_CTX *apart, const char *module)
{
    const char *slash = module != NULL ? strrchr(module, '/') : NULL;
    char folder[4096];
    if (slash == NULL || slash - module >= (ptrdiff_t)sizeof folder)
        return;
    memcpy(folder, module, (size_t)(slash - module));
    folder[slash - module] = '\0';
    (void)OSSL_PROVIDER_set_default_search_path(apart, folder);
}

static void explain_absence(const char *file)
{
    OSSL_LIB_CTX *apart = OSSL_LIB_CTX_new();
    CONF *conf = apart == NULL ? NULL : NCONF_new_ex(apart, NULL);
    long line = 0;
    const char *section = NULL;

    if (conf == NULL || file == NULL || NCONF_load(conf, file, &line) <= 0)
        printf("The configuration cannot be read%s.\n", line > 0 ? " (syntax)" : "");
    else if ((section = section_of_hwaead(conf)) == NULL)
        printf("The configuration does not name hwaead among its providers.\n");
    if (section != NULL) {
        printf("Loading the module as section [%s] says:\n  ", section);
        forget_activation(conf, section);
        find_by_name(apart, NCONF_get_string(conf, section, "module"));
        (void)CONF_modules_load(conf, NULL, CONF_MFLAGS_IGNORE_ERRORS);
        try_module(apart, "that works, so the section lacks activate = 1");
    } else if (apart != NULL) {
        printf("Loading the module from OpenSSL's module folder:\n  ");
        try_module(apart, "that works");
    }
    NCONF_free(conf);
    OSSL_LIB_CTX_free(apart);
}

/* Who gave the random bytes that were just drawn. */
static const char *random_server(void)
{
    int by_function = 0;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_int("hwaead.random-provider", &by_function), OSSL_PARAM_construct_end()};
    OSSL_PROVIDER *provider = OSSL_PROVIDER_available(NULL, "hwaead") ? OSSL_PROVIDER_load(NULL, "hwaead") : NULL;
    if (provider != NULL)
        (void)OSSL_PROVIDER_get_params(provider, ask);
    OSSL_PROVIDER_unload(provider);
    if (by_function)
        return "hwaead";
    EVP_RAND_CTX *primary = RAND_get0_primary(NULL);
    if (primary == NULL)
        return "nobody";
    return OSSL_PROVIDER_get0_name(EVP_RAND_get0_provider(EVP_RAND_CTX_get0_rand(primary)));
}

static int check(void)
{
    int any = 0, sha, random;
    char *file = CONF_get1_default_config_file();
    printf("%s, configuration %s\n", OpenSSL_version(OPENSSL_VERSION), file != NULL ? file : "unknown");

    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
    EVP_MD *md = EVP_MD_fetch(NULL, "SHA2-256", NULL); /* makes `default` active where nothing else is configured */
    printf("Providers: ");
    OSSL_PROVIDER_do_all(NULL, print_provider, &any);
    printf("%s\nWho serves what:\n", any ? "" : "none");

    int ours = cipher_is_ours("AES-128-GCM") & cipher_is_ours("AES-192-GCM") & cipher_is_ours("AES-256-GCM");
    (void)cipher_is_ours("AES-256-GCM-SIV");
    sha = md != NULL;
    printf("  %-16s %s\n", "SHA-256", sha ? OSSL_PROVIDER_get0_name(EVP_MD_get0_provider(md)) : "nobody");
    unsigned char bytes[16];
    random = RAND_bytes(bytes, sizeof bytes) == 1;
    printf("  %-16s %s\n", "random bytes", random ? random_server() : "nobody");
    EVP_MD_free(md);

    if (ours) {
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "hwaead");
        printf("hwaead serves AES-GCM with tier %s.\n", provider != NULL ? tier_of(provider) : "unknown");
        OSSL_PROVIDER_unload(provider);
    } else if (OSSL_PROVIDER_available(NULL, "hwaead")) {
        printf("hwaead is active, but is not asked first: the configuration lacks\n"
               "default_properties = ?hwaead.use=yes\n");
    } else {
        printf("hwaead is not active.\n");
        explain_absence(file);
    }
    OPENSSL_free(file);
    if (!sha || !random)
        printf("Something that every TLS program needs is missing: is `default` activated beside hwaead?\n");
    return ours && sha && random ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "check") == 0)
        return check();
    if (argc >= 2 && strcmp(argv[1], "random") == 0)
        return random_command(argc - 2, argv + 2);
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("hwaead %s\n", HWAEAD_TOOL_VERSION);
        return 0;
    }
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        printf("%s\n%s", usage, random_usage);
        return 0;
    }
    fprintf(stderr, "%s\n%s", usage, random_usage);
    return 2;
}
