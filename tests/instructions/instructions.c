/* SPDX-License-Identifier: Apache-2.0
 *
 * Fixed calls whose instructions are counted: run by instructions.py under callgrind, which starts to count at
 * begin() and writes down what it counted at end(). Prints the name of each case and how many calls it made.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/provider.h>

#include <hwaead/hazmat.h>

#include "drbg.h"

enum { CALLS = 64, LONGEST = 4096 };

static const uint8_t key_bytes[32] = { 1, 2, 3 }, nonce[12] = { 4, 5, 6 }, aad[13] = { 7, 8, 9 };
static uint8_t text[LONGEST], sealed[LONGEST], out[LONGEST], tag[16];
static hwaead_gcm_key gcm;
static hwaead_siv_key siv;
static struct drbg drbg;
static EVP_CIPHER_CTX *evp;
static EVP_RAND_CTX *rand_ctx;

void begin(void);
void end(void);

__attribute__((noinline)) void begin(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) void end(void)
{
    __asm__ volatile("");
}

/* ---- The calls ----------------------------------------------------------------------------------------- */

static bool gcm_key(size_t key_len)
{
    return hwaead_gcm_key_init(&gcm, sizeof gcm, key_bytes, key_len, HWAEAD_TIER_AESNI) == HWAEAD_OK;
}

static bool gcm_seal(size_t len)
{
    return hwaead_gcm_seal_with_nonce(&gcm, sealed, tag, sizeof tag, nonce, sizeof nonce, aad, sizeof aad, text, len)
           == HWAEAD_OK;
}

static bool gcm_open(size_t len)
{
    return hwaead_gcm_open_with_nonce(&gcm, out, nonce, sizeof nonce, aad, sizeof aad, sealed, len, tag, sizeof tag)
           == HWAEAD_OK;
}

static bool siv_key(size_t key_len)
{
    return hwaead_siv_key_init(&siv, sizeof siv, key_bytes, key_len, HWAEAD_TIER_AESNI) == HWAEAD_OK;
}

static bool siv_seal(size_t len)
{
    return hwaead_siv_seal_with_nonce(&siv, sealed, tag, sizeof tag, nonce, sizeof nonce, aad, sizeof aad, text, len)
           == HWAEAD_OK;
}

static bool siv_open(size_t len)
{
    return hwaead_siv_open_with_nonce(&siv, out, nonce, sizeof nonce, aad, sizeof aad, sealed, len, tag, sizeof tag)
           == HWAEAD_OK;
}

static bool drbg_bytes(size_t len)
{
    return drbg_generate(&drbg, out, len, (struct drbg_input){ NULL, 0 }) == HWAEAD_OK;
}

static bool evp_message(const uint8_t *key, size_t len)
{
    int n;

    return EVP_EncryptInit_ex2(evp, NULL, key, nonce, NULL) == 1
           && EVP_EncryptUpdate(evp, NULL, &n, aad, sizeof aad) == 1
           && EVP_EncryptUpdate(evp, out, &n, text, (int)len) == 1 && EVP_EncryptFinal_ex(evp, out + n, &n) == 1
           && EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_GET_TAG, sizeof tag, tag) == 1;
}

static bool evp_seal(size_t len)
{
    return evp_message(NULL, len);
}

static bool evp_rekey(size_t len)
{
    return evp_message(key_bytes, len);
}

static bool rand_bytes(size_t len)
{
    return EVP_RAND_generate(rand_ctx, out, len, 256, 0, NULL, 0) == 1;
}

/* ---- The cases ----------------------------------------------------------------------------------------- */

/* In an order in which each finds what it needs: a key before messages, a sealed message before it is opened. */
static const struct {
    const char *name;
    bool (*call)(size_t len);
    size_t len;
} cases[] = {
    { "core AES-128-GCM key", gcm_key, 16 },
    { "core AES-128-GCM seal 1024", gcm_seal, 1024 },
    { "core AES-256-GCM key", gcm_key, 32 },
    { "core AES-256-GCM seal 16", gcm_seal, 16 },
    { "core AES-256-GCM open 16", gcm_open, 16 },
    { "core AES-256-GCM seal 64", gcm_seal, 64 },
    { "core AES-256-GCM open 64", gcm_open, 64 },
    { "core AES-256-GCM seal 1024", gcm_seal, 1024 },
    { "core AES-256-GCM open 1024", gcm_open, 1024 },
    { "core AES-256-GCM-SIV key", siv_key, 32 },
    { "core AES-256-GCM-SIV seal 16", siv_seal, 16 },
    { "core AES-256-GCM-SIV open 16", siv_open, 16 },
    { "core AES-256-GCM-SIV seal 64", siv_seal, 64 },
    { "core AES-256-GCM-SIV open 64", siv_open, 64 },
    { "core AES-256-GCM-SIV seal 1024", siv_seal, 1024 },
    { "core AES-256-GCM-SIV open 1024", siv_open, 1024 },
    { "core CTR_DRBG generate 32", drbg_bytes, 32 },
    { "core CTR_DRBG generate 4096", drbg_bytes, 4096 },
    { "module AES-256-GCM seal 16", evp_seal, 16 },
    { "module AES-256-GCM seal 1024", evp_seal, 1024 },
    { "module AES-256-GCM new key and seal 16", evp_rekey, 16 },
    { "module HWAEAD-CTR-DRBG generate 32", rand_bytes, 32 },
};

/* One call before those that count, so that nothing is done for the first time in them. */
static bool run(size_t i)
{
    bool ok = cases[i].call(cases[i].len);

    begin();
    for (int n = 0; n < CALLS; n++)
        ok &= cases[i].call(cases[i].len);
    end();
    printf("%d %s\n", CALLS, cases[i].name);
    if (!ok)
        fprintf(stderr, "%s failed\n", cases[i].name);
    return ok;
}

/* ---- Set-up -------------------------------------------------------------------------------------------- */

static bool ready_drbg(void)
{
    static const uint8_t entropy[DRBG_SEED_LEN] = { 1 };
    const struct drbg_input seed = { entropy, sizeof entropy }, none = { NULL, 0 };

    return drbg_instantiate(&drbg, kernel_of(HWAEAD_TIER_AESNI), 0, seed, none, none) == HWAEAD_OK;
}

static bool ready_module(const char *dir)
{
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
    EVP_CIPHER *cipher;
    EVP_RAND *generator;

    if (lib == NULL || OSSL_PROVIDER_set_default_search_path(lib, dir) != 1
        || OSSL_PROVIDER_load(lib, "hwaead") == NULL)
        return false;
    cipher = EVP_CIPHER_fetch(lib, "AES-256-GCM", "provider=hwaead");
    generator = EVP_RAND_fetch(lib, "HWAEAD-CTR-DRBG", "provider=hwaead");
    evp = EVP_CIPHER_CTX_new();
    rand_ctx = generator != NULL ? EVP_RAND_CTX_new(generator, NULL) : NULL;
    return cipher != NULL && evp != NULL && rand_ctx != NULL
           && EVP_EncryptInit_ex2(evp, cipher, key_bytes, NULL, NULL) == 1
           && EVP_RAND_instantiate(rand_ctx, 256, 0, NULL, 0, NULL) == 1;
}

int main(int argc, char **argv)
{
    bool ok;

    if (argc != 2)
        return 2;
    if (hwaead_tier_runnable(0) != HWAEAD_TIER_AESNI) {
        fprintf(stderr, "the best tier here is %s, so the module would not run aesni\n",
                hwaead_tier_name(hwaead_tier_runnable(0)));
        return 1;
    }
    ok = ready_drbg() && ready_module(argv[1]);
    if (!ok)
        fprintf(stderr, "generator or module cannot be had\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases && ok; i++)
        ok = run(i);
    return ok ? 0 : 1;
}
