/* SPDX-License-Identifier: Apache-2.0 */
#include "drbg.h"

#include "bytes.h"
#include "secret.h"

enum { ROUNDS = 14, SEED_BLOCKS = DRBG_SEED_LEN / BLOCK };

_Static_assert(sizeof(struct drbg) <= 320, "state is small");

/* V = V + n modulo 2^128. */
static void add_to_v(uint8_t v[BLOCK], uint64_t n)
{
    uint64_t hi = load_be64(v), lo = load_be64(v + 8) + n;
    store_be64(v, hi + (lo < n));
    store_be64(v + 8, lo);
}

/* out[0 .. len) = E(Key, V + 1) || E(Key, V + 2) || ...; V moves on. A kernel counts in 32 bits, so it is called
 * again where the carry goes further. */
static void key_stream(struct drbg *d, uint8_t *out, size_t len)
{
    while (len != 0) {
        add_to_v(d->v, 1);
        uint64_t until_carry = (UINT64_C(1) << 32) - (uint32_t)load_be64(d->v + 8);
        size_t n = len <= until_carry * BLOCK ? len : (size_t)until_carry * BLOCK;
        d->kernel->key_stream(&d->key, ROUNDS, out, d->v, n);
        add_to_v(d->v, (n + BLOCK - 1) / BLOCK - 1);
        out += n;
        len -= n;
    }
}

/* The end of CTR_DRBG_Update (10.2.1.2): temp, the next three blocks of key stream, and the provided data become
 * Key and V. NULL provides zeros. Wipes temp. */
static void take_key(struct drbg *d, uint8_t temp[DRBG_SEED_LEN], const uint8_t *provided)
{
    if (provided != NULL)
        for (int i = 0; i < DRBG_SEED_LEN; i++)
            temp[i] ^= provided[i];
    d->kernel->aes_expand(&d->key, temp, ROUNDS);
    store_halves(d->v, load_halves(temp + DRBG_KEY_LEN));
    secret_wipe(temp, DRBG_SEED_LEN);
}

static void update(struct drbg *d, const uint8_t *provided)
{
    uint8_t temp[DRBG_SEED_LEN];
    key_stream(d, temp, sizeof temp);
    take_key(d, temp, provided);
}

/* ---- Derivation function (10.3.2) ------------------------------------------------------------------------- */

/* A CBC-MAC that takes its message in pieces (BCC, 10.3.3). */
struct bcc {
    const struct kernel *kernel;
    const struct aes_schedule *key;
    uint8_t chain[BLOCK];
    size_t used; /* bytes of the present block that are in chain already */
};

static void bcc_absorb(struct bcc *b, const uint8_t *in, size_t len)
{
    for (; len != 0; in++, len--) {
        b->chain[b->used++] ^= *in;
        if (b->used == BLOCK) {
            b->kernel->aes_block(b->key, ROUNDS, b->chain, b->chain);
            b->used = 0;
        }
    }
}

/* seed = Block_Cipher_df(inputs, DRBG_SEED_LEN). */
static void derive(const struct kernel *kernel, uint8_t seed[DRBG_SEED_LEN], const struct drbg_input *inputs,
                   size_t n)
{
    static const uint8_t end[BLOCK] = {0x80};
    uint8_t key_bytes[DRBG_KEY_LEN], header[8], temp[DRBG_SEED_LEN];
    struct aes_schedule key;
    size_t total = 0;

    for (unsigned i = 0; i < sizeof key_bytes; i++)
        key_bytes[i] = (uint8_t)i;
    kernel->aes_expand(&key, key_bytes, ROUNDS);
    for (size_t i = 0; i < n; i++)
        total += inputs[i].len;
    store_be32(header, (uint32_t)total);
    store_be32(header + 4, DRBG_SEED_LEN);

    for (unsigned i = 0; i < SEED_BLOCKS; i++) {
        struct bcc b = {.kernel = kernel, .key = &key};
        uint8_t iv[BLOCK] = {0, 0, 0, (uint8_t)i};
        bcc_absorb(&b, iv, sizeof iv);
        bcc_absorb(&b, header, sizeof header);
        for (size_t j = 0; j < n; j++)
            bcc_absorb(&b, inputs[j].bytes, inputs[j].len);
        bcc_absorb(&b, end, BLOCK - b.used);
        memcpy(temp + BLOCK * i, b.chain, BLOCK);
        secret_wipe(&b, sizeof b);
    }
    kernel->aes_expand(&key, temp, ROUNDS);
    uint8_t *x = temp + DRBG_KEY_LEN;
    for (unsigned i = 0; i < SEED_BLOCKS; i++) {
        kernel->aes_block(&key, ROUNDS, x, x);
        memcpy(seed + BLOCK * i, x, BLOCK);
    }
    secret_wipe(&key, sizeof key);
    secret_wipe(temp, sizeof temp);
}

/* ---- Seed material ---------------------------------------------------------------------------------------- */

static int input_ok(const struct drbg *d, struct drbg_input in)
{
    return in.len <= (d->use_df ? (size_t)DRBG_MAX_INPUT : (size_t)DRBG_SEED_LEN);
}

static int entropy_ok(const struct drbg *d, struct drbg_input entropy)
{
    return d->use_df ? entropy.len >= DRBG_MIN_ENTROPY && entropy.len <= DRBG_MAX_INPUT
                     : entropy.len == DRBG_SEED_LEN;
}

/* The inputs as DRBG_SEED_LEN bytes: derived from them in their order, or else their sum, zero padded. */
static void make_seed(const struct drbg *d, uint8_t seed[DRBG_SEED_LEN], const struct drbg_input *inputs, size_t n)
{
    if (d->use_df) {
        derive(d->kernel, seed, inputs, n);
        return;
    }
    memset(seed, 0, DRBG_SEED_LEN);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < inputs[i].len; j++)
            seed[j] ^= inputs[i].bytes[j];
}

static void seed_with(struct drbg *d, const struct drbg_input *inputs, size_t n)
{
    uint8_t seed[DRBG_SEED_LEN];
    make_seed(d, seed, inputs, n);
    update(d, seed);
    d->reseed_counter = 1;
    secret_wipe(seed, sizeof seed);
}

hwaead_err drbg_instantiate(struct drbg *d, const struct kernel *kernel, int use_df, struct drbg_input entropy,
                            struct drbg_input nonce, struct drbg_input pers)
{
    static const uint8_t zero_key[DRBG_KEY_LEN];
    drbg_uninstantiate(d);
    d->use_df = use_df;
    int nonce_ok = use_df ? nonce.len >= DRBG_MIN_NONCE && nonce.len <= DRBG_MAX_INPUT : nonce.len == 0;
    if (!entropy_ok(d, entropy) || !nonce_ok || !input_ok(d, pers)) {
        drbg_uninstantiate(d);
        return HWAEAD_ERR_ARGUMENT;
    }
    d->kernel = kernel;
    kernel->aes_expand(&d->key, zero_key, ROUNDS);
    const struct drbg_input inputs[] = {entropy, nonce, pers};
    seed_with(d, inputs, 3);
    return HWAEAD_OK;
}

hwaead_err drbg_reseed(struct drbg *d, struct drbg_input entropy, struct drbg_input addin)
{
    if (d->kernel == NULL)
        return HWAEAD_ERR_NO_KEY;
    if (!entropy_ok(d, entropy) || !input_ok(d, addin))
        return HWAEAD_ERR_ARGUMENT;
    const struct drbg_input inputs[] = {entropy, addin};
    seed_with(d, inputs, 2);
    return HWAEAD_OK;
}

/* ---- Output (10.2.1.5) ------------------------------------------------------------------------------------ */

hwaead_err drbg_generate(struct drbg *d, uint8_t *out, size_t len, struct drbg_input addin)
{
    enum { SMALL = 13 * BLOCK };
    uint8_t seed[DRBG_SEED_LEN], small[SMALL + DRBG_SEED_LEN];
    const uint8_t *provided = addin.len != 0 ? seed : NULL;

    if (d->kernel == NULL)
        return HWAEAD_ERR_NO_KEY;
    if (len > DRBG_MAX_REQUEST || !input_ok(d, addin))
        return HWAEAD_ERR_ARGUMENT;
    if (d->reseed_counter > DRBG_MAX_REQUESTS)
        return HWAEAD_ERR_ENTROPY;

    if (provided != NULL) {
        make_seed(d, seed, &addin, 1);
        update(d, seed);
    }
    if (len <= SMALL) { /* the output and the next Key and V in one flight */
        size_t whole = (len + BLOCK - 1) / BLOCK * BLOCK;
        key_stream(d, small, whole + DRBG_SEED_LEN);
        if (len != 0)
            memcpy(out, small, len);
        take_key(d, small + whole, provided);
        secret_wipe(small, whole);
    } else {
        key_stream(d, out, len);
        update(d, provided);
    }
    d->reseed_counter++;
    if (provided != NULL)
        secret_wipe(seed, sizeof seed);
    return HWAEAD_OK;
}

void drbg_uninstantiate(struct drbg *d)
{
    secret_wipe(d, sizeof *d);
}
