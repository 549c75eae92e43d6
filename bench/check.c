/* SPDX-License-Identifier: Apache-2.0
 *
 * Before anything is timed: does a peer do the work at all?
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static bool wrong(const struct peer *p, const struct job *job, size_t len, const char *what)
{
    fprintf(stderr, "hwaead-bench: %s is wrong with %s at %zu bytes: %s\n", p->name, job->alg->name, len,
            what);
    return false;
}

static bool check_size(const struct peer *p, const struct peer *ref, const struct job *job, size_t len,
                       uint8_t *const bufs[4])
{
    uint8_t *text = bufs[0], *expected = bufs[1], *sealed = bufs[2], *opened = bufs[3];
    uint8_t nonce[NONCE_LEN], expected_tag[TAG_LEN], tag[TAG_LEN] = { 0 };
    size_t flip = len > 0 ? len / 2 : 0;

    for (size_t i = 0; i < len; i++)
        text[i] = (uint8_t)(i * 31 + len);
    for (size_t i = 0; i < NONCE_LEN; i++)
        nonce[i] = (uint8_t)(len + i);
    memset(sealed, 0xa5, len);
    memset(opened, 0xa5, len);
    if (!ref->key(ref->state, job->key) || !ref->seal(ref->state, expected, expected_tag, nonce, text, len))
        return wrong(ref, job, len, "sealing failed");
    if (!p->key(p->state, job->key) || !p->seal(p->state, sealed, tag, nonce, text, len))
        return wrong(p, job, len, "sealing failed");
    if (memcmp(sealed, expected, len) != 0 || memcmp(tag, expected_tag, TAG_LEN) != 0)
        return wrong(p, job, len, "it seals otherwise than the first peer in the list");
    if (!p->open(p->state, opened, tag, nonce, sealed, len))
        return wrong(p, job, len, "it does not open what it sealed");
    if (memcmp(opened, text, len) != 0)
        return wrong(p, job, len, "it opens to another text");
    tag[15] ^= 1;
    if (p->open(p->state, opened, tag, nonce, sealed, len))
        return wrong(p, job, len, "it accepts a wrong tag");
    tag[15] ^= 1;
    if (len > 0) {
        sealed[flip] ^= 0x80;
        if (p->open(p->state, opened, tag, nonce, sealed, len))
            return wrong(p, job, len, "it accepts a changed message");
        sealed[flip] ^= 0x80;
    }
    if (p->rekey != NULL) {
        memset(sealed, 0, len);
        memset(tag, 0, TAG_LEN);
        if (!p->rekey(p->state, job->key, sealed, tag, nonce, text, len))
            return wrong(p, job, len, "sealing with a new key failed");
        if (memcmp(sealed, expected, len) != 0 || memcmp(tag, expected_tag, TAG_LEN) != 0)
            return wrong(p, job, len, "it seals otherwise with a new key");
    }
    return true;
}

bool peer_check(const struct peer *p, const struct peer *ref, const struct job *job, const size_t *sizes,
                size_t nsizes)
{
    static const size_t seams[] = { 0, 1, 15, 17, 127, 255, 257, 777, 1025 };
    size_t nseams = sizeof seams / sizeof *seams, longest = 2048;
    uint8_t *bufs[4] = { NULL };
    bool ok = true;

    for (size_t i = 0; i < nsizes; i++)
        longest = sizes[i] > longest ? sizes[i] : longest;
    for (size_t i = 0; i < 4; i++)
        ok &= (bufs[i] = malloc(longest)) != NULL;
    for (size_t i = p->no_empty ? 1 : 0; i < nseams && ok; i++)
        ok = check_size(p, ref, job, seams[i], bufs);
    for (size_t i = 0; i < nsizes && ok; i++)
        ok = (p->no_empty && sizes[i] == 0) || check_size(p, ref, job, sizes[i], bufs);
    for (size_t i = 0; i < 4; i++)
        free(bufs[i]);
    return ok;
}
