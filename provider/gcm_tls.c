/* SPDX-License-Identifier: Apache-2.0
 *
 * The private protocol of libssl's TLS 1.2 and of SSH. `tlsivfixed` gives the IV a fixed part and lets its last
 * 8 bytes count. For TLS 1.2, `tlsaad` then says that the next update is a whole record, which carries those
 * 8 bytes in front. For SSH, reading `tlsivgen` begins a message under the next IV, in both directions.
 *
 * An IV that counts is given out once: setting the fixed part arms nothing.
 */
#include <string.h>

#include "cipher_gcm.h"
#include "random.h"
#include "secret.h"
#include "tag_hook.h"

static uint8_t *counter_of(struct gcm_ctx *c)
{
    return c->iv + c->iv_len - TLS_EXPLICIT_IV_LEN;
}

static void increment(uint8_t counter[TLS_EXPLICIT_IV_LEN])
{
    for (int i = TLS_EXPLICIT_IV_LEN - 1; i >= 0 && ++counter[i] == 0; i--)
        continue;
}

static int count_iv(struct gcm_ctx *c)
{
    if (c->ivs_made == UINT64_MAX)
        return FAIL(c->prov, R_IVS_USED_UP);
    c->ivs_made++;
    return 1;
}

/* Copies the last len bytes of the next IV to out, begins a message with it and counts on. */
static int begin_next(struct gcm_ctx *c, uint8_t *out, size_t len)
{
    if (!count_iv(c))
        return 0;
    gcm_iv_loaded(c);
    gcm_begin(c);
    memcpy(out, c->iv + c->iv_len - len, len);
    increment(counter_of(c));
    return 1;
}

/* The same with an end that came from the peer. */
static void begin_with(struct gcm_ctx *c, const uint8_t *end, size_t len)
{
    memcpy(c->iv + c->iv_len - len, end, len);
    gcm_iv_loaded(c);
    gcm_begin(c);
}

static int can_count(const struct gcm_ctx *c)
{
    if (!gcm_has_key(c))
        return FAIL(c->prov, R_NO_KEY);
    if (!c->iv_counts)
        return FAIL(c->prov, R_NO_FIXED_IV);
    return 1;
}

static int is_bytes(const struct gcm_ctx *c, const OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_OCTET_STRING || p->data == NULL)
        return FAIL(c->prov, R_PARAM);
    return 1;
}

int gcm_set_fixed_iv(void *obj, const OSSL_PARAM *p)
{
    struct gcm_ctx *c = obj;
    if (!is_bytes(c, p))
        return 0;
    const int whole = p->data_size == SIZE_MAX;
    const size_t len = whole ? c->iv_len : p->data_size;
    if (c->iv_len < TLS_EXPLICIT_IV_LEN || (!whole && (len < 4 || len > c->iv_len - TLS_EXPLICIT_IV_LEN)))
        return FAIL(c->prov, R_FIXED_IV_LENGTH);
    uint8_t end[GCM_MAX_IV];
    if (c->enc && random_bytes(RANDOM_PUBLIC, end, c->iv_len - len) != HWAEAD_OK)
        return FAIL(c->prov, R_ENTROPY);
    if (c->enc)
        memcpy(c->iv + len, end, c->iv_len - len);
    memcpy(c->iv, p->data, len);
    gcm_drop(c);
    c->tag_made = 0;
    c->iv_counts = 1;
    c->iv_random = 0;
    c->iv_state = IV_SPENT;
    return 1;
}

int gcm_get_next_iv(const struct param_row *row, void *obj, OSSL_PARAM *p)
{
    struct gcm_ctx *c = obj;
    (void)row;
    if (!is_bytes(c, p) || !can_count(c))
        return 0;
    const size_t len = p->data_size == 0 || p->data_size > c->iv_len ? c->iv_len : p->data_size;
    if (!begin_next(c, p->data, len))
        return 0;
    p->return_size = len;
    return 1;
}

int gcm_set_iv_end(void *obj, const OSSL_PARAM *p)
{
    struct gcm_ctx *c = obj;
    if (!is_bytes(c, p) || !can_count(c))
        return 0;
    if (c->enc)
        return FAIL(c->prov, R_TLS_IV_WHEN_SEALING);
    if (p->data_size < 1 || p->data_size > c->iv_len)
        return FAIL(c->prov, R_IV_LENGTH);
    begin_with(c, p->data, p->data_size);
    return 1;
}

/* The record's length in the header counts explicit IV and, when opening, tag; GCM authenticates it without. A
 * header that is refused leaves no message: the record that follows must not pass for plain text. */
int gcm_set_tls_aad(void *obj, const OSSL_PARAM *p)
{
    struct gcm_ctx *c = obj;
    gcm_drop(c);
    c->iv_state = IV_SPENT;
    c->tls_record = 0;
    c->tls_pad = 0;
    if (!is_bytes(c, p))
        return 0;
    if (p->data_size != TLS_AAD_LEN)
        return FAIL(c->prov, R_TLS_AAD);
    memcpy(c->tls_aad, p->data, TLS_AAD_LEN);
    const unsigned int around = TLS_EXPLICIT_IV_LEN + (c->enc ? 0 : BLOCK);
    const unsigned int len = (unsigned int)c->tls_aad[11] << 8 | c->tls_aad[12];
    if (len < around)
        return FAIL(c->prov, R_TLS_AAD);
    c->tls_aad[11] = (uint8_t)((len - around) >> 8);
    c->tls_aad[12] = (uint8_t)(len - around);
    c->tls_record = 1;
    c->tls_pad = BLOCK;
    return 1;
}

static int seal_record(struct gcm_ctx *c, uint8_t *record, size_t text_len)
{
    uint8_t *text = record + TLS_EXPLICIT_IV_LEN, *tag = text + text_len;
    if (!count_iv(c))
        return 0;
    memcpy(record, counter_of(c), TLS_EXPLICIT_IV_LEN);
    gcm_seal(&c->key, text, tag, BLOCK, c->iv, c->iv_len, c->tls_aad, TLS_AAD_LEN, text, text_len);
    increment(counter_of(c));
    tag_hook(tag);
    count(c->prov, c->alg->id, EVENT_SEALED);
    return 1;
}

static int open_record(struct gcm_ctx *c, uint8_t *record, size_t text_len)
{
    uint8_t *text = record + TLS_EXPLICIT_IV_LEN, tag[BLOCK];
    memcpy(counter_of(c), record, TLS_EXPLICIT_IV_LEN);
    memcpy(tag, text + text_len, BLOCK);
    tag_hook(tag);
    if (gcm_open(&c->key, text, c->iv, c->iv_len, c->tls_aad, TLS_AAD_LEN, text, text_len, tag, BLOCK) != HWAEAD_OK)
        return 0;
    count(c->prov, c->alg->id, EVENT_OPENED);
    return 1;
}

int gcm_tls_record(struct gcm_ctx *c, uint8_t *out, size_t *out_len, size_t out_size, const uint8_t *in,
                   size_t len)
{
    const size_t around = TLS_EXPLICIT_IV_LEN + BLOCK;
    gcm_drop(c);
    c->tag_made = 0;
    c->tls_record = 0;
    c->iv_state = IV_SPENT;
    if (!can_count(c))
        return 0;
    if (out == NULL || out != in || len < around || out_size < len)
        return FAIL(c->prov, R_TLS_RECORD);
    if (len - around > GCM_MAX_TEXT)
        return FAIL(c->prov, R_TEXT_TOO_LONG);
    if (c->enc ? !seal_record(c, out, len - around) : !open_record(c, out, len - around))
        return 0;
    *out_len = c->enc ? len : len - around;
    count(c->prov, c->alg->id, EVENT_TLS_RECORD);
    return 1;
}
