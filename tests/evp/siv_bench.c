/* SPDX-License-Identifier: Apache-2.0 */
#include "siv.h"

#include <string.h>

#include "reference.h"

const char *const siv_name[NKEYS] = {"AES-128-GCM-SIV", "AES-192-GCM-SIV", "AES-256-GCM-SIV"};

const EVP_CIPHER *siv(int k)
{
    static EVP_CIPHER *fetched[NKEYS];
    if (fetched[k] == NULL)
        fetched[k] = EVP_CIPHER_fetch(lib, siv_name[k], subject_is_default ? "provider=default" : "provider=hwaead");
    CHECK(fetched[k] != NULL);
    return fetched[k];
}

void siv_reference(const struct msg *m, uint8_t *out, uint8_t tag[16])
{
    ref_siv_seal(out, tag, m->key, (size_t)(16 + 8 * m->k), m->iv, m->aad, m->aad_len, m->text, m->len);
}

bool siv_works(EVP_CIPHER_CTX *x, int k)
{
    struct msg m = rnd_msg(k, 12, 13, 100);
    uint8_t got[100], want[100], got_tag[16], want_tag[16];
    siv_reference(&m, want, want_tag);
    bool sealed = begin(x, NULL, &m, 1) > 0 && aad(x, m.aad, 13) && update(x, got, m.text, 100) && finish(x) &&
                  get_tag(x, got_tag, 16) > 0 && memcmp(got, want, 100) == 0 && memcmp(got_tag, want_tag, 16) == 0;
    return sealed && init_iv(x, m.iv, 0) > 0 && set_tag(x, want_tag, 16) > 0 && aad(x, m.aad, 13) &&
           update(x, got, want, 100) && finish(x) && memcmp(got, m.text, 100) == 0;
}
