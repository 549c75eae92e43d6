/* SPDX-License-Identifier: Apache-2.0
 *
 * Tier vaes512: VAES and VPCLMULQDQ on 512-bit vectors.
 */
#include "bytes.h"
#include "kernel.h"
#include "lane_x86.h"
#include "secret.h"

enum { LANES = 4, NVEC = 8, AMID = 5, REGISTERS = 32 };
typedef __m512i vec;

INLINE vec from_block(__m128i x) { return _mm512_zextsi128_si512(x); }
INLINE __m128i to_block(vec v) { return _mm512_castsi512_si128(v); }
INLINE __mmask64 first_bytes(size_t n) { return ~UINT64_C(0) >> (64 - n); } /* n = 1..64 */

INLINE vec vec_zero(void) { return _mm512_setzero_si512(); }
INLINE vec vec_load(const uint8_t *p) { return _mm512_loadu_si512(p); }
INLINE void vec_store(uint8_t *p, vec v) { _mm512_storeu_si512(p, v); }
INLINE vec vec_load1(const uint8_t *p) { return from_block(block_load(p)); }
INLINE void vec_store1(uint8_t *p, vec v) { block_store(p, to_block(v)); }
INLINE vec vec_dup(const uint8_t *p) { return _mm512_broadcast_i32x4(block_load(p)); }
INLINE vec vec_dup0(vec v) { return _mm512_broadcast_i32x4(to_block(v)); }
INLINE vec vec_u64x2(uint64_t lo, uint64_t hi)
{
    return from_block(_mm_set_epi64x((long long)hi, (long long)lo));
}
INLINE vec vec_dup_low(uint64_t x)
{
    return _mm512_setr_epi64((long long)x, 0, (long long)x, 0, (long long)x, 0, (long long)x, 0);
}

INLINE vec vec_lane(vec v, size_t i)
{
    const __m512i index = _mm512_setr_epi64(0, 1, 0, 0, 0, 0, 0, 0);
    return _mm512_permutexvar_epi64(_mm512_add_epi64(index, _mm512_set1_epi64((long long)(2 * i))), v);
}

INLINE vec vec_dup_lane(vec v, unsigned i)
{
    const __m512i index = _mm512_setr_epi64(0, 1, 0, 1, 0, 1, 0, 1);
    return _mm512_permutexvar_epi64(_mm512_add_epi64(index, _mm512_set1_epi64((long long)(2 * i))), v);
}

INLINE vec vec_sum_lanes(vec v)
{
    __m256i x = _mm256_xor_si256(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
    return from_block(_mm_xor_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
}

INLINE vec vec_load_n(const uint8_t *p, size_t n) { return _mm512_maskz_loadu_epi8(first_bytes(n), p); }
INLINE void vec_store_n(uint8_t *p, vec v, size_t n) { _mm512_mask_storeu_epi8(p, first_bytes(n), v); }
INLINE vec vec_keep(vec v, size_t n)
{
    return n == 0 ? vec_zero() : _mm512_maskz_mov_epi8(first_bytes(n), v);
}

/* Masked accesses that reach into a page that is not there, even with nothing, take 100 ns and more; so these begin
 * at p. n = 0..48. */
INLINE vec vec_load_up(const uint8_t *p, size_t n)
{
    const __m512i up = _mm512_setr_epi64(0, 0, 0, 1, 2, 3, 4, 5);
    if (n == 48) {
        vec low = _mm512_inserti32x4(_mm512_setzero_si512(), block_load(p), 1);
        return _mm512_inserti64x4(low, _mm256_loadu_si256((const __m256i *)(const void *)(p + 16)), 1);
    }
    return n == 0 ? vec_zero()
                  : _mm512_maskz_permutexvar_epi64(0xfc, up, _mm512_maskz_loadu_epi8(first_bytes(n), p));
}
INLINE void vec_store_up(uint8_t *p, vec v, size_t n)
{
    const __m512i down = _mm512_setr_epi64(2, 3, 4, 5, 6, 7, 0, 0);
    if (n == 48) {
        block_store(p, _mm512_extracti32x4_epi32(v, 1));
        _mm256_storeu_si256((__m256i *)(void *)(p + 16), _mm512_extracti64x4_epi64(v, 1));
    } else if (n != 0) {
        _mm512_mask_storeu_epi8(p, first_bytes(n), _mm512_permutexvar_epi64(down, v));
    }
}
INLINE vec vec_at_lane(vec v, size_t i)
{
    return _mm512_maskz_permutexvar_epi64((__mmask8)(3 << 2 * i), _mm512_setr_epi64(0, 1, 0, 1, 0, 1, 0, 1), v);
}

INLINE vec vec_put_first(vec v, vec x) { return _mm512_mask_mov_epi64(v, 0x03, x); }
INLINE int vec_is_zero(vec v) { return _mm512_test_epi64_mask(v, v) == 0; }
INLINE vec vec_xor(vec a, vec b) { return _mm512_xor_si512(a, b); }
INLINE vec vec_and(vec a, vec b) { return _mm512_and_si512(a, b); }
INLINE vec vec_xor3(vec a, vec b, vec c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
INLINE void vec_tie(vec *a, const vec *b) { __asm__ volatile("" : "+v"(*a) : "v"(*b)); }
INLINE vec vec_swap64(vec v) { return _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4e); }
INLINE vec vec_byterev(vec v)
{
    const long long hi = 0x0001020304050607, lo = 0x08090a0b0c0d0e0f;
    return _mm512_shuffle_epi8(v, _mm512_setr_epi64(lo, hi, lo, hi, lo, hi, lo, hi));
}

INLINE vec vec_join(vec a, vec b, const unsigned k)
{
    return k == 1 ? _mm512_inserti32x4(a, to_block(b), 1) : _mm512_inserti64x4(a, _mm512_castsi512_si256(b), 1);
}
INLINE vec vec_low_halves(const vec *x, unsigned i)
{
    const long long at = 4 * (i % 2);
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(at, at + 2, 0, 0, 0, 0, 0, 0), x[i / 2]);
}
INLINE vec vec_lane_numbers(void) { return _mm512_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0); }
INLINE vec vec_dup_u32(uint32_t x) { return _mm512_broadcast_i32x4(_mm_setr_epi32((int)x, 0, 0, 0)); }
INLINE vec vec_be_count(vec v) { return vec_byterev(v); }
INLINE vec vec_be_count_of(uint32_t n) { return vec_dup_u32(n); }
INLINE uint32_t vec_be_count_first(vec v) { return (uint32_t)_mm_cvtsi128_si32(to_block(v)); }
INLINE vec vec_last_bytes(const unsigned n) { return _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0, 0, (int)(n << 24))); }
INLINE vec vec_counts_after_1(const unsigned k)
{
    return _mm512_setr_epi32(0, 0, 0, (int)(((k + 1) ^ 1) << 24), 0, 0, 0, (int)(((k + 2) ^ 1) << 24),
                             0, 0, 0, (int)(((k + 3) ^ 1) << 24), 0, 0, 0, (int)(((k + 4) ^ 1) << 24));
}
INLINE vec vec_add32(vec a, vec b) { return _mm512_add_epi32(a, b); }

INLINE vec aes_first(vec x, vec k) { return vec_xor(x, k); }
INLINE vec aes_round(vec x, vec k_prev, vec k) { (void)k_prev; return _mm512_aesenc_epi128(x, k); }
INLINE vec aes_last(vec x, vec k_prev, vec k) { (void)k_prev; return _mm512_aesenclast_epi128(x, k); }

INLINE vec clmul_00(vec a, vec b) { return _mm512_clmulepi64_epi128(a, b, 0x00); }
INLINE vec clmul_01(vec a, vec b) { return _mm512_clmulepi64_epi128(a, b, 0x01); }
INLINE vec clmul_10(vec a, vec b) { return _mm512_clmulepi64_epi128(a, b, 0x10); }
INLINE vec clmul_11(vec a, vec b) { return _mm512_clmulepi64_epi128(a, b, 0x11); }

#include "kernel_body.h"

/* Up to SHORT bytes gain nothing from four lanes and pay for folding them, so they go through 256-bit vectors. */
enum { SHORT = 128 };
extern const struct kernel kernel_vaes512_short;

/* GCM without text does not: it may be nowhere, and there the masked accesses of that kernel take 100 ns and more. */
INLINE int is_short_text(size_t len) { return len - 1 < SHORT; }

static hwaead_err gcm_seal_any(const struct gcm_key *key, uint8_t *out, uint8_t tag[BLOCK], const uint8_t nonce[12],
                               const uint8_t *in, size_t len, const uint8_t *aad, size_t aad_len)
{
    return is_short_text(len) ? kernel_vaes512_short.gcm_seal(key, out, tag, nonce, in, len, aad, aad_len)
                              : gcm_seal_whole(key, out, tag, nonce, in, len, aad, aad_len);
}

static hwaead_err gcm_open_any(const struct gcm_key *key, uint8_t *out, const uint8_t nonce[12],
                               const uint8_t tag[BLOCK], const uint8_t *aad, size_t aad_len, const uint8_t *in,
                               size_t len)
{
    return is_short_text(len) ? kernel_vaes512_short.gcm_open(key, out, nonce, tag, aad, aad_len, in, len)
                              : gcm_open_whole(key, out, nonce, tag, aad, aad_len, in, len);
}

static void gcm_encrypt_any(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                            size_t len)
{
    if (len <= SHORT)
        kernel_vaes512_short.gcm_encrypt(key, msg, out, in, len);
    else
        gcm_encrypt_text(key, msg, out, in, len);
}

static void gcm_decrypt_any(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                            size_t len)
{
    if (len <= SHORT)
        kernel_vaes512_short.gcm_decrypt(key, msg, out, in, len);
    else
        gcm_decrypt_text(key, msg, out, in, len);
}

static void gcm_encrypt_alone_any(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                                  size_t len)
{
    if (len <= SHORT)
        kernel_vaes512_short.gcm_encrypt_alone(key, msg, out, in, len);
    else
        gcm_encrypt_alone(key, msg, out, in, len);
}

static void gcm_decrypt_alone_any(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                                  size_t len)
{
    if (len <= SHORT)
        kernel_vaes512_short.gcm_decrypt_alone(key, msg, out, in, len);
    else
        gcm_decrypt_alone(key, msg, out, in, len);
}

static hwaead_err siv_seal_any(const struct siv_key *key, uint8_t *out, const uint8_t nonce[SIV_NONCE],
                               const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len, uint8_t tag[BLOCK])
{
    return len <= SHORT ? kernel_vaes512_short.siv_seal(key, out, nonce, aad, aad_len, in, len, tag)
                        : siv_seal_whole(key, out, nonce, aad, aad_len, in, len, tag);
}

static hwaead_err siv_open_any(const struct siv_key *key, uint8_t *out, const uint8_t nonce[SIV_NONCE],
                               const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len,
                               const uint8_t tag[BLOCK])
{
    return len <= SHORT ? kernel_vaes512_short.siv_open(key, out, nonce, aad, aad_len, in, len, tag)
                        : siv_open_whole(key, out, nonce, aad, aad_len, in, len, tag);
}

static void siv_seal_text_any(struct siv_msg *msg, uint8_t *out, uint8_t tag[BLOCK], const uint8_t *in, size_t len)
{
    if (len <= SHORT)
        kernel_vaes512_short.siv_seal_text(msg, out, tag, in, len);
    else
        siv_seal_text(msg, out, tag, in, len);
}

static void siv_open_text_any(struct siv_msg *msg, uint8_t *out, uint8_t tag[BLOCK], const uint8_t *in, size_t len)
{
    if (len <= SHORT)
        kernel_vaes512_short.siv_open_text(msg, out, tag, in, len);
    else
        siv_open_text(msg, out, tag, in, len);
}

const struct kernel kernel_vaes512 = {
    .name = "vaes512",
    .tier = HWAEAD_TIER_VAES512,
    .gcm_key_init = gcm_setup_key,
    .ghash = gcm_ghash,
    .gcm_seal = gcm_seal_any,
    .gcm_open = gcm_open_any,
    .gcm_encrypt = gcm_encrypt_any,
    .gcm_decrypt = gcm_decrypt_any,
    .gcm_encrypt_alone = gcm_encrypt_alone_any,
    .gcm_decrypt_alone = gcm_decrypt_alone_any,
    .gcm_alone = GCM_FEW_BYTES,
    .gcm_finish = gcm_make_tag,
    .aes_expand = expand,
    .aes_block = encrypt_block,
    .key_stream = key_stream,
    .siv_seal = siv_seal_any,
    .siv_open = siv_open_any,
    .siv_derive = siv_derive_keys,
    .siv_polyval = siv_polyval,
    .siv_seal_text = siv_seal_text_any,
    .siv_open_text = siv_open_text_any,
};
