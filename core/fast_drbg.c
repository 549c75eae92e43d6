/* SPDX-License-Identifier: Apache-2.0 */
#include "fast_drbg.h"

/* What is left when it is too short for the request is lost: it is overwritten. */
static hwaead_err fill(struct fast_drbg *f)
{
    static const struct drbg_input none;
    hwaead_err err = drbg_generate(&f->drbg, f->buffer, sizeof f->buffer, none);
    if (err == HWAEAD_OK)
        f->left = sizeof f->buffer;
    return err;
}

hwaead_err fast_generate(struct fast_drbg *f, uint8_t *out, size_t len, struct drbg_input addin)
{
    if (addin.len != 0 || len > FAST_MAX_BUFFERED || len == 0) {
        hwaead_err err = drbg_generate(&f->drbg, out, len, addin);
        if (err == HWAEAD_OK && addin.len != 0)
            fast_discard(f);
        return err;
    }
    if (len > f->left) {
        hwaead_err err = fill(f);
        if (err != HWAEAD_OK)
            return err;
    }
    fast_take(f, out, len);
    return HWAEAD_OK;
}

void fast_discard(struct fast_drbg *f)
{
    secret_wipe(f->buffer + sizeof f->buffer - f->left, f->left);
    f->left = 0;
}

void fast_uninstantiate(struct fast_drbg *f)
{
    secret_wipe(f, sizeof *f);
}
