/* SPDX-License-Identifier: Apache-2.0
 *
 * libgcrypt, whose GCM-SIV since 1.10 wants a reset before each message and the tag before it decrypts.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include <gcrypt.h>

#if GCRYPT_VERSION_NUMBER >= 0x010a00
enum { MODE_GCM = GCRY_CIPHER_MODE_GCM, MODE_SIV = GCRY_CIPHER_MODE_GCM_SIV };
#else
enum { MODE_GCM = GCRY_CIPHER_MODE_GCM, MODE_SIV = 0 };
#endif

struct gcrypt {
    gcry_cipher_hd_t cipher;
    bool siv;
    size_t key_len;
    const uint8_t *aad;
    size_t aad_len;
};

static bool set_tag(struct gcrypt *s, const uint8_t *tag)
{
    uint8_t copy[TAG_LEN];

    memcpy(copy, tag, TAG_LEN);
    return gcry_cipher_ctl(s->cipher, GCRYCTL_SET_DECRYPTION_TAG, copy, TAG_LEN) == 0;
}

static bool begin(struct gcrypt *s, const uint8_t *nonce)
{
    return (!s->siv || gcry_cipher_reset(s->cipher) == 0)
           && gcry_cipher_setiv(s->cipher, nonce, NONCE_LEN) == 0
           && gcry_cipher_authenticate(s->cipher, s->aad, s->aad_len) == 0;
}

static bool gcrypt_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                        size_t len)
{
    struct gcrypt *s = state;

    return begin(s, nonce) && gcry_cipher_encrypt(s->cipher, out, len, in, len) == 0
           && gcry_cipher_gettag(s->cipher, tag, TAG_LEN) == 0;
}

static bool gcrypt_open(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce,
                        const uint8_t *in, size_t len)
{
    struct gcrypt *s = state;

    return begin(s, nonce) && (!s->siv || set_tag(s, tag))
           && gcry_cipher_decrypt(s->cipher, out, len, in, len) == 0
           && gcry_cipher_checktag(s->cipher, tag, TAG_LEN) == 0;
}

static bool gcrypt_key(void *state, const uint8_t *key)
{
    struct gcrypt *s = state;

    return gcry_cipher_setkey(s->cipher, key, s->key_len) == 0;
}

static void gcrypt_teardown(struct peer *self)
{
    struct gcrypt *s = self->state;

    gcry_cipher_close(s->cipher);
    free(s);
}

static const char *gcrypt_setup(struct peer *self, const struct job *job)
{
    int algo = job->alg->key_len == 16 ? GCRY_CIPHER_AES128
               : job->alg->key_len == 24 ? GCRY_CIPHER_AES192 : GCRY_CIPHER_AES256;
    bool siv = job->alg->family == FAMILY_SIV;
    struct gcrypt *s;

    if (siv && MODE_SIV == 0)
        return "it has GCM-SIV since 1.10";
    if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
        gcry_check_version(NULL);
        gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
        gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    }
    s = calloc(1, sizeof *s);
    if (s == NULL)
        return "no memory";
    s->siv = siv;
    s->key_len = job->alg->key_len;
    s->aad = job->aad;
    s->aad_len = job->aad_len;
    if (gcry_cipher_open(&s->cipher, algo, siv ? MODE_SIV : MODE_GCM, 0) != 0) {
        free(s);
        return "it refused the cipher";
    }
    self->state = s;
    if (!gcrypt_key(s, job->key)) {
        gcrypt_teardown(self);
        return "it refused the key";
    }
    snprintf(self->version, sizeof self->version, "libgcrypt %s", gcry_check_version(NULL));
    return NULL;
}

void peer_gcrypt(struct peer *p)
{
    p->setup = gcrypt_setup;
    p->teardown = gcrypt_teardown;
    p->seal = gcrypt_seal;
    p->open = gcrypt_open;
    p->key = gcrypt_key;
}
