/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast generator on one tier: against the DRBG that it buffers, byte for byte; what is erased; what is refused.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "fast_drbg.h"
#include "memory.h"
#include "tier.h"

static const struct kernel *kernel;
static const struct drbg_input none;
static uint8_t out[DRBG_MAX_REQUEST + 1], want[DRBG_MAX_REQUEST];

/* f, with nothing in its buffer, and the same DRBG beside it. */
static void start(struct fast_drbg *f, struct drbg *twin, uint64_t seed)
{
    struct rng rng = {seed};
    uint8_t entropy[DRBG_SEED_LEN];
    rng_fill(&rng, entropy, sizeof entropy);
    memset(f, 0, sizeof *f);
    CHECK(drbg_instantiate(&f->drbg, kernel, 0, (struct drbg_input){entropy, sizeof entropy}, none, none) == HWAEAD_OK);
    *twin = f->drbg;
}

static bool erased(const struct fast_drbg *f)
{
    return f->left <= sizeof f->buffer && all_bytes(f->buffer, sizeof f->buffer - f->left, 0);
}

static bool holds(const struct fast_drbg *f, const uint8_t *bytes, size_t n)
{
    return memmem(f, sizeof *f, bytes, n) != NULL;
}

/* What f must give out: a buffer of our own, filled by the twin and read from its front. */
static void model(struct drbg *twin, uint8_t *buffer, size_t *used, uint8_t *bytes, size_t len)
{
    if (len == 0 || len > FAST_BUFFER / 8) {
        CHECK(drbg_generate(twin, bytes, len, none) == HWAEAD_OK);
        return;
    }
    if (FAST_BUFFER - *used < len) {
        CHECK(drbg_generate(twin, buffer, FAST_BUFFER, none) == HWAEAD_OK);
        *used = 0;
    }
    memcpy(bytes, buffer + *used, len);
    *used += len;
}

static void requests(void)
{
    struct fast_drbg f;
    struct drbg twin;
    struct rng rng = {7};
    static uint8_t buffer[FAST_BUFFER];
    size_t used = FAST_BUFFER, direct = 0, buffered = 0;
    start(&f, &twin, 1);
    for (unsigned i = 0; i < 30000; i++) {
        const size_t most = i % 97 == 0 ? (size_t)DRBG_MAX_REQUEST : i % 7 == 0 ? 1200 : 70;
        const size_t len = i == 5000 ? (size_t)DRBG_MAX_REQUEST : rng_below(&rng, most + 1);
        check_note("request %u of %zu bytes", i, len);
        memset(out, 0xa5, len + 1);
        CHECK(fast_generate(&f, out, len, none) == HWAEAD_OK);
        model(&twin, buffer, &used, want, len);
        CHECK_BYTES(out, want, len);
        CHECK(out[len] == 0xa5);
        CHECK(erased(&f) && (len < 16 || !holds(&f, out, 16)));
        CHECK(f.left == FAST_BUFFER - used && f.drbg.reseed_counter == twin.reseed_counter);
        CHECK(memcmp(f.drbg.v, twin.v, BLOCK) == 0);
        *(len > FAST_MAX_BUFFERED ? &direct : &buffered) += 1;
    }
    check_note("both ways were taken");
    CHECK(direct > 100 && buffered > 100);
}

/* Every length at every filling is in bounds: guarded memory on either side. */
static void places(void)
{
    struct guarded g = guarded_new(sizeof(struct fast_drbg) + 16);
    struct guarded text = guarded_new(FAST_MAX_BUFFERED);
    struct fast_drbg *f = (struct fast_drbg *)(void *)(guarded_end(&g, (sizeof *f + 15) / 16 * 16));
    struct drbg twin;
    for (size_t len = 1; len <= FAST_MAX_BUFFERED; len++) {
        start(f, &twin, len);
        uint8_t *at = guarded_end(&text, len);
        for (unsigned i = 0; i < 2 * FAST_BUFFER / FAST_MAX_BUFFERED; i++) {
            check_note("%zu bytes, time %u", len, i);
            CHECK(fast_generate(f, at, len, none) == HWAEAD_OK && erased(f));
        }
    }
    guarded_free(&g);
    guarded_free(&text);
}

static void additional_input(void)
{
    struct fast_drbg f;
    struct drbg twin;
    uint8_t bytes[DRBG_SEED_LEN], waiting[64];
    struct rng rng = {8};
    rng_fill(&rng, bytes, sizeof bytes);
    const size_t lens[] = {0, 1, 12, 32, FAST_MAX_BUFFERED, FAST_MAX_BUFFERED + 1, DRBG_MAX_REQUEST};
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        const struct drbg_input addin = {bytes, 1 + i * 7};
        check_note("additional input, %zu bytes", lens[i]);
        start(&f, &twin, 20 + i);
        CHECK(fast_generate(&f, out, 16, none) == HWAEAD_OK);
        CHECK(drbg_generate(&twin, want, FAST_BUFFER, none) == HWAEAD_OK);
        memcpy(waiting, f.buffer + 16, sizeof waiting);
        CHECK(memcmp(waiting, want + 16, sizeof waiting) == 0);
        CHECK(fast_generate(&f, out, lens[i], addin) == HWAEAD_OK);
        CHECK(drbg_generate(&twin, want, lens[i], addin) == HWAEAD_OK);
        CHECK_BYTES(out, want, lens[i]);
        CHECK(f.left == 0 && all_bytes(f.buffer, sizeof f.buffer, 0));
        CHECK(fast_generate(&f, out, 32, none) == HWAEAD_OK);
        CHECK(drbg_generate(&twin, want, FAST_BUFFER, none) == HWAEAD_OK);
        CHECK_BYTES(out, want, 32);
    }
}

static void discarding(void)
{
    struct fast_drbg f;
    struct drbg twin;
    for (unsigned taken = 0; taken <= 33; taken++) {
        start(&f, &twin, 50 + taken);
        check_note("discard with %u bytes taken", taken);
        CHECK(fast_generate(&f, out, taken, none) == HWAEAD_OK);
        CHECK(drbg_generate(&twin, want, taken == 0 ? 0 : FAST_BUFFER, none) == HWAEAD_OK);
        fast_discard(&f);
        CHECK(f.left == 0 && all_bytes(f.buffer, sizeof f.buffer, 0));
        fast_discard(&f);
        CHECK(fast_generate(&f, out, 12, none) == HWAEAD_OK);
        CHECK(drbg_generate(&twin, want, FAST_BUFFER, none) == HWAEAD_OK);
        CHECK_BYTES(out, want, 12);
    }
    fast_uninstantiate(&f);
    CHECK(all_bytes(&f, sizeof f, 0));
}

/* Refused: err, and neither out nor f has changed. */
static void refused(struct fast_drbg *f, size_t len, struct drbg_input addin, hwaead_err err)
{
    const struct fast_drbg before = *f;
    check_note("%zu bytes, %zu of additional input, %u left", len, addin.len, f->left);
    memset(out, 0x77, sizeof out);
    CHECK(fast_generate(f, out, len, addin) == err);
    CHECK(all_bytes(out, sizeof out, 0x77) && memcmp(f, &before, sizeof before) == 0);
}

static void refusals(void)
{
    static const uint8_t bytes[DRBG_SEED_LEN + 1] = {1};
    static const size_t lens[] = {0, 1, 12, FAST_MAX_BUFFERED, FAST_MAX_BUFFERED + 1, DRBG_MAX_REQUEST};
    struct fast_drbg f;
    struct drbg twin;
    memset(&f, 0, sizeof f);
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        refused(&f, lens[i], none, HWAEAD_ERR_NO_KEY);
        refused(&f, lens[i], (struct drbg_input){bytes, 3}, HWAEAD_ERR_NO_KEY);
    }
    for (int taken = 0; taken < 2; taken++) {
        start(&f, &twin, 80);
        CHECK(fast_generate(&f, out, taken ? 100 : 0, none) == HWAEAD_OK);
        refused(&f, DRBG_MAX_REQUEST + 1, none, HWAEAD_ERR_ARGUMENT);
        refused(&f, SIZE_MAX, none, HWAEAD_ERR_ARGUMENT);
        refused(&f, 12, (struct drbg_input){bytes, DRBG_SEED_LEN + 1}, HWAEAD_ERR_ARGUMENT); /* no df: too long */
    }
    f.drbg.reseed_counter = DRBG_MAX_REQUESTS + 1;
    check_note("a reseed is due");
    while (f.left >= 500)
        CHECK(fast_generate(&f, out, 500, none) == HWAEAD_OK);
    refused(&f, 500, none, HWAEAD_ERR_ENTROPY);
    refused(&f, 5000, none, HWAEAD_ERR_ENTROPY);
    refused(&f, 1, (struct drbg_input){bytes, 3}, HWAEAD_ERR_ENTROPY);
}

int main(int argc, char **argv)
{
    kernel = tier_from_args(argc, argv);
    requests();
    places();
    additional_input();
    discarding();
    refusals();
    return check_done();
}
