/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast generator: CTR_DRBG (drbg.h) whose output for many small requests is made by one large request ahead of
 * time. Bytes are erased from the buffer as they are handed out, so that the state never tells what was given out.
 * One request of the DRBG's, and of its reseed_counter, is one filling of the buffer.
 *
 * It has no entropy source, no clock and no lock. The owner seeds f->drbg, and calls fast_discard whenever what the
 * DRBG made before must not be given out any more: at a reseed, after a fork, for prediction resistance.
 */
#ifndef HWAEAD_CORE_FAST_DRBG_H
#define HWAEAD_CORE_FAST_DRBG_H

#include "bytes.h"
#include "drbg.h"
#include "secret.h"

enum {
    FAST_BUFFER = 4096,
    FAST_MAX_BUFFERED = FAST_BUFFER / 8 /* longer requests go to the DRBG itself */
};

/* Copyable by assignment, but two copies give out the same bytes. All zeros: not instantiated. */
struct fast_drbg {
    struct drbg drbg;
    uint32_t left;               /* the last bytes of buffer that wait to be given out; the rest is zeros */
    uint8_t buffer[FAST_BUFFER];
};

/* Whether a request without additional input is served by the buffer as it is. */
static inline int fast_waits(const struct fast_drbg *f, size_t len)
{
    return len != 0 && len <= f->left && len <= FAST_MAX_BUFFERED;
}

/* Copies bytes[0 .. len) and erases them; up to 32 by two pieces that may overlap, without a call or a loop. */
static inline void move_and_erase(uint8_t *out, uint8_t *bytes, size_t len)
{
    if (len > 2 * BLOCK) {
        memcpy(out, bytes, len);
        secret_wipe(bytes, len);
    } else if (len >= BLOCK) {
        uint8_t first[BLOCK], last[BLOCK];
        memcpy(first, bytes, BLOCK);
        memcpy(last, bytes + len - BLOCK, BLOCK);
        memcpy(out, first, BLOCK);
        memcpy(out + len - BLOCK, last, BLOCK);
        secret_wipe(bytes, BLOCK);
        secret_wipe(bytes + len - BLOCK, BLOCK);
    } else {
        const struct u64x2 zeros = {0, 0};
        store_part(out, load_part(bytes, len), len);
        store_part(bytes, zeros, len);
    }
}

/* len <= f->left bytes, f->left not 0. Short code where len is a constant. */
static inline void fast_take(struct fast_drbg *f, uint8_t *out, size_t len)
{
    uint8_t *bytes = f->buffer + sizeof f->buffer - f->left;
    f->left -= (uint32_t)len;
    move_and_erase(out, bytes, len);
}

/* Writes len <= DRBG_MAX_REQUEST bytes. With additional input, or a long request, the DRBG serves it itself; with
 * additional input the buffer is forgotten, too. Errors as drbg_generate's: then out and *f are as they were. */
hwaead_err fast_generate(struct fast_drbg *f, uint8_t *out, size_t len, struct drbg_input addin);

/* Wipes what waits in the buffer. */
void fast_discard(struct fast_drbg *f);

/* Wipes all of it. */
void fast_uninstantiate(struct fast_drbg *f);

#endif
