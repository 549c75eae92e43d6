/* SPDX-License-Identifier: Apache-2.0 */
#include "cipher_gcm.h"

#include <string.h>

#include "random.h"
#include "secret.h"
#include "tag_hook.h"

/* ---- Contexts --------------------------------------------------------------------------------------------- */

enum { MODE_GCM = 6 };

static const struct cipher_alg aes_128 = { .id = ALG_AES_128_GCM, .mode = MODE_GCM, .key_len = 16, .iv_len = 12,
                                           .block_size = 1, .aead = 1, .custom_iv = 1 };
static const struct cipher_alg aes_192 = { .id = ALG_AES_192_GCM, .mode = MODE_GCM, .key_len = 24, .iv_len = 12,
                                           .block_size = 1, .aead = 1, .custom_iv = 1 };
static const struct cipher_alg aes_256 = { .id = ALG_AES_256_GCM, .mode = MODE_GCM, .key_len = 32, .iv_len = 12,
                                           .block_size = 1, .aead = 1, .custom_iv = 1 };

static void *new_ctx(struct provider *prov, const struct cipher_alg *alg)
{
    struct gcm_ctx *c = cipher_ctx_alloc(prov, sizeof *c);
    if (c == NULL)
        return NULL;
    c->prov = prov;
    c->alg = alg;
    c->iv_len = alg->iv_len;
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
    cipher_ctx_free(vctx, sizeof(struct gcm_ctx));
}

static void *dup_ctx(void *vctx)
{
    const struct gcm_ctx *c = vctx;
    return c == NULL ? NULL : cipher_ctx_dup(c->prov, c, sizeof *c);
}

/* ---- Keys and IVs ----------------------------------------------------------------------------------------- */

static int load_key(struct gcm_ctx *c, const uint8_t *key, size_t len)
{
    gcm_drop(c);
    c->ivs_made = 0;
    if (len != c->alg->key_len || gcm_key_init(&c->key, c->prov->kernel, key, len) != HWAEAD_OK) {
        secret_wipe(&c->key, sizeof c->key);
        return FAIL(c->prov, R_KEY_LENGTH);
    }
    return 1;
}

static inline int load_iv(struct gcm_ctx *c, const uint8_t *iv, size_t len)
{
    if (len < 1 || len > GCM_MAX_IV)
        return FAIL(c->prov, R_IV_LENGTH);
    memcpy(c->iv, iv, len);
    c->iv_len = len;
    c->iv_counts = 0; /* from here it would count over IVs that are used */
    gcm_iv_loaded(c);
    return 1;
}

int gcm_make_iv(struct gcm_ctx *c)
{
    if (c->iv_len < GCM_RANDOM_IV_MIN)
        return FAIL(c->prov, R_RANDOM_IV_LENGTH);
    if (random_bytes(RANDOM_PUBLIC, c->iv, c->iv_len) != HWAEAD_OK)
        return FAIL(c->prov, R_ENTROPY);
    gcm_iv_loaded(c);
    c->iv_random = 1;
    return 1;
}

static NOINLINE int init_any(struct gcm_ctx *c, int enc, const uint8_t *key, size_t key_len, const uint8_t *iv,
                             size_t iv_len, const OSSL_PARAM params[])
{
    if (c->prov->kernel == NULL)
        return provider_can_run(c->prov);
    if (c->enc != enc)
        c->iv_counts = 0; /* the other side's counter is not ours to go on with */
    c->enc = enc;
    if (iv != NULL && !load_iv(c, iv, iv_len))
        return 0;
    if (key != NULL && !load_key(c, key, key_len))
        return 0;
    return params == NULL || gcm_set_params(c, params);
}

/* Mostly the next message's IV alone comes, of the usual length. Nothing is saved on this way: each message would pay
 * for it (the same in update). */
static inline int init(struct gcm_ctx *c, int enc, const uint8_t *key, size_t key_len, const uint8_t *iv,
                       size_t iv_len, const OSSL_PARAM params[])
{
    if (key != NULL || params != NULL || iv == NULL || iv_len != 12 || c->enc != enc || !gcm_has_key(c))
        return init_any(c, enc, key, key_len, iv, iv_len, params);
    return load_iv(c, iv, 12);
}

static int encrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                        size_t iv_len, const OSSL_PARAM params[])
{
    return init(vctx, 1, key, key_len, iv, iv_len, params);
}

static int decrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
                        size_t iv_len, const OSSL_PARAM params[])
{
    return init(vctx, 0, key, key_len, iv, iv_len, params);
}

/* ---- Messages --------------------------------------------------------------------------------------------- */

/* Begins the message. Without key or IV nothing changes. */
static NOINLINE int begin_any(struct gcm_ctx *c)
{
    if (!gcm_has_key(c))
        return FAIL(c->prov, R_NO_KEY);
    if (c->iv_state == IV_SPENT)
        return FAIL(c->prov, R_MESSAGE_OVER);
    if (c->iv_state == IV_NONE && !c->enc)
        return FAIL(c->prov, R_NO_IV);
    if (c->iv_state == IV_NONE && !gcm_make_iv(c))
        return 0;
    gcm_begin(c);
    return 1;
}

static inline int under_way(struct gcm_ctx *c)
{
    if (c->iv_state == IV_LOADED && gcm_has_key(c)) {
        gcm_begin(c);
        return 1;
    }
    return c->iv_state == IV_RUNNING || begin_any(c);
}

/* The tag of the message, which is over then. */
static inline void end(struct gcm_ctx *c, uint8_t tag[BLOCK])
{
    c->iv_state = IV_SPENT;
    gcm_finish(&c->key, &c->msg, tag);
    tag_hook(tag);
}

/* Ends the message that failed. */
static int abandon(struct gcm_ctx *c, enum reason reason)
{
    c->iv_state = IV_SPENT;
    secret_wipe(&c->msg, sizeof c->msg);
    return FAIL(c->prov, reason);
}

static int associate(struct gcm_ctx *c, const uint8_t *aad, size_t len)
{
    if (c->msg.text_len != 0)
        return abandon(c, R_AAD_AFTER_TEXT);
    if (gcm_aad(&c->key, &c->msg, aad, len) != HWAEAD_OK)
        return abandon(c, R_AAD_TOO_LONG);
    return 1;
}

static int crypt(struct gcm_ctx *c, uint8_t *out, const uint8_t *in, size_t len)
{
    const hwaead_err err = c->enc ? gcm_encrypt(&c->key, &c->msg, out, in, len)
                                  : gcm_decrypt(&c->key, &c->msg, out, in, len);
    if (err == HWAEAD_OK)
        return 1;
    return abandon(c, err == HWAEAD_ERR_OVERLAP ? R_OVERLAP : R_TEXT_TOO_LONG);
}

static NOINLINE int update_any(struct gcm_ctx *c, uint8_t *out, size_t *out_len, size_t out_size, const uint8_t *in,
                               size_t len)
{
    if (len == 0) {
        *out_len = 0;
        return 1;
    }
    if (c->tls_record)
        return gcm_tls_record(c, out, out_len, out_size, in, len);
    if (!under_way(c))
        return 0;
    if (in == NULL)
        return abandon(c, R_NO_INPUT);
    if (out == NULL ? !associate(c, in, len) : !crypt(c, out, in, len))
        return 0;
    *out_len = len;
    return 1;
}

static int update(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                  size_t len)
{
    struct gcm_ctx *c = vctx;
    if (c->iv_state != IV_RUNNING || c->tls_record || out == NULL || in == NULL
        || !gcm_comes_alone(&c->key, &c->msg, out, in, len))
        return update_any(c, out, out_len, out_size, in, len);
    *out_len = len;
    gcm_text_alone(&c->key, &c->msg, out, in, len, c->enc);
    return 1;
}

static inline int seal_end(struct gcm_ctx *c)
{
    end(c, c->made);
    c->tag_made = 1;
    count(c->prov, c->alg->id, EVENT_SEALED);
    return 1;
}

static NOINLINE int open_end(struct gcm_ctx *c)
{
    uint8_t tag[BLOCK];
    if (c->want_len == 0)
        return abandon(c, R_NO_TAG_SET);
    end(c, tag);
    const int right = secret_equal(tag, c->want, c->want_len);
    secret_wipe(tag, sizeof tag);
    if (right)
        count(c->prov, c->alg->id, EVENT_OPENED);
    return right;
}

static int final(void *vctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct gcm_ctx *c = vctx;
    (void)out;
    (void)out_size;
    *out_len = 0;
    if (c->tls_record)
        return gcm_tls_record(c, NULL, out_len, 0, NULL, 0);
    if (!under_way(c))
        return 0;
    return c->enc ? seal_end(c) : open_end(c);
}

static int one_shot(void *vctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                    size_t len)
{
    struct gcm_ctx *c = vctx;
    return cipher_one_shot(c->prov, update, final, c, out, out_len, out_size, in, len);
}

/* ---- Tables ---------------------------------------------------------------------------------------------- */

const OSSL_DISPATCH aes_128_gcm[] = {
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
    { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))gcm_get_params },
    { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))gcm_gettable },
    { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))gcm_set_params },
    { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))gcm_settable },
    { 0, NULL },
};

const OSSL_DISPATCH aes_192_gcm[] = {
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
    { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))gcm_get_params },
    { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))gcm_gettable },
    { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))gcm_set_params },
    { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))gcm_settable },
    { 0, NULL },
};

const OSSL_DISPATCH aes_256_gcm[] = {
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
    { OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))gcm_get_params },
    { OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))gcm_gettable },
    { OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))gcm_set_params },
    { OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))gcm_settable },
    { 0, NULL },
};
