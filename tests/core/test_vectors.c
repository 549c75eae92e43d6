/* SPDX-License-Identifier: Apache-2.0
 *
 * All aes_gcm.*.txt vector files on one tier.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwaead/hazmat.h>

#include "check.h"
#include "gcm.h"
#include "memory.h"
#include "tier.h"
#include "vectors.h"

struct message {
    const uint8_t *key, *iv, *aad, *ct, *tag, *pt; /* pt may be NULL */
    size_t key_len, iv_len, aad_len, ct_len, tag_len, pt_len;
};

static bool tag_len_is_legal(size_t n)
{
    return n == 4 || n == 8 || (n >= 12 && n <= 16);
}

/* A tag that the API does not have, such as the one byte of an ipsec_mb case: refused, and at the seam below,
 * which makes whole tags, the message is still as the vector says. */
static void check_odd_tag(const hwaead_gcm_key *public_key, const struct message *m, bool valid)
{
    const struct gcm_key *key = (const struct gcm_key *)(const void *)public_key;
    uint8_t tag[BLOCK], *out = malloc(m->ct_len);
    struct gcm_msg msg;
    CHECK(hwaead_gcm_open_with_nonce(public_key, out, m->iv, m->iv_len, m->aad, m->aad_len, m->ct, m->ct_len,
                                     m->tag,
                                     m->tag_len) == HWAEAD_ERR_TAG_LENGTH);
    if (valid && CHECK(m->tag_len <= BLOCK)) {
        CHECK(gcm_start(key, &msg, m->iv, m->iv_len) == HWAEAD_OK);
        CHECK(gcm_aad(key, &msg, m->aad, m->aad_len) == HWAEAD_OK);
        CHECK(gcm_decrypt(key, &msg, out, m->ct, m->ct_len) == HWAEAD_OK);
        gcm_finish(key, &msg, tag);
        CHECK_BYTES(out, m->pt, m->ct_len);
        CHECK_BYTES(tag, m->tag, m->tag_len);
    }
    free(out);
}

static void check_case(const struct kernel *kernel, const struct message *m, bool valid)
{
    hwaead_gcm_key key;
    tier_key(&key, kernel, m->key, m->key_len);
    if (!tag_len_is_legal(m->tag_len)) {
        check_odd_tag(&key, m, valid);
        return;
    }
    uint8_t *out = malloc(m->ct_len), tag[BLOCK]; /* exact, for ASan */
    memset(out, 0xa5, m->ct_len);
    hwaead_err err = hwaead_gcm_open_with_nonce(&key, out, m->iv, m->iv_len, m->aad, m->aad_len, m->ct,
                                                m->ct_len,
                                                m->tag, m->tag_len);
    if (valid) {
        CHECK(err == HWAEAD_OK);
        if (CHECK(m->pt != NULL && m->pt_len == m->ct_len))
            CHECK_BYTES(out, m->pt, m->ct_len);
        err = hwaead_gcm_seal_with_nonce(&key, out, tag, m->tag_len, m->iv, m->iv_len, m->aad, m->aad_len,
                                         m->pt,
                                         m->pt_len);
        CHECK(err == HWAEAD_OK);
        CHECK_BYTES(out, m->ct, m->ct_len);
        CHECK_BYTES(tag, m->tag, m->tag_len);
    } else if (m->iv_len == 0) {
        CHECK(err == HWAEAD_ERR_NONCE_LENGTH);
        CHECK(all_bytes(out, m->ct_len, 0xa5));
    } else {
        CHECK(err == HWAEAD_ERR_AUTH);
        CHECK(all_bytes(out, m->ct_len, 0));
    }
    free(out);
}

static size_t run_file(const struct kernel *kernel, const char *dir, const char *file)
{
    struct vectors *v = vectors_open(dir, file);
    while (vectors_next(v)) {
        struct message m = {.pt = NULL};
        m.key = vectors_hex(v, "key", &m.key_len);
        m.iv = vectors_hex(v, "iv", &m.iv_len);
        m.aad = vectors_hex(v, "aad", &m.aad_len);
        m.ct = vectors_hex(v, "ct", &m.ct_len);
        m.tag = vectors_hex(v, "tag", &m.tag_len);
        if (vectors_has(v, "pt"))
            m.pt = vectors_hex(v, "pt", &m.pt_len);
        char alg[32];
        check_note("%s", vectors_where(v));
        snprintf(alg, sizeof alg, "AES-%zu-GCM", 8 * m.key_len);
        if (CHECK(strcmp(vectors_text(v, "alg"), alg) == 0))
            check_case(kernel, &m, vectors_valid(v));
    }
    size_t count = vectors_count(v);
    check_note("%s: %zu cases, the manifest has %zu", file, count, vectors_expected(dir, file));
    CHECK(count == vectors_expected(dir, file));
    vectors_close(v);
    return count;
}

int main(int argc, char **argv)
{
    const struct kernel *kernel = tier_from_args(argc, argv);
    const char *dir = vectors_dir(), *file;
    if (dir == NULL)
        return vectors_missing();
    size_t cases = 0, files = 0;
    for (; (file = vectors_file(dir, "aes_gcm.", files)) != NULL; files++)
        cases += run_file(kernel, dir, file);
    check_note("no files");
    CHECK(files > 0);
    printf("%zu cases of %zu files\n", cases, files);
    return check_done();
}
