/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- AES ---- */

/* FIPS 197, 4.2: bytes are polynomials modulo x^8 + x^4 + x^3 + x + 1. */
static uint8_t xtime(uint8_t a)
{
    return (uint8_t)((a << 1) ^ ((a & 0x80) != 0 ? 0x1b : 0));
}

static uint8_t byte_mul(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (int bit = 0; bit < 8; bit++) {
        if ((b >> bit & 1) != 0)
            product ^= a;
        a = xtime(a);
    }
    return product;
}

/* FIPS 197, 5.1.1: the inverse (found by trying), then the affine map, bit by bit. */
static uint8_t sub_byte(uint8_t a)
{
    uint8_t inverse = 0;
    for (unsigned b = 1; b < 256; b++)
        if (byte_mul(a, (uint8_t)b) == 1)
            inverse = (uint8_t)b;
    uint8_t out = 0;
    for (int i = 0; i < 8; i++) {
        int bit = inverse >> i ^ inverse >> (i + 4) % 8 ^ inverse >> (i + 5) % 8 ^ inverse >> (i + 6) % 8 ^
                  inverse >> (i + 7) % 8 ^ 0x63 >> i;
        out |= (uint8_t)((bit & 1) << i);
    }
    return out;
}

static uint8_t sbox[256];

__attribute__((constructor)) static void compute_sbox(void)
{
    for (unsigned a = 0; a < 256; a++)
        sbox[a] = sub_byte((uint8_t)a);
}

/* FIPS 197, 5.2. Words are four bytes of rk. */
void ref_aes_init(struct ref_aes *aes, const uint8_t *key, size_t key_len)
{
    size_t nk = key_len / 4;
    if (key_len != 16 && key_len != 24 && key_len != 32)
        abort();
    memset(aes, 0, sizeof *aes);
    aes->rounds = (unsigned)nk + 6;
    memcpy(aes->rk, key, key_len);
    uint8_t rcon = 1;
    for (size_t i = nk; i < 4 * ((size_t)aes->rounds + 1); i++) {
        uint8_t w[4];
        memcpy(w, aes->rk + 4 * (i - 1), 4);
        if (i % nk == 0) {
            uint8_t first = w[0];
            w[0] = sbox[w[1]] ^ rcon;
            w[1] = sbox[w[2]];
            w[2] = sbox[w[3]];
            w[3] = sbox[first];
            rcon = xtime(rcon);
        } else if (nk > 6 && i % nk == 4) {
            for (int j = 0; j < 4; j++)
                w[j] = sbox[w[j]];
        }
        for (size_t j = 0; j < 4; j++)
            aes->rk[4 * i + j] = aes->rk[4 * (i - nk) + j] ^ w[j];
    }
}

/* FIPS 197, 5.1. The state is in the order of its bytes: s[4 * column + row]. */
void ref_aes_state(const struct ref_aes *aes, unsigned n, uint8_t out[REF_BLOCK], const uint8_t in[REF_BLOCK])
{
    uint8_t s[REF_BLOCK], t[REF_BLOCK];
    for (size_t i = 0; i < REF_BLOCK; i++)
        s[i] = in[i] ^ aes->rk[i];
    for (unsigned round = 1; round <= n; round++) {
        for (size_t column = 0; column < 4; column++) /* SubBytes, ShiftRows */
            for (size_t row = 0; row < 4; row++)
                t[4 * column + row] = sbox[s[4 * ((column + row) % 4) + row]];
        for (size_t i = 0; i < REF_BLOCK; i++) {
            size_t column = i / 4, row = i % 4;
            const uint8_t *c = t + 4 * column;
            s[i] = round == aes->rounds ? c[row] /* MixColumns, but for the last round */
                                        : (uint8_t)(xtime(c[row]) ^ xtime(c[(row + 1) % 4]) ^
                                                    c[(row + 1) % 4] ^
                                                    c[(row + 2) % 4] ^ c[(row + 3) % 4]);
            s[i] ^= aes->rk[REF_BLOCK * round + i];
        }
    }
    memcpy(out, s, REF_BLOCK);
}

void ref_aes_encrypt(const struct ref_aes *aes, uint8_t out[REF_BLOCK], const uint8_t in[REF_BLOCK])
{
    ref_aes_state(aes, aes->rounds, out, in);
}

/* ---- GHASH's field ---- */

static uint64_t load_be64(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return v;
}

static void store_be64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (56 - 8 * i));
}

/* SP 800-38D, algorithm 1; left is the half with x^0 in its top bit. */
void ref_gf_mul(uint8_t out[REF_BLOCK], const uint8_t a[REF_BLOCK], const uint8_t b[REF_BLOCK])
{
    uint64_t x[2] = {load_be64(a), load_be64(a + 8)};
    uint64_t z_left = 0, z_right = 0, v_left = load_be64(b), v_right = load_be64(b + 8);
    for (unsigned i = 0; i < 128; i++) {
        if ((x[i / 64] >> (63 - i % 64) & 1) != 0) {
            z_left ^= v_left;
            z_right ^= v_right;
        }
        uint64_t last = v_right & 1;
        v_right = v_right >> 1 | v_left << 63;
        v_left = v_left >> 1 ^ (last != 0 ? UINT64_C(0xe1) << 56 : 0);
    }
    store_be64(out, z_left);
    store_be64(out + 8, z_right);
}

/* a^(2^128 - 2) = a^2 * a^4 * ... * a^(2^127). */
void ref_gf_inverse(uint8_t out[REF_BLOCK], const uint8_t a[REF_BLOCK])
{
    uint8_t square[REF_BLOCK], product[REF_BLOCK] = {0x80};
    memcpy(square, a, REF_BLOCK);
    for (int i = 1; i < 128; i++) {
        ref_gf_mul(square, square, square);
        ref_gf_mul(product, product, square);
    }
    memcpy(out, product, REF_BLOCK);
}

void ref_ghash(uint8_t y[REF_BLOCK], const uint8_t h[REF_BLOCK], const uint8_t *in, size_t nblocks)
{
    for (size_t i = 0; i < nblocks; i++) {
        for (size_t j = 0; j < REF_BLOCK; j++)
            y[j] ^= in[REF_BLOCK * i + j];
        ref_gf_mul(y, y, h);
    }
}

/* Zero-padded to whole blocks. */
static void ghash_padded(uint8_t y[REF_BLOCK], const uint8_t h[REF_BLOCK], const uint8_t *in, size_t len)
{
    size_t whole = len / REF_BLOCK;
    ref_ghash(y, h, in, whole);
    if (len % REF_BLOCK != 0) {
        uint8_t last[REF_BLOCK] = {0};
        memcpy(last, in + REF_BLOCK * whole, len % REF_BLOCK);
        ref_ghash(y, h, last, 1);
    }
}

/* ---- GCM ---- */

void ref_gcm_init(struct ref_gcm *key, const uint8_t *key_bytes, size_t key_len)
{
    static const uint8_t zero[REF_BLOCK];
    ref_aes_init(&key->aes, key_bytes, key_len);
    ref_aes_encrypt(&key->aes, key->h, zero);
}

void ref_gcm_j0(const struct ref_gcm *key, uint8_t j0[REF_BLOCK], const uint8_t *nonce, size_t nonce_len)
{
    memset(j0, 0, REF_BLOCK);
    if (nonce_len == 12) {
        memcpy(j0, nonce, 12);
        j0[15] = 1;
        return;
    }
    uint8_t lengths[REF_BLOCK] = {0};
    store_be64(lengths + 8, 8 * (uint64_t)nonce_len);
    ghash_padded(j0, key->h, nonce, nonce_len);
    ref_ghash(j0, key->h, lengths, 1);
}

/* J0 = (nonce * H + lengths) * H. */
void ref_gcm_nonce_for_j0(const struct ref_gcm *key, uint8_t nonce[REF_BLOCK], const uint8_t j0[REF_BLOCK])
{
    uint8_t inverse[REF_BLOCK];
    ref_gf_inverse(inverse, key->h);
    ref_gf_mul(nonce, j0, inverse);
    nonce[15] ^= 128;
    ref_gf_mul(nonce, nonce, inverse);
}

void ref_gcm_keystream(const struct ref_gcm *key, uint8_t *out, size_t nblocks, const uint8_t j0[REF_BLOCK],
                       uint32_t first)
{
    uint32_t start = (uint32_t)j0[12] << 24 | (uint32_t)j0[13] << 16 | (uint32_t)j0[14] << 8 | j0[15];
    for (size_t i = 0; i < nblocks; i++) {
        uint32_t c = start + first + (uint32_t)i; /* modulo 2^32 */
        uint8_t block[REF_BLOCK];
        memcpy(block, j0, 12);
        for (int j = 0; j < 4; j++)
            block[12 + j] = (uint8_t)(c >> (24 - 8 * j));
        ref_aes_encrypt(&key->aes, out + REF_BLOCK * i, block);
    }
}

void ref_gcm_seal(const struct ref_gcm *key, uint8_t *out, uint8_t tag[REF_BLOCK], const uint8_t *nonce,
                  size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t in_len)
{
    uint8_t j0[REF_BLOCK], stream[REF_BLOCK], y[REF_BLOCK] = {0}, lengths[REF_BLOCK];
    ref_gcm_j0(key, j0, nonce, nonce_len);
    for (size_t i = 0; i < in_len; i++) {
        if (i % REF_BLOCK == 0)
            ref_gcm_keystream(key, stream, 1, j0, (uint32_t)(1 + i / REF_BLOCK));
        out[i] = in[i] ^ stream[i % REF_BLOCK];
    }
    ghash_padded(y, key->h, aad, aad_len);
    ghash_padded(y, key->h, out, in_len);
    store_be64(lengths, 8 * (uint64_t)aad_len);
    store_be64(lengths + 8, 8 * (uint64_t)in_len);
    ref_ghash(y, key->h, lengths, 1);
    ref_gcm_keystream(key, stream, 1, j0, 0);
    for (size_t i = 0; i < REF_BLOCK; i++)
        tag[i] = y[i] ^ stream[i];
}

/* ---- POLYVAL: bit i of the block, little endian, is the coefficient of x^i ---- */

static uint64_t load_le64(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static void store_le64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

/* The field's polynomial is P = x^128 + x^127 + x^126 + x^121 + 1. 128 times: add b where a has its bit, divide
 * by x; an odd sum gets P added first, which makes it even and has x^120, x^125, x^126, x^127 after the shift. */
void ref_dot(uint8_t out[REF_BLOCK], const uint8_t a[REF_BLOCK], const uint8_t b[REF_BLOCK])
{
    uint64_t x[2] = {load_le64(a), load_le64(a + 8)};
    uint64_t b_low = load_le64(b), b_high = load_le64(b + 8), low = 0, high = 0;
    for (unsigned i = 0; i < 128; i++) {
        if ((x[i / 64] >> i % 64 & 1) != 0) {
            low ^= b_low;
            high ^= b_high;
        }
        uint64_t odd = low & 1;
        low = low >> 1 | high << 63;
        high = high >> 1 ^ (odd != 0 ? UINT64_C(0xe1) << 56 : 0);
    }
    store_le64(out, low);
    store_le64(out + 8, high);
}

void ref_mulx_polyval(uint8_t out[REF_BLOCK], const uint8_t a[REF_BLOCK])
{
    uint64_t low = load_le64(a), high = load_le64(a + 8);
    uint64_t over = high >> 63;
    high = high << 1 | low >> 63;
    low <<= 1;
    if (over != 0) {/* x^128 = x^127 + x^126 + x^121 + 1 */
        low ^= 1;
        high ^= UINT64_C(1) << 63 | UINT64_C(1) << 62 | UINT64_C(1) << 57;
    }
    store_le64(out, low);
    store_le64(out + 8, high);
}

void ref_polyval(uint8_t y[REF_BLOCK], const uint8_t h[REF_BLOCK], const uint8_t *in, size_t nblocks)
{
    for (size_t i = 0; i < nblocks; i++) {
        for (size_t j = 0; j < REF_BLOCK; j++)
            y[j] ^= in[REF_BLOCK * i + j];
        ref_dot(y, y, h);
    }
}

/* Appendix A: the POLYVAL key of the GHASH key h is mulX_POLYVAL(ByteReverse(h)). */
void ref_polyval_powers(uint8_t *out, size_t n, const uint8_t ghash_key[REF_BLOCK])
{
    uint8_t h[REF_BLOCK];
    for (size_t i = 0; i < REF_BLOCK; i++)
        h[i] = ghash_key[REF_BLOCK - 1 - i];
    ref_mulx_polyval(h, h);
    memcpy(out + REF_BLOCK * (n - 1), h, REF_BLOCK);
    for (size_t i = n - 1; i > 0; i--)
        ref_dot(out + REF_BLOCK * (i - 1), out + REF_BLOCK * i, h);
}

/* ---- GCM-SIV ---- */

/* RFC 8452, section 4: n keys of 8 bytes, from counter `first` on. */
static void siv_derive(uint8_t *out, const struct ref_aes *aes, const uint8_t nonce[12], unsigned first,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t block[REF_BLOCK] = {(uint8_t)(first + i)};
        memcpy(block + 4, nonce, 12);
        ref_aes_encrypt(aes, block, block);
        memcpy(out + 8 * i, block, 8);
    }
}

static void polyval_padded(uint8_t y[REF_BLOCK], const uint8_t h[REF_BLOCK], const uint8_t *in, size_t len)
{
    size_t whole = len / REF_BLOCK;
    ref_polyval(y, h, in, whole);
    if (len % REF_BLOCK != 0) {
        uint8_t last[REF_BLOCK] = {0};
        memcpy(last, in + REF_BLOCK * whole, len % REF_BLOCK);
        ref_polyval(y, h, last, 1);
    }
}

void ref_siv_seal(uint8_t *out, uint8_t tag[REF_BLOCK], const uint8_t *key, size_t key_len,
                  const uint8_t nonce[12], const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t in_len)
{
    struct ref_aes aes;
    uint8_t auth[16], enc[32], s[REF_BLOCK] = {0}, lengths[REF_BLOCK], ctr[REF_BLOCK], stream[REF_BLOCK];
    ref_aes_init(&aes, key, key_len);
    siv_derive(auth, &aes, nonce, 0, 2);
    siv_derive(enc, &aes, nonce, 2, key_len / 8);
    ref_aes_init(&aes, enc, key_len);

    polyval_padded(s, auth, aad, aad_len);
    polyval_padded(s, auth, in, in_len);
    store_le64(lengths, 8 * (uint64_t)aad_len);
    store_le64(lengths + 8, 8 * (uint64_t)in_len);
    ref_polyval(s, auth, lengths, 1);
    for (int i = 0; i < 12; i++)
        s[i] ^= nonce[i];
    s[15] &= 0x7f;
    ref_aes_encrypt(&aes, tag, s);

    memcpy(ctr, tag, REF_BLOCK);
    ctr[15] |= 0x80;
    for (size_t i = 0; i < in_len; i++) {
        if (i % REF_BLOCK == 0) {
            ref_aes_encrypt(&aes, stream, ctr);
            uint32_t c = (uint32_t)load_le64(ctr) + 1; /* the first 4 bytes, modulo 2^32 */
            for (int j = 0; j < 4; j++)
                ctr[j] = (uint8_t)(c >> 8 * j);
        }
        out[i] = in[i] ^ stream[i % REF_BLOCK];
    }
}
