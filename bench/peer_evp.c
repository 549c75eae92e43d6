/* SPDX-License-Identifier: Apache-2.0
 *
 * Providers through EVP, each in a library context of its own that a configuration sets up: hwaead (as it
 * chooses, and with each tier), the default provider, and a provider that does nothing.
 *
 * Cipher and contexts are fetched and made once; a message is init(iv), AAD, update, final, get tag, or
 * init(iv), set tag, AAD, update, final. The default provider's GCM-SIV keeps the AAD of the message before
 * in a context that is initialised without its cipher, so there each init passes cipher and key as well.
 */
#include "arch.h"
#include "config.h"
#include "null_provider.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

enum variant { EVP_HWAEAD, EVP_DEFAULT, EVP_NULL, EVP_HWAEAD_TIER };

struct evp {
    OSSL_LIB_CTX *lib;
    OSSL_PROVIDER *provider; /* only when no configuration loaded it */
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *enc, *dec;
    const uint8_t *aad;
    int aad_len;
    const EVP_CIPHER *each_cipher; /* what every init passes besides the nonce, or NULL */
    const uint8_t *seal_key, *open_key;
    uint8_t new_key[KEY_MAX];
    size_t key_len;
};

static char module_file[4096];

/* ---- Messages ------------------------------------------------------------------------------------------ */

static bool evp_text(EVP_CIPHER_CTX *ctx, const struct evp *s, uint8_t *out, const uint8_t *in, size_t len)
{
    int n = 0, rest = 0;

    return EVP_CipherUpdate(ctx, NULL, &n, s->aad, s->aad_len) == 1
           && EVP_CipherUpdate(ctx, out, &n, in, (int)len) == 1 && EVP_CipherFinal_ex(ctx, out + n,
                                                                                      &rest) == 1;
}

static bool evp_seal_as(struct evp *s, const uint8_t *key, uint8_t *out, uint8_t *tag, const uint8_t *nonce,
                        const uint8_t *in, size_t len)
{
    return EVP_EncryptInit_ex2(s->enc, s->each_cipher, key, nonce, NULL) == 1
           && evp_text(s->enc, s, out, in, len)
           && EVP_CIPHER_CTX_ctrl(s->enc, EVP_CTRL_AEAD_GET_TAG, TAG_LEN, tag) == 1;
}

static bool evp_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                     size_t len)
{
    struct evp *s = state;

    return evp_seal_as(s, s->seal_key, out, tag, nonce, in, len);
}

static bool evp_rekey(void *state, const uint8_t *key, uint8_t *out, uint8_t *tag, const uint8_t *nonce,
                      const uint8_t *in, size_t len)
{
    return evp_seal_as(state, key, out, tag, nonce, in, len);
}

static bool evp_open(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                     size_t len)
{
    struct evp *s = state;
    union {
        const uint8_t *in;
        void *out;
    } t = { tag };

    return EVP_DecryptInit_ex2(s->dec, s->each_cipher, s->open_key, nonce, NULL) == 1
           && EVP_CIPHER_CTX_ctrl(s->dec, EVP_CTRL_AEAD_SET_TAG, TAG_LEN, t.out) == 1
           && evp_text(s->dec, s, out, in, len);
}

/* The opening context keeps the key of the job, for only sealing is timed with new keys. */
static bool evp_key(void *state, const uint8_t *key)
{
    struct evp *s = state;

    if (s->each_cipher != NULL)
        memcpy(s->new_key, key, s->key_len);
    return EVP_EncryptInit_ex2(s->enc, s->each_cipher, key, NULL, NULL) == 1;
}

/* ---- Library contexts ---------------------------------------------------------------------------------- */

/* Without its data where that is a path. */
static const char *last_error(void)
{
    static char text[256];
    const char *data = NULL;
    unsigned long e = ERR_get_error_all(NULL, NULL, NULL, &data, NULL);

    if (e == 0)
        return "OpenSSL gives no reason";
    if (data == NULL || strchr(data, '/') != NULL)
        data = "";
    snprintf(text, sizeof text, "%s%s%s", ERR_reason_error_string(e) ? ERR_reason_error_string(e) : "error",
             *data ? ": " : "", data);
    ERR_clear_error();
    return text;
}

/* A configuration that fails to load a provider says nothing: loading it by hand does. */
static const char *why_not_loaded(OSSL_LIB_CTX *lib)
{
    char dir[sizeof module_file];

    snprintf(dir, sizeof dir, "%s", module_file);
    ERR_clear_error();
    OSSL_PROVIDER_set_default_search_path(lib, dirname(dir));
    OSSL_PROVIDER_unload(OSSL_PROVIDER_load(lib, "hwaead"));
    return last_error();
}

static const char *use_hwaead(struct evp *s, const char *tier)
{
    char text[sizeof module_file + 256];

    if (access(module_file, R_OK) != 0)
        return "hwaead.so is not where the build puts it; --module FILE names another place";
    snprintf(text, sizeof text,
             "openssl_conf = bench\n[bench]\nproviders = list\n[list]\nhwaead = hwaead_section\n"
             "[hwaead_section]\nmodule = %s\nactivate = 1\ntier = %s\n",
             module_file, tier);
    if (!load_config(s->lib, text))
        return last_error();
    return OSSL_PROVIDER_available(s->lib, "hwaead") == 1 ? NULL : why_not_loaded(s->lib);
}

static bool runnable(hwaead_tier tier)
{
    for (size_t i = 0; hwaead_tier_runnable(i) != HWAEAD_TIER_AUTO; i++)
        if (hwaead_tier_runnable(i) == tier)
            return true;
    return false;
}

static const char *use_provider(struct evp *s, enum variant v, hwaead_tier tier)
{
    static const char config[] = "openssl_conf = bench\n[bench]\nproviders = list\n[list]\n"
                                 "default = default_section\n[default_section]\nactivate = 1\n";

    switch (v) {
    case EVP_HWAEAD:
        return use_hwaead(s, "auto");
    case EVP_HWAEAD_TIER:
        return runnable(tier) ? use_hwaead(s, hwaead_tier_name(tier)) : "this CPU cannot run the tier";
    case EVP_DEFAULT:
        return load_config(s->lib, config) ? NULL : last_error();
    case EVP_NULL:
        break;
    }
    if (OSSL_PROVIDER_add_builtin(s->lib, "bench-null", null_provider_init) != 1)
        return last_error();
    s->provider = OSSL_PROVIDER_load(s->lib, "bench-null");
    return s->provider != NULL ? NULL : last_error();
}

static const char *const provider_names[] = { "hwaead", "default", "bench-null", "hwaead" };

static void provider_text(const OSSL_PROVIDER *p, const char *key, char *out, size_t size)
{
    const char *text = NULL;
    OSSL_PARAM params[] = { OSSL_PARAM_DEFN(key, OSSL_PARAM_UTF8_PTR, &text, sizeof text), OSSL_PARAM_END };

    if (OSSL_PROVIDER_get_params(p, params) != 1 || text == NULL)
        text = "";
    snprintf(out, size, "%s", text);
    ERR_clear_error();
}

static void describe(struct peer *self, const OSSL_PROVIDER *p, char tier[16])
{
    char version[64];

    provider_text(p, "version", version, sizeof version);
    provider_text(p, "hwaead.tier", tier, 16);
    snprintf(self->version, sizeof self->version, "EVP of %s, provider %s%s%s%s%s",
             OpenSSL_version(OPENSSL_VERSION),
             provider_names[self->variant], *version ? " " : "", version, *tier ? ", tier " : "", tier);
}

/* ---- Set-up -------------------------------------------------------------------------------------------- */

static void evp_free(struct evp *s)
{
    EVP_CIPHER_CTX_free(s->enc);
    EVP_CIPHER_CTX_free(s->dec);
    EVP_CIPHER_free(s->cipher);
    OSSL_PROVIDER_unload(s->provider);
    OSSL_LIB_CTX_free(s->lib);
    free(s);
}

static void evp_teardown(struct peer *self)
{
    evp_free(self->state);
    self->state = NULL;
}

static const char *evp_make(struct peer *self, struct evp *s, const struct job *job)
{
    enum variant v = (enum variant)self->variant;
    const char *why = use_provider(s, v, self->tier), *name;
    const OSSL_PROVIDER *provider;
    char tier[16];

    if (why != NULL)
        return why;
    s->cipher = EVP_CIPHER_fetch(s->lib, job->alg->name, NULL);
    if (s->cipher == NULL)
        return last_error();
    provider = EVP_CIPHER_get0_provider(s->cipher);
    name = OSSL_PROVIDER_get0_name(provider);
    if (strcmp(name, provider_names[v]) != 0)
        return "another provider serves the cipher";
    describe(self, provider, tier);
    if (v == EVP_HWAEAD_TIER && strcmp(tier, hwaead_tier_name(self->tier)) != 0)
        return "the provider runs another tier";
    s->enc = EVP_CIPHER_CTX_new();
    s->dec = EVP_CIPHER_CTX_new();
    if (s->enc == NULL || s->dec == NULL || EVP_EncryptInit_ex2(s->enc, s->cipher, job->key, NULL, NULL) != 1
        || EVP_DecryptInit_ex2(s->dec, s->cipher, job->key, NULL, NULL) != 1)
        return last_error();
    s->aad = job->aad;
    s->aad_len = (int)job->aad_len;
    if (v == EVP_DEFAULT && job->alg->family == FAMILY_SIV) {
        s->each_cipher = s->cipher;
        s->seal_key = s->new_key;
        s->open_key = job->key;
        s->key_len = job->alg->key_len;
        memcpy(s->new_key, job->key, s->key_len);
        self->no_empty = OPENSSL_version_major() == 3 && OPENSSL_version_minor() < 5;
    }
    return NULL;
}

static const char *evp_setup(struct peer *self, const struct job *job)
{
    struct evp *s = calloc(1, sizeof *s);
    const char *why;

    if (s == NULL)
        return "no memory";
    self->no_empty = false;
    s->lib = OSSL_LIB_CTX_new();
    why = s->lib == NULL ? "no library context" : evp_make(self, s, job);
    if (why != NULL)
        evp_free(s);
    else
        self->state = s;
    return why;
}

static void add(struct peer **next, const char *name, enum variant v, hwaead_tier tier)
{
    struct peer *p = (*next)++;

    *p = (struct peer){ .layer = LAYER_EVP, .hollow = v == EVP_NULL, .variant = (int)v, .tier = tier,
                        .setup = evp_setup, .teardown = evp_teardown, .seal = evp_seal, .open = evp_open,
                        .key = evp_key, .rekey = evp_rekey };
    snprintf(p->name, sizeof p->name, "%s", name);
}

void peers_evp(struct peer **next, const char *module_path)
{
    char name[NAME_LEN];

    snprintf(module_file, sizeof module_file, "%s", module_path);
    add(next, "evp-hwaead", EVP_HWAEAD, HWAEAD_TIER_AUTO);
    for (size_t i = 0; i < arch_tier_count; i++) {
        snprintf(name, sizeof name, "evp-hwaead-%s", hwaead_tier_name(arch_tiers[i]));
        add(next, name, EVP_HWAEAD_TIER, arch_tiers[i]);
    }
    add(next, "evp-default", EVP_DEFAULT, HWAEAD_TIER_AUTO);
    add(next, "evp-null", EVP_NULL, HWAEAD_TIER_AUTO);
}
