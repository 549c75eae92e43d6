/* SPDX-License-Identifier: Apache-2.0
 *
 * EVP_CIPHER_CTX_copy at each point of a message: both sides go on alone.
 */
#include "evp.h"

#include <string.h>

enum { LEN = 100, AAD = 37 };

/* Where to copy: after `aad_done` bytes of AAD and `text_done` of text; after final when text_done > LEN. */
static void copy_at(int k, int enc, size_t aad_done, size_t text_done, bool free_original_first, bool reuse)
{
    struct msg m = rnd_msg(k, 12, AAD, LEN), other = rnd_msg(k, 12, AAD, LEN);
    uint8_t want[LEN], tag[16], out[2][LEN], got[16], other_want[LEN], other_tag[16];
    const bool over = text_done > LEN;
    where("%s, enc %d, after AAD of %zu, text of %zu%s%s", evp_name[k], enc, aad_done, text_done,
          free_original_first ? ", original freed first" : "", reuse ? ", into a used context" : "");
    CHECK(seal(ref[k], &m, want, tag));
    const uint8_t *in = enc ? m.text : want;
    other.key = m.key;
    CHECK(seal(ref[k], &other, other_want, other_tag));

    EVP_CIPHER_CTX *x[2] = {evp_ctx(), evp_ctx()};
    OK(begin(x[0], ours[k], &m, enc));
    CHECK(enc || set_tag(x[0], tag, 16) == 1);
    CHECK(aad(x[0], m.aad, aad_done));
    if (text_done > 0)
        CHECK(update(x[0], out[0], in, over ? LEN : text_done));
    if (over && aad_done == AAD)
        CHECK(finish(x[0]));
    if (reuse) {
        struct msg junk = rnd_msg(K128, 12, 10, 10);
        OK(begin(x[1], ours[K128], &junk, 1));
        CHECK(aad(x[1], junk.aad, 10));
    }
    OK(EVP_CIPHER_CTX_copy(x[1], x[0]));
    memcpy(out[1], out[0], LEN);

    if (free_original_first) {
        EVP_CIPHER_CTX_free(x[0]);
        x[0] = NULL;
    }
    /* the copy first, then the original: what the one does must not be seen by the other */
    for (int i = 1; i >= 0; i--) {
        if (x[i] == NULL)
            continue;
        where("%s, enc %d, after AAD of %zu, text of %zu, %s", evp_name[k], enc, aad_done, text_done,
              i ? "copy" : "original");
        if (!over) {
            CHECK(text_done > 0 || aad(x[i], m.aad + aad_done, AAD - aad_done));
            CHECK(update(x[i], out[i] + text_done, in + text_done, LEN - text_done));
            OK(finish(x[i]));
        }
        CHECK_BYTES(out[i], enc ? want : m.text, LEN);
        if (enc) {
            OK(get_tag(x[i], got, 16));
            CHECK_BYTES(got, tag, 16);
        } else {
            REFUSED(update(x[i], out[i], in, 1));
        }
        /* the key went along */
        OK(init_iv(x[i], other.iv, 1));
        CHECK(aad(x[i], other.aad, AAD) && update(x[i], out[i], other.text, LEN) && finish(x[i]) &&
              get_tag(x[i], got, 16) == 1);
        CHECK_BYTES(out[i], other_want, LEN);
        CHECK_BYTES(got, other_tag, 16);
    }
    EVP_CIPHER_CTX_free(x[0]);
    EVP_CIPHER_CTX_free(x[1]);
    CHECK(drain().total == 0);
}

static void everywhere(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (int enc = 0; enc < 2; enc++)
            for (int order = 0; order < 4; order++) {
                for (size_t n = 0; n <= AAD; n++)
                    copy_at(k, enc, n, 0, order & 1, order & 2);
                for (size_t n = 1; n <= LEN; n++)
                    copy_at(k, enc, AAD, n, order & 1, order & 2);
                copy_at(k, enc, AAD, LEN + 1, order & 1, order & 2);
            }
}

/* Of contexts that are not ready: no key, no IV, long IV, failed. */
static void unready(void)
{
    struct msg m = rnd_msg(K256, 60, 5, LEN);
    uint8_t want[LEN], out[LEN], want_tag[16], tag[16];
    CHECK(seal(ref[K256], &m, want, want_tag));
    EVP_CIPHER_CTX *a = evp_ctx(), *b = evp_ctx(), *c = evp_ctx();
    OK(EVP_CipherInit_ex2(a, ours[K256], NULL, NULL, 1, NULL));
    OK(set_ivlen(a, 60));
    OK(EVP_CIPHER_CTX_copy(b, a));
    CHECK(EVP_CIPHER_CTX_get_iv_length(b) == 60);
    REFUSED(update(b, out, m.text, 1));
    OK(init_iv(b, m.iv, 1));
    OK(EVP_CIPHER_CTX_copy(c, b));
    OK(init_key(c, m.key, 1));
    CHECK(aad(c, m.aad, 5) && update(c, out, m.text, LEN) && finish(c) && get_tag(c, tag, 16) == 1);
    CHECK_BYTES(out, want, LEN);
    CHECK_BYTES(tag, want_tag, 16);
    REFUSED(update(a, out, m.text, 1));

    REFUSED(aad(c, m.aad, 1)); /* over */
    OK(EVP_CIPHER_CTX_copy(a, c));
    REFUSED(update(a, out, m.text, 1));
    OK(init_iv(a, m.iv, 1));
    CHECK(aad(a, m.aad, 5) && update(a, out, m.text, LEN) && finish(a) && get_tag(a, tag, 16) == 1);
    CHECK_BYTES(tag, want_tag, 16);
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
    EVP_CIPHER_CTX_free(c);
}

/* A chain: copy of copy of copy, each one byte further. */
static void chain(void)
{
    struct msg m = rnd_msg(K192, 12, AAD, LEN);
    uint8_t want[LEN], out[LEN], want_tag[16], tag[16];
    CHECK(seal(ref[K192], &m, want, want_tag));
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K192], &m, 1));
    CHECK(aad(x, m.aad, AAD));
    for (size_t i = 0; i < LEN; i++) {
        CHECK(update(x, out + i, m.text + i, 1));
        EVP_CIPHER_CTX *next = evp_ctx();
        OK(EVP_CIPHER_CTX_copy(next, x));
        EVP_CIPHER_CTX_free(x);
        x = next;
    }
    CHECK(finish(x) && get_tag(x, tag, 16) == 1);
    CHECK_BYTES(out, want, LEN);
    CHECK_BYTES(tag, want_tag, 16);
    EVP_CIPHER_CTX_free(x);
}

/* TLS state goes along: fixed IV and counter, and a record that is announced. */
static void tls_state(void)
{
    uint8_t iv[12], header[13] = {[8] = 23, 3, 3, 0, 8 + 20}, record[2][44], a[8], b[8];
    struct msg m = rnd_msg(K256, 12, 0, 20);
    memcpy(iv, m.iv, 12);
    EVP_CIPHER_CTX *x = evp_ctx(), *y = evp_ctx();
    OK(EVP_CipherInit_ex2(x, ours[K256], m.key, NULL, 1, NULL));
    OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv));
    CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, 13, header) == 16);
    OK(EVP_CIPHER_CTX_copy(y, x));
    memcpy(record[0] + 8, m.text, 20);
    memcpy(record[1] + 8, m.text, 20);
    CHECK(update(x, record[0], record[0], 44));
    CHECK(update(y, record[1], record[1], 44));
    CHECK_BYTES(record[1], record[0], 44);
    OK(get_octets(x, "tlsivgen", a, 8));
    OK(get_octets(y, "tlsivgen", b, 8));
    CHECK_BYTES(a, b, 8);
    EVP_CIPHER_CTX_free(x);
    EVP_CIPHER_CTX_free(y);
}

static const struct evp_case cases[] = {
    {"G32", "at each point", everywhere},
    {"G32", "of contexts that are not ready", unready},
    {"G32", "chain of copies", chain},
    {"G32", "TLS state", tls_state},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
