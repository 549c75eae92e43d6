/* SPDX-License-Identifier: Apache-2.0
 *
 * Tier vaes256: VAES and VPCLMULQDQ on 256-bit vectors.
 */
#include "bytes.h"
#include "kernel.h"
#include "lane_x86.h"
#include "secret.h"

enum { LANES = 2, NVEC = 4 };
typedef __m256i vec;

INLINE vec from_block(__m128i x) { return _mm256_zextsi128_si256(x); }
INLINE __m128i to_block(vec v) { return _mm256_castsi256_si128(v); }

INLINE vec vec_zero(void) { return _mm256_setzero_si256(); }
INLINE vec vec_load(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
INLINE void vec_store(uint8_t *p, vec v) { _mm256_storeu_si256((__m256i *)(void *)p, v); }
INLINE vec vec_load1(const uint8_t *p) { return from_block(block_load(p)); }
INLINE void vec_store1(uint8_t *p, vec v) { block_store(p, to_block(v)); }
INLINE vec vec_dup(const uint8_t *p) { return _mm256_broadcastsi128_si256(block_load(p)); }
INLINE vec vec_dup0(vec v) { return _mm256_broadcastsi128_si256(to_block(v)); }
INLINE vec vec_u64x2(uint64_t lo, uint64_t hi)
{
    return from_block(_mm_set_epi64x((long long)hi, (long long)lo));
}
INLINE vec vec_dup_low(uint64_t x) { return _mm256_setr_epi64x((long long)x, 0, (long long)x, 0); }

INLINE vec vec_lane(vec v, size_t i)
{
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 0, 0, 0, 0);
    return _mm256_permutevar8x32_epi32(v, _mm256_add_epi32(index, _mm256_set1_epi32((int)(4 * i))));
}

INLINE vec vec_sum_lanes(vec v)
{
    return from_block(_mm_xor_si128(to_block(v), _mm256_extracti128_si256(v, 1)));
}

INLINE __m128i block_load_part(const uint8_t *p, size_t n)
{
    struct u64x2 x = load_part(p, n);
    return _mm_set_epi64x((long long)x.hi, (long long)x.lo);
}

INLINE void block_store_part(uint8_t *p, __m128i x, size_t n)
{
    store_part(p, (struct u64x2){(uint64_t)_mm_cvtsi128_si64(x), (uint64_t)_mm_extract_epi64(x, 1)}, n);
}

INLINE vec vec_load_n(const uint8_t *p, size_t n)
{
    if (n == 32)
        return vec_load(p);
    if (n < 16)
        return from_block(block_load_part(p, n));
    return _mm256_inserti128_si256(vec_load1(p), block_load_part(p + 16, n - 16), 1);
}

INLINE void vec_store_n(uint8_t *p, vec v, size_t n)
{
    if (n == 32) {
        vec_store(p, v);
    } else if (n < 16) {
        block_store_part(p, to_block(v), n);
    } else {
        vec_store1(p, v);
        block_store_part(p + 16, _mm256_extracti128_si256(v, 1), n - 16);
    }
}

INLINE vec vec_keep(vec v, size_t n)
{
    const vec index = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                                       21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    return _mm256_and_si256(v, _mm256_cmpgt_epi8(_mm256_set1_epi8((char)n), index));
}

INLINE vec vec_load_up(const uint8_t *p, size_t n)
{
    return _mm256_inserti128_si256(vec_zero(), n == 16 ? block_load(p) : block_load_part(p, n), 1);
}
INLINE void vec_store_up(uint8_t *p, vec v, size_t n)
{
    if (n == 16)
        block_store(p, _mm256_extracti128_si256(v, 1));
    else
        block_store_part(p, _mm256_extracti128_si256(v, 1), n);
}
INLINE vec vec_at_lane(vec v, size_t i)
{
    return i == 0 ? v : _mm256_permute2x128_si256(v, v, 0x08);
}

INLINE vec vec_put_first(vec v, vec x) { return _mm256_blend_epi32(v, x, 0x0f); }
INLINE int vec_is_zero(vec v) { return _mm256_testz_si256(v, v); }
INLINE vec vec_xor(vec a, vec b) { return _mm256_xor_si256(a, b); }
INLINE vec vec_and(vec a, vec b) { return _mm256_and_si256(a, b); }
INLINE vec vec_xor3(vec a, vec b, vec c) { return vec_xor(vec_xor(a, b), c); }
INLINE void vec_tie(vec *a, const vec *b) { (void)a; (void)b; } /* no register to spare for order */
INLINE vec vec_swap64(vec v) { return _mm256_shuffle_epi32(v, 0x4e); }
INLINE vec vec_byterev(vec v)
{
    return _mm256_shuffle_epi8(v, _mm256_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
                                                   15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

INLINE vec vec_join(vec a, vec b, const unsigned k)
{
    (void)k; /* 1 */
    return _mm256_inserti128_si256(a, to_block(b), 1);
}
INLINE vec vec_low_halves(const vec *x, unsigned i) { return _mm256_permute4x64_epi64(x[i], 0x08); }
INLINE vec vec_lane_numbers(void) { return _mm256_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0); }
INLINE vec vec_dup_u32(uint32_t x) { return _mm256_setr_epi32((int)x, 0, 0, 0, (int)x, 0, 0, 0); }
INLINE vec vec_be_count(vec v) { return vec_byterev(v); }
INLINE vec vec_be_count_of(uint32_t n) { return vec_dup_u32(n); }
INLINE vec vec_add32(vec a, vec b) { return _mm256_add_epi32(a, b); }

INLINE vec aes_first(vec x, vec k) { return vec_xor(x, k); }
INLINE vec aes_round(vec x, vec k_prev, vec k) { (void)k_prev; return _mm256_aesenc_epi128(x, k); }
INLINE vec aes_last(vec x, vec k_prev, vec k) { (void)k_prev; return _mm256_aesenclast_epi128(x, k); }

INLINE vec clmul_00(vec a, vec b) { return _mm256_clmulepi64_epi128(a, b, 0x00); }
INLINE vec clmul_01(vec a, vec b) { return _mm256_clmulepi64_epi128(a, b, 0x01); }
INLINE vec clmul_10(vec a, vec b) { return _mm256_clmulepi64_epi128(a, b, 0x10); }
INLINE vec clmul_11(vec a, vec b) { return _mm256_clmulepi64_epi128(a, b, 0x11); }

#include "kernel_body.h"

const struct kernel kernel_vaes256 = {
    .name = "vaes256",
    .tier = HWAEAD_TIER_VAES256,
    .gcm_key_init = gcm_setup_key,
    .ghash = gcm_ghash,
    .gcm_seal = gcm_seal_whole,
    .gcm_open = gcm_open_whole,
    .gcm_encrypt = gcm_encrypt_text,
    .gcm_decrypt = gcm_decrypt_text,
    .gcm_finish = gcm_make_tag,
    .aes_expand = expand,
    .aes_block = encrypt_block,
    .key_stream = key_stream,
    .siv_seal = siv_seal_whole,
    .siv_open = siv_open_whole,
    .siv_derive = siv_derive_keys,
    .siv_polyval = siv_polyval,
    .siv_seal_text = siv_seal_text,
    .siv_open_text = siv_open_text,
};
