/* SPDX-License-Identifier: Apache-2.0
 *
 * GCM-SIV reads the whole text before it knows the tag, and the tag before it can open: so the text comes in one
 * update, and when opening the tag comes before it. An update of no bytes with an output is the empty text; an
 * update of no bytes without one is nothing.
 */
#include "cipher_siv.h"

#include <string.h>

#include "secret.h"
#include "tag_hook.h"

/* ---- Contexts --------------------------------------------------------------------------------------------- */

enum { MODE_GCM_SIV = 0x10005 }; /* EVP_CIPH_GCM_SIV_MODE, which headers before 3.2 lack */

static const struct cipher_alg aes_128 = { .id = ALG_AES_128_GCM_SIV, .mode = MODE_GCM_SIV, .key_len = 16,
                                           .iv_len = SIV_NONCE, .block_size = 1, .aead = 1, .custom_iv = 1 };
static const struct cipher_alg aes_192 = { .id = ALG_AES_192_GCM_SIV, .mode = MODE_GCM_SIV, .key_len = 24,
                                           .iv_len = SIV_NONCE, .block_size = 1, .aead = 1, .custom_iv = 1 };
static const struct cipher_alg aes_256 = { .id = ALG_AES_256_GCM_SIV, .mode = MODE_GCM_SIV, .key_len = 32,
                                           .iv_len = SIV_NONCE, .block_size = 1, .aead = 1, .custom_iv = 1 };

static void *new_ctx(struct provider *prov, const struct cipher_alg *alg)
{
    struct siv_ctx *c = cipher_ctx_alloc(prov, sizeof *c);
    if (c == NULL)
        return NULL;
    c->prov = prov;
    c->alg = alg;
    return c;
}

static OSSL_FUNC_cipher_newctx_fn new_128, new_192, new_256;
static OSSL_FUNC_cipher_get_params_fn constants_128, constants_192, constants_256;
static OSSL_FUNC_cipher_freectx_fn free_ctx;
static OSSL_FUNC_cipher_dupctx_fn dup_ctx;
static OSSL_FUNC_cipher_encrypt_init_fn encrypt_init;
static OSSL_FUNC_cipher_decrypt_init_fn decrypt_init;
static OSSL_FUNC_cipher_update_fn update;
static OSSL_FUNC_cipher_final_fn final;
static OSSL_FUNC_cipher_cipher_fn one_shot;

static void *new_128(void *prov)
{
    return new_ctx(prov, &aes_128);
}

static void *new_192(void *prov)
{
    return new_ctx(prov, &aes_192);
}

static void *new_256(void *prov)
{
    return new_ctx(prov, &aes_256);
}

static int constants_128(OSSL_PARAM params[])
{
    return cipher_get_constants(&aes_128, params);
}

static int constants_192(OSSL_PARAM params[])
{
    return cipher_get_constants(&aes_192, params);
}

static int constants_256(OSSL_PARAM params[])
{
    return cipher_get_constants(&aes_256, params);
}

static void free_ctx(void *vctx)
{
    cipher_ctx_free(vctx, sizeof(struct siv_ctx));
}

static void *dup_ctx(void *vctx)
{
    const struct siv_ctx *c = vctx;
    return c == NULL ? NULL : cipher_ctx_dup(c->prov, c, sizeof *c);
}

/* ---- Keys and nonces -------------------------------------------------------------------------------------- */

/* The message is given up, or needed no more. */
static void drop_msg(struct siv_ctx *c)
{
    if (c->state == SIV_RUNNING || c->state == SIV_REPEATABLE)
        secret_wipe(&c->msg, sizeof c->msg);
}

static int text_is_through(const struct siv_ctx *c)
{
    return c->state == SIV_DONE || c->state == SIV_REPEATABLE;
}

static void end(struct siv_ctx *c)
{
    drop_msg(c);
    c->state = SIV_SPENT;
}

/* A nonce that no text was processed with waits for the message to begin anew, without its AAD. */
static int load_key(struct siv_ctx *c, const uint8_t *key, size_t len)
{
    if (text_is_through(c))
        end(c);
    drop_msg(c);
    if (c->state == SIV_RUNNING)
        c->state = SIV_LOADED;
    if (len != c->alg->key_len || siv_key_init(&c->key, c->prov->kernel, key, len) != HWAEAD_OK) {
        secret_wipe(&c->key, sizeof c->key);
        return FAIL(c->prov, R_KEY_LENGTH);
    }
    return 1;
}

static int load_nonce(struct siv_ctx *c, const uint8_t *nonce, size_t len)
{
    if (len != SIV_NONCE)
        return FAIL(c->prov, R_NONCE_LENGTH);
    drop_msg(c);
    memcpy(c->nonce, nonce, SIV_NONCE);
    c->state = SIV_LOADED;
    c->tag_made = 0;
    return 1;
}

static inline int init(struct siv_ctx *c, int enc, const uint8_t *key, size_t key_len, const uint8_t *nonce,
                       size_t nonce_len, const OSSL_PARAM params[])
{
    if (c->prov->kernel == NULL)
        return provider_can_run(c->prov);
    if (enc != c->enc && text_is_through(c))
        end(c); /* what was sealed is not to pass for opened */
    c->enc = enc;
    if (nonce != NULL && !load_nonce(c, nonce, nonce_len))
        return 0;
    if (key != NULL && !load_key(c, key, key_len))
        return 0;
    return params == NULL || siv_set_params(c, params);
}

static int encrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *nonce,
                        size_t nonce_len, const OSSL_PARAM params[])
{
    return init(vctx, 1, key, key_len, nonce, nonce_len, params);
}

static int decrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *nonce,
                        size_t nonce_len, const OSSL_PARAM params[])
{
    return init(vctx, 0, key, key_len, nonce, nonce_len, params);
}

/* ---- Messages --------------------------------------------------------------------------------------------- */

/* Begins the message if it is not under way: derives its keys. Without key or nonce nothing changes. */
static int under_way(struct siv_ctx *c)
{
    if (c->state == SIV_RUNNING || text_is_through(c))
        return 1;
    if (c->key.kernel == NULL)
        return FAIL(c->prov, R_NO_KEY);
    if (c->state == SIV_SPENT)
        return FAIL(c->prov, R_MESSAGE_OVER);
    if (c->state == SIV_NO_NONCE)
        return FAIL(c->prov, R_NO_IV);
    siv_start(&c->key, &c->msg, c->nonce);
    c->state = SIV_RUNNING;
    return 1;
}

/* Ends the message that failed; there is no tag of it. */
static int abandon(struct siv_ctx *c, enum reason reason)
{
    end(c);
    c->tag_made = 0;
    return FAIL(c->prov, reason);
}

static int associate(struct siv_ctx *c, const uint8_t *aad, size_t len)
{
    if (text_is_through(c))
        return abandon(c, R_AAD_AFTER_TEXT);
    if (siv_aad(&c->key, &c->msg, aad, len) != HWAEAD_OK)
        return abandon(c, R_SIV_AAD_TOO_LONG);
    return 1;
}

static hwaead_err seal(struct siv_ctx *c, struct siv_msg *msg, uint8_t *out, const uint8_t *in, size_t len)
{
    const hwaead_err err = siv_seal(&c->key, msg, out, c->made, in, len);
    c->tag_made = err == HWAEAD_OK;
    tag_hook(c->made);
    return err;
}

/* A wrong tag is no error yet: out is zeroed, and final will say it. */
static hwaead_err open(struct siv_ctx *c, struct siv_msg *msg, uint8_t *out, const uint8_t *in, size_t len)
{
    uint8_t want[BLOCK];
    memcpy(want, c->want, BLOCK);
    tag_hook(want);
    const hwaead_err err = siv_open(&c->key, msg, out, in, len, want);
    c->right = err == HWAEAD_OK;
    return err == HWAEAD_ERR_AUTH ? HWAEAD_OK : err;
}

static int text(struct siv_ctx *c, uint8_t *out, const uint8_t *in, size_t len)
{
    if (text_is_through(c) && !(c->state == SIV_REPEATABLE && c->speed))
        return abandon(c, R_SECOND_TEXT);
    if (!c->enc && !c->has_want)
        return abandon(c, R_NO_TAG_BEFORE_TEXT);
    struct siv_msg copy, *msg = &c->msg; /* which the core wipes */
    if (c->speed) {
        copy = c->msg;
        msg = &copy;
    }
    const hwaead_err err = c->enc ? seal(c, msg, out, in, len) : open(c, msg, out, in, len);
    if (err != HWAEAD_OK) {
        if (c->speed)
            secret_wipe(&copy, sizeof copy);
        return abandon(c, err == HWAEAD_ERR_OVERLAP ? R_OVERLAP : R_SIV_TEXT_TOO_LONG);
    }
    c->state = c->speed ? SIV_REPEATABLE : SIV_DONE;
    return 1;
}

static int update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                  size_t len)
{
    struct siv_ctx *c = vctx;
    (void)out_size;
    if (len == 0 && out == NULL) {
        *out_len = 0;
        return 1;
    }
    if (!under_way(c))
        return 0;
    if (in == NULL && len != 0)
        return abandon(c, R_NO_INPUT);
    if (out == NULL ? !associate(c, in, len) : !text(c, out, in, len))
        return 0;
    *out_len = len;
    return 1;
}

static int final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct siv_ctx *c = vctx;
    (void)out;
    (void)out_size;
    *out_len = 0;
    if (!under_way(c) || (!text_is_through(c) && !text(c, NULL, NULL, 0)))
        return 0;
    end(c);
    if (!c->enc && !c->right)
        return 0;
    count(c->prov, c->alg->id, c->enc ? EVENT_SEALED : EVENT_OPENED);
    return 1;
}

static int one_shot(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                    size_t len)
{
    struct siv_ctx *c = vctx;
    return cipher_one_shot(c->prov, update, final, c, out, out_len, out_size, in, len);
}

/* ---- Parameters and tables -------------------------------------------------------------------------------- */

const OSSL_DISPATCH aes_128_gcm_siv[] = {
    { OSSL_FUNC_CIPHER_NEWCTX, (void (*)(void))new_128 },
    { OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))free_ctx },
    { OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))dup_ctx },
    { OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))encrypt_init },
    { OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))decrypt_init },
    { OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))update },
    { OSSL_FUNC_CIPHER_FINAL, (void (*)(void))final },
    { OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))one_shot },
    { OSSL_FUNC_CIPHER_GET_PARAMS, (void (*)(void))constants_128 },
    { OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))cipher_gettable_constants },
    { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))siv_get_params },
    { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))siv_gettable },
    { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))siv_set_params },
    { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))siv_settable },
    { 0, NULL },
};

const OSSL_DISPATCH aes_192_gcm_siv[] = {
    { OSSL_FUNC_CIPHER_NEWCTX, (void (*)(void))new_192 },
    { OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))free_ctx },
    { OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))dup_ctx },
    { OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))encrypt_init },
    { OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))decrypt_init },
    { OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))update },
    { OSSL_FUNC_CIPHER_FINAL, (void (*)(void))final },
    { OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))one_shot },
    { OSSL_FUNC_CIPHER_GET_PARAMS, (void (*)(void))constants_192 },
    { OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))cipher_gettable_constants },
    { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))siv_get_params },
    { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))siv_gettable },
    { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))siv_set_params },
    { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))siv_settable },
    { 0, NULL },
};

const OSSL_DISPATCH aes_256_gcm_siv[] = {
    { OSSL_FUNC_CIPHER_NEWCTX, (void (*)(void))new_256 },
    { OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))free_ctx },
    { OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))dup_ctx },
    { OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))encrypt_init },
    { OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))decrypt_init },
    { OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))update },
    { OSSL_FUNC_CIPHER_FINAL, (void (*)(void))final },
    { OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))one_shot },
    { OSSL_FUNC_CIPHER_GET_PARAMS, (void (*)(void))constants_256 },
    { OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))cipher_gettable_constants },
    { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))siv_get_params },
    { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))siv_gettable },
    { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))siv_set_params },
    { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))siv_settable },
    { 0, NULL },
};
