/* SPDX-License-Identifier: Apache-2.0
 *
 * What the public functions of all modes check, and in which order they report it.
 */
#ifndef HWAEAD_CORE_API_H
#define HWAEAD_CORE_API_H

#include <hwaead/hwaead.h>

#include "bytes.h"
#include "kernel.h"
#include "secret.h"

/* What a message is made of besides its text. */
struct api_inputs {
    const uint8_t *nonce;
    size_t nonce_len;
    const uint8_t *aad;
    size_t aad_len;
};

/* Whether [p, p + n) touches an input other than the text. */
INLINE int overlaps_inputs(const uint8_t *p, size_t n, const struct api_inputs *inputs)
{
    return overlaps(p, n, inputs->nonce, inputs->nonce_len) || overlaps(p, n, inputs->aad, inputs->aad_len);
}

INLINE int missing(const void *p, size_t n)
{
    return p == NULL && n != 0;
}

/* Whether [a, a + n) and [b, b + m) surely share no byte: exact when neither is empty. */
INLINE int apart(const void *a, size_t n, const void *b, size_t m)
{
    return (uintptr_t)b >= (uintptr_t)a + n || (uintptr_t)b + m <= (uintptr_t)a;
}

/* What nearly every call is like that has a nonce of 12 bytes and a whole tag: a key, some text of at most 4 GiB, and
 * buffers that are apart or in place. Costs half as much as finding out what is wrong with a call that is not. */
INLINE int api_usual(const void *key, size_t key_size, const uint8_t *out, const uint8_t *nonce, const uint8_t *aad,
                     size_t aad_len, const uint8_t *in, size_t len, const uint8_t *tag)
{
    return key != NULL && *(const struct kernel *const *)key != NULL && ((len - 1) | aad_len) >> 32 == 0 &&
           out != NULL && nonce != NULL && in != NULL && tag != NULL && (aad_len == 0 || aad != NULL) &&
           (out == in || apart(out, len, in, len)) && apart(out, len, nonce, 12) && apart(out, len, aad, aad_len) &&
           apart(out, len, tag, BLOCK) && apart(out, len, key, key_size);
}

/* The same of the tag that sealing writes. */
INLINE int api_usual_tag(const void *key, size_t key_size, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                         const uint8_t *in, size_t len, const uint8_t *tag)
{
    return apart(tag, BLOCK, nonce, 12) && apart(tag, BLOCK, aad, aad_len) && apart(tag, BLOCK, in, len) &&
           apart(tag, BLOCK, key, key_size);
}

/* The kernel for a new key in storage[0 .. size) of which need bytes are used; on an error that storage is wiped. */
INLINE hwaead_err api_new_key(const struct kernel **kernel, void *storage, size_t size, size_t need,
                                     const uint8_t *key_bytes, size_t key_len, hwaead_tier tier)
{
    if (storage == NULL || size < need)
        return HWAEAD_ERR_ARGUMENT;
    hwaead_err err = HWAEAD_OK;
    *kernel = kernel_of(tier);
    if (key_bytes == NULL)
        err = HWAEAD_ERR_ARGUMENT;
    else if (*kernel == NULL)
        err = kernel_runnable(0) == NULL ? HWAEAD_ERR_CPU : HWAEAD_ERR_TIER;
    else if (overlaps(storage, need, key_bytes, key_len))
        return HWAEAD_ERR_OVERLAP;
    if (err != HWAEAD_OK)
        secret_wipe(storage, need);
    return err;
}

/* What needs no knowledge of the mode: pointers, a key that is set (its first member is its kernel). */
INLINE hwaead_err api_check_pointers(const void *key, const uint8_t *out, const struct api_inputs *inputs,
                                            const uint8_t *in, size_t len, const uint8_t *tag, size_t tag_len)
{
    if (key == NULL || missing(out, len) || missing(inputs->nonce, inputs->nonce_len) ||
        missing(inputs->aad, inputs->aad_len) || missing(in, len) || missing(tag, tag_len))
        return HWAEAD_ERR_ARGUMENT;
    const struct kernel *kernel;
    memcpy(&kernel, key, sizeof kernel);
    return kernel == NULL ? HWAEAD_ERR_NO_KEY : HWAEAD_OK;
}

/* The text result against everything that is read. */
INLINE hwaead_err api_check_out(const void *key, size_t key_size, const uint8_t *out,
                                       const struct api_inputs *inputs, const uint8_t *in, size_t len,
                                       const uint8_t *tag, size_t tag_len)
{
    return overlaps_partly(out, in, len) || overlaps_inputs(out, len, inputs) || overlaps(out, len, tag, tag_len) ||
                   overlaps(out, len, key, key_size)
               ? HWAEAD_ERR_OVERLAP
               : HWAEAD_OK;
}

/* The tag that sealing writes against everything that is read. */
INLINE hwaead_err api_check_tag_out(const void *key, size_t key_size, const uint8_t *tag, size_t tag_len,
                                           const struct api_inputs *inputs, const uint8_t *in, size_t len)
{
    return overlaps_inputs(tag, tag_len, inputs) || overlaps(tag, tag_len, in, len) ||
                   overlaps(tag, tag_len, key, key_size)
               ? HWAEAD_ERR_OVERLAP
               : HWAEAD_OK;
}

/* A sealed message in one piece, nonce || text || tag, at out: against everything that is read. The text may be
 * in place. */
INLINE hwaead_err api_check_whole(const void *key, size_t key_size, const uint8_t *out, size_t overhead,
                                         const struct api_inputs *inputs, const uint8_t *in, size_t len)
{
    return overlaps(out, len + overhead, inputs->aad, inputs->aad_len) ||
                   overlaps(out, len + overhead, key, key_size) ||
                   (in != out + inputs->nonce_len && overlaps(out, len + overhead, in, len))
               ? HWAEAD_ERR_OVERLAP
               : HWAEAD_OK;
}

#endif
