/* SPDX-License-Identifier: Apache-2.0
 *
 * intel-ipsec-mb by its direct API, on the best code path it picks. Compiles with version 1.3 and later.
 */
#include "bench.h"

#include <stdlib.h>

#include <intel-ipsec-mb.h>

struct ipsecmb {
    struct gcm_key_data key;
    struct gcm_context_data msg;
    IMB_MGR *mgr;
    aes_gcm_pre_t pre;
    aes_gcm_enc_dec_t enc, dec;
    const uint8_t *aad;
    size_t aad_len;
};

static bool ipsecmb_seal(void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
                         size_t len)
{
    struct ipsecmb *s = state;

    s->enc(&s->key, &s->msg, out, in, len, nonce, s->aad, s->aad_len, tag, TAG_LEN);
    return true;
}

/* The library leaves the comparison to its caller. */
static bool ipsecmb_open(void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce,
                         const uint8_t *in, size_t len)
{
    struct ipsecmb *s = state;
    uint8_t computed[TAG_LEN];
    unsigned diff = 0;

    s->dec(&s->key, &s->msg, out, in, len, nonce, s->aad, s->aad_len, computed, TAG_LEN);
    for (size_t i = 0; i < TAG_LEN; i++)
        diff |= (unsigned)(computed[i] ^ tag[i]);
    return diff == 0;
}

static bool ipsecmb_key(void *state, const uint8_t *key)
{
    struct ipsecmb *s = state;

    s->pre(key, &s->key);
    return true;
}

static void ipsecmb_teardown(struct peer *self)
{
    struct ipsecmb *s = self->state;

    free_mb_mgr(s->mgr);
    free(s);
}

static void choose(struct ipsecmb *s, size_t key_len)
{
    IMB_MGR *m = s->mgr;

    s->pre = key_len == 16 ? m->gcm128_pre : key_len == 24 ? m->gcm192_pre : m->gcm256_pre;
    s->enc = key_len == 16 ? m->gcm128_enc : key_len == 24 ? m->gcm192_enc : m->gcm256_enc;
    s->dec = key_len == 16 ? m->gcm128_dec : key_len == 24 ? m->gcm192_dec : m->gcm256_dec;
}

static const char *arch_name(IMB_ARCH arch)
{
    switch (arch) {
    case IMB_ARCH_SSE: return "SSE";
    case IMB_ARCH_AVX2: return "AVX2";
    case IMB_ARCH_AVX512: return "AVX-512";
    default: return "another path";
    }
}

static const char *ipsecmb_setup(struct peer *self, const struct job *job)
{
    struct ipsecmb *s;
    IMB_ARCH arch = IMB_ARCH_NONE;

    if (job->alg->family != FAMILY_GCM)
        return "it has no such mode";
    s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    if (s == NULL)
        return "no memory";
    s->aad = job->aad;
    s->aad_len = job->aad_len;
    s->mgr = alloc_mb_mgr(0);
    if (s->mgr == NULL) {
        free(s);
        return "no memory";
    }
    self->state = s;
    init_mb_mgr_auto(s->mgr, &arch);
    if (arch == IMB_ARCH_NONE) {
        ipsecmb_teardown(self);
        return "it does not run on this CPU";
    }
    choose(s, job->alg->key_len);
    ipsecmb_key(s, job->key);
    snprintf(self->version, sizeof self->version, "intel-ipsec-mb %s, %s", imb_get_version_str(), arch_name(arch));
    return NULL;
}

void peer_ipsecmb(struct peer *p)
{
    p->setup = ipsecmb_setup;
    p->teardown = ipsecmb_teardown;
    p->seal = ipsecmb_seal;
    p->open = ipsecmb_open;
    p->key = ipsecmb_key;
}
