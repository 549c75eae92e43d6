/* SPDX-License-Identifier: Apache-2.0
 *
 * CTR_DRBG on one tier: all ctr_drbg.*.txt vector files, the carries of V, the limits, what is refused, what is
 * wiped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "drbg.h"
#include "memory.h"
#include "tier.h"
#include "vectors.h"

static const struct kernel *kernel;
static const struct drbg_input none;

/* ---- Vectors ---- */

static struct drbg_input field(struct vectors *v, const char *name)
{
    struct drbg_input in;
    in.bytes = vectors_hex(v, name, &in.len);
    return in;
}

/* The field whose name ends with the number of the call. */
static struct drbg_input numbered(struct vectors *v, const char *name, unsigned number)
{
    char full[32];
    snprintf(full, sizeof full, "%s%u", name, number);
    return field(v, full);
}

static bool one_case(struct vectors *v)
{
    struct drbg d;
    const bool pr = vectors_number(v, "pr") == 1;
    const struct drbg_input want = field(v, "out");
    uint8_t *out = malloc(want.len); /* exact, for ASan */
    char *ops = strdup(vectors_text(v, "ops")), *rest = NULL;
    unsigned gens = 0;
    memset(&d, 0x5a, sizeof d);
    bool good = CHECK(drbg_instantiate(&d, kernel, vectors_number(v, "df") == 1, field(v, "entropy"),
                                       field(v, "nonce"), field(v, "pers")) == HWAEAD_OK);
    for (const char *op = strtok_r(ops, " ", &rest); op != NULL; op = strtok_r(NULL, " ", &rest)) {
        if (strcmp(op, "reseed") == 0) {
            good &= CHECK(drbg_reseed(&d, field(v, "entropy_reseed"), field(v, "addin_reseed")) == HWAEAD_OK);
            good &= CHECK(d.reseed_counter == 1);
            continue;
        }
        good &= CHECK(strcmp(op, "gen") == 0);
        struct drbg_input addin = numbered(v, "addin", ++gens);
        if (pr) {
            good &= CHECK(drbg_reseed(&d, numbered(v, "entropy_pr", gens), addin) == HWAEAD_OK);
            addin = none;
        }
        good &= CHECK(drbg_generate(&d, out, want.len, addin) == HWAEAD_OK);
    }
    good &= CHECK(gens > 0);
    good &= CHECK_BYTES(out, want.bytes, want.len);
    drbg_uninstantiate(&d);
    free(out);
    free(ops);
    return good;
}

static void vector_files(const char *dir)
{
    size_t cases = 0, files = 0;
    for (const char *file; (file = vectors_file(dir, "ctr_drbg.", files)) != NULL; files++) {
        struct vectors *v = vectors_open(dir, file);
        size_t passed = 0;
        while (vectors_next(v)) {
            check_note("%s", vectors_where(v));
            if (CHECK(strcmp(vectors_text(v, "alg"), "AES-256-CTR-DRBG") == 0))
                passed += one_case(v);
        }
        check_note("%s: %zu passed, the manifest has %zu", file, passed, vectors_expected(dir, file));
        CHECK(passed == vectors_expected(dir, file));
        cases += passed;
        vectors_close(v);
    }
    check_note("no files");
    CHECK(files > 0);
    printf("%zu cases of %zu files\n", cases, files);
}

/* ---- Against a model: 10.2.1.5, one block at a time ---- */

enum { KEY_AND_V = DRBG_KEY_LEN + BLOCK };

static void add_one(uint8_t v[BLOCK])
{
    for (int i = BLOCK - 1; i >= 0 && ++v[i] == 0; i--) {
    }
}

/* out = the next len bytes; kv = Key || V, becomes the next one. No additional input. */
static void model(uint8_t kv[KEY_AND_V], uint8_t *out, size_t len)
{
    struct aes_schedule key;
    uint8_t block[BLOCK], next[KEY_AND_V];
    kernel->aes_expand(&key, kv, AES_MAX_ROUNDS);
    for (size_t done = 0; done < len; done += BLOCK) {
        add_one(kv + DRBG_KEY_LEN);
        kernel->aes_block(&key, AES_MAX_ROUNDS, block, kv + DRBG_KEY_LEN);
        memcpy(out + done, block, len - done < BLOCK ? len - done : BLOCK);
    }
    for (int i = 0; i < KEY_AND_V; i += BLOCK) {
        add_one(kv + DRBG_KEY_LEN);
        kernel->aes_block(&key, AES_MAX_ROUNDS, next + i, kv + DRBG_KEY_LEN);
    }
    memcpy(kv, next, sizeof next);
}

static struct drbg_input of(const uint8_t *bytes, size_t n)
{
    return (struct drbg_input){ bytes, n };
}

/* A state with the Key and V that we want. */
static void set(struct drbg *d, const uint8_t kv[KEY_AND_V])
{
    static const uint8_t zeros[DRBG_SEED_LEN];
    CHECK(drbg_instantiate(d, kernel, 0, of(zeros, sizeof zeros), none, none) == HWAEAD_OK);
    kernel->aes_expand(&d->key, kv, AES_MAX_ROUNDS);
    memcpy(d->v, kv + DRBG_KEY_LEN, BLOCK);
}

/* V starts shortly before each boundary over which it can carry. */
static void carries(void)
{
    static const size_t lens[] = {0, 1, 15, 16, 17, 31, 32, 33, 48, 64, 79, 80, 81, 95, 96, 97, 128, 255, 256, 257,
                                   511, 512, 513, 1000, 1023, 1024, 1025, 4096, 4099, 65535, 65536};
    static uint8_t out[DRBG_MAX_REQUEST + 1], want[DRBG_MAX_REQUEST];
    struct rng rng = {90};
    for (size_t bits = 8; bits <= 128; bits += 8)
        for (unsigned before = 0; before < 40; before++)
            for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
                const size_t len = lens[i];
                if (len > 1100 && !(bits % 32 == 0 && before % 13 == 0))
                    continue;
                uint8_t kv[KEY_AND_V];
                struct drbg d;
                rng_fill(&rng, kv, sizeof kv);
                memset(kv + KEY_AND_V - bits / 8, 0xff, bits / 8);
                kv[KEY_AND_V - 1] = (uint8_t)(0xff - before);
                set(&d, kv);
                check_note("%zu bytes, carry over %zu bits after %u blocks", len, bits, before);
                memset(out, 0xa5, len + 1);
                CHECK(drbg_generate(&d, out, len, none) == HWAEAD_OK);
                model(kv, want, len);
                CHECK_BYTES(out, want, len);
                CHECK(out[len] == 0xa5);
                CHECK_BYTES(d.v, kv + DRBG_KEY_LEN, BLOCK);
                CHECK(drbg_generate(&d, out, 64, none) == HWAEAD_OK);
                model(kv, want, 64);
                CHECK_BYTES(out, want, 64);
                CHECK(d.reseed_counter == 3);
            }
}

/* ---- Limits and refusals ---- */

static bool same(const struct drbg *a, const struct drbg *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void lengths(void)
{
    static uint8_t bytes[200];
    struct rng rng = {91};
    rng_fill(&rng, bytes, sizeof bytes);
    for (int df = 0; df < 2; df++)
        for (size_t entropy = 0; entropy <= 100; entropy++)
            for (size_t nonce = 0; nonce <= 40; nonce++) {
                struct drbg d;
                const bool legal = df ? entropy >= 32 && nonce >= 16 : entropy == 48 && nonce == 0;
                check_note("df %d, entropy %zu, nonce %zu", df, entropy, nonce);
                memset(&d, 0x5a, sizeof d);
                CHECK(drbg_instantiate(&d, kernel, df, of(bytes, entropy), of(bytes, nonce), none) ==
                      (legal ? HWAEAD_OK : HWAEAD_ERR_ARGUMENT));
                CHECK(legal ? d.kernel == kernel && d.reseed_counter == 1 : all_bytes(&d, sizeof d, 0));
            }
    for (int df = 0; df < 2; df++) {
        struct drbg d, before;
        uint8_t out[32], kept[32];
        const struct drbg_input good = of(bytes, df ? 32 : 48), nonce = of(bytes, df ? 16 : 0);
        for (size_t n = 0; n <= 100; n++) {
            const bool legal = df || n <= 48, legal_entropy = df ? n >= 32 : n == 48;
            check_note("df %d, other inputs of %zu", df, n);
            CHECK(drbg_instantiate(&d, kernel, df, good, nonce, of(bytes, n)) ==
                  (legal ? HWAEAD_OK : HWAEAD_ERR_ARGUMENT));
            CHECK(drbg_instantiate(&d, kernel, df, good, nonce, none) == HWAEAD_OK);
            before = d;
            CHECK(drbg_reseed(&d, of(bytes, n), none) == (legal_entropy ? HWAEAD_OK : HWAEAD_ERR_ARGUMENT));
            CHECK(same(&d, &before) == !legal_entropy);
            before = d;
            CHECK(drbg_reseed(&d, good, of(bytes, n)) == (legal ? HWAEAD_OK : HWAEAD_ERR_ARGUMENT));
            CHECK(same(&d, &before) == !legal);
            before = d;
            memset(out, 0x77, sizeof out);
            memcpy(kept, out, sizeof out);
            CHECK(drbg_generate(&d, out, sizeof out, of(bytes, n)) == (legal ? HWAEAD_OK : HWAEAD_ERR_ARGUMENT));
            CHECK(same(&d, &before) == !legal && (memcmp(out, kept, sizeof out) == 0) == !legal);
        }
    }
}

/* Lengths that nobody has memory for: nothing of them is touched. */
static void huge_inputs(void)
{
    static const uint8_t bytes[48] = {1};
    const struct drbg_input good = {bytes, 32}, nonce = {bytes, 16}, empty = {NULL, 0};
    static const size_t huge[] = {(size_t)DRBG_MAX_INPUT + 1, (size_t)1 << 32, SIZE_MAX};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        const struct drbg_input bad = {bytes, huge[i]};
        struct drbg d, before;
        uint8_t out[16];
        check_note("%zu bytes", huge[i]);
        CHECK(drbg_instantiate(&d, kernel, 1, bad, nonce, empty) == HWAEAD_ERR_ARGUMENT);
        CHECK(drbg_instantiate(&d, kernel, 1, good, bad, empty) == HWAEAD_ERR_ARGUMENT);
        CHECK(drbg_instantiate(&d, kernel, 1, good, nonce, bad) == HWAEAD_ERR_ARGUMENT);
        CHECK(all_bytes(&d, sizeof d, 0));
        CHECK(drbg_instantiate(&d, kernel, 1, good, nonce, empty) == HWAEAD_OK);
        before = d;
        CHECK(drbg_reseed(&d, bad, empty) == HWAEAD_ERR_ARGUMENT);
        CHECK(drbg_reseed(&d, good, bad) == HWAEAD_ERR_ARGUMENT);
        CHECK(drbg_generate(&d, out, sizeof out, bad) == HWAEAD_ERR_ARGUMENT);
        CHECK(drbg_generate(&d, out, huge[i], empty) == HWAEAD_ERR_ARGUMENT);
        CHECK(same(&d, &before));
    }
}

static void limits(void)
{
    static uint8_t out[DRBG_MAX_REQUEST + 1];
    static const uint8_t bytes[48] = {1};
    struct drbg d, before;
    const struct drbg_input entropy = {bytes, 48};

    check_note("a request too long");
    CHECK(drbg_instantiate(&d, kernel, 0, entropy, none, none) == HWAEAD_OK);
    before = d;
    memset(out, 0x77, sizeof out);
    CHECK(drbg_generate(&d, out, DRBG_MAX_REQUEST + 1, none) == HWAEAD_ERR_ARGUMENT);
    CHECK(same(&d, &before) && all_bytes(out, sizeof out, 0x77));
    CHECK(drbg_generate(&d, out, DRBG_MAX_REQUEST, none) == HWAEAD_OK);
    CHECK(out[DRBG_MAX_REQUEST] == 0x77 && d.reseed_counter == 2);
    CHECK(drbg_generate(&d, NULL, 0, none) == HWAEAD_OK && d.reseed_counter == 3);

    check_note("the last requests before a reseed");
    d.reseed_counter = DRBG_MAX_REQUESTS;
    memset(out, 0x77, 16);
    CHECK(drbg_generate(&d, out, 16, none) == HWAEAD_OK && !all_bytes(out, 16, 0x77));
    before = d;
    memset(out, 0x77, 16);
    CHECK(drbg_generate(&d, out, 16, none) == HWAEAD_ERR_ENTROPY);
    CHECK(same(&d, &before) && all_bytes(out, 16, 0x77));
    CHECK(drbg_reseed(&d, entropy, none) == HWAEAD_OK && d.reseed_counter == 1);
    CHECK(drbg_generate(&d, out, 16, none) == HWAEAD_OK);

    check_note("not instantiated");
    memset(&d, 0x5a, sizeof d);
    drbg_uninstantiate(&d);
    CHECK(all_bytes(&d, sizeof d, 0));
    memset(out, 0x77, 16);
    CHECK(drbg_generate(&d, out, 16, none) == HWAEAD_ERR_NO_KEY && all_bytes(out, 16, 0x77));
    CHECK(drbg_generate(&d, out, 0, none) == HWAEAD_ERR_NO_KEY);
    CHECK(drbg_reseed(&d, entropy, none) == HWAEAD_ERR_NO_KEY && all_bytes(&d, sizeof d, 0));
}

/* Each bit of each input changes each block of the output. */
static void sensitivity(void)
{
    uint8_t bytes[96], first[64], other[64];
    struct rng rng = {92};
    rng_fill(&rng, bytes, sizeof bytes);
    for (int df = 0; df < 2; df++) {
        const size_t entropy = df ? 32 : 48, nonce = df ? 16 : 0, pers = 32;
        struct drbg d;
        CHECK(drbg_instantiate(&d, kernel, df, of(bytes, entropy), of(bytes + entropy, nonce),
                               of(bytes + 48, pers)) == HWAEAD_OK);
        CHECK(drbg_generate(&d, first, sizeof first, none) == HWAEAD_OK);
        for (size_t bit = 0; bit < 8 * (48 + pers); bit++) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            CHECK(drbg_instantiate(&d, kernel, df, of(bytes, entropy), of(bytes + entropy, nonce),
                                   of(bytes + 48, pers)) == HWAEAD_OK);
            CHECK(drbg_generate(&d, other, sizeof other, none) == HWAEAD_OK);
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            check_note("df %d, bit %zu", df, bit);
            for (size_t at = 0; at < sizeof first; at += BLOCK)
                CHECK(memcmp(first + at, other + at, BLOCK) != 0);
        }
    }
}

int main(int argc, char **argv)
{
    kernel = tier_from_args(argc, argv);
    carries();
    lengths();
    huge_inputs();
    limits();
    sensitivity();
    const char *dir = vectors_dir();
    if (dir == NULL) {
        const int missing = vectors_missing(), failed = check_done();
        return failed != 0 ? failed : missing;
    }
    vector_files(dir);
    return check_done();
}
