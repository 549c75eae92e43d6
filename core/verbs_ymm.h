/* SPDX-License-Identifier: Apache-2.0
 *
 * The verbs on 256-bit vectors that need no masks.
 */
#ifndef HWAEAD_CORE_VERBS_YMM_H
#define HWAEAD_CORE_VERBS_YMM_H

#include "lane_x86.h"

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

INLINE vec vec_dup_lane(vec v, unsigned i) { return vec_dup0(vec_lane(v, i)); }

INLINE vec vec_sum_lanes(vec v)
{
    return from_block(_mm_xor_si128(to_block(v), _mm256_extracti128_si256(v, 1)));
}

INLINE vec vec_at_lane(vec v, size_t i)
{
    return i == 0 ? v : _mm256_permute2x128_si256(v, v, 0x08);
}

INLINE vec vec_put_first(vec v, vec x) { return _mm256_blend_epi32(v, x, 0x0f); }
INLINE int vec_is_zero(vec v) { return _mm256_testz_si256(v, v); }
INLINE vec vec_xor(vec a, vec b) { return _mm256_xor_si256(a, b); }
INLINE vec vec_and(vec a, vec b) { return _mm256_and_si256(a, b); }
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
INLINE uint32_t vec_be_count_first(vec v) { return (uint32_t)_mm_cvtsi128_si32(to_block(v)); }
INLINE vec vec_last_bytes(const unsigned n)
{
    return _mm256_setr_epi32(0, 0, 0, (int)(n << 24), 0, 0, 0, (int)(n << 24));
}
INLINE vec vec_counts_after_1(const unsigned k)
{
    return _mm256_setr_epi32(0, 0, 0, (int)(((k + 1) ^ 1) << 24), 0, 0, 0, (int)(((k + 2) ^ 1) << 24));
}
INLINE vec vec_add32(vec a, vec b) { return _mm256_add_epi32(a, b); }

INLINE vec aes_first(vec x, vec k) { return vec_xor(x, k); }
INLINE vec aes_round(vec x, vec k_prev, vec k) { (void)k_prev; return _mm256_aesenc_epi128(x, k); }
INLINE vec aes_last(vec x, vec k_prev, vec k) { (void)k_prev; return _mm256_aesenclast_epi128(x, k); }

INLINE vec clmul_00(vec a, vec b) { return _mm256_clmulepi64_epi128(a, b, 0x00); }
INLINE vec clmul_01(vec a, vec b) { return _mm256_clmulepi64_epi128(a, b, 0x01); }
INLINE vec clmul_10(vec a, vec b) { return _mm256_clmulepi64_epi128(a, b, 0x10); }
INLINE vec clmul_11(vec a, vec b) { return _mm256_clmulepi64_epi128(a, b, 0x11); }

#endif
