/* SPDX-License-Identifier: Apache-2.0
 *
 * Tier aesni: AES-NI and PCLMULQDQ on 128-bit vectors.
 */
#include "bytes.h"
#include "kernel.h"
#include "lane_x86.h"
#include "secret.h"

enum { LANES = 1, NVEC = 8, AMID = 0, REGISTERS = 16 };
typedef __m128i vec;

INLINE lane to_block(vec v) { return v; }
INLINE vec vec_zero(void) { return _mm_setzero_si128(); }
INLINE vec vec_load(const uint8_t *p) { return block_load(p); }
INLINE void vec_store(uint8_t *p, vec v) { block_store(p, v); }
INLINE vec vec_load1(const uint8_t *p) { return block_load(p); }
INLINE void vec_store1(uint8_t *p, vec v) { block_store(p, v); }
INLINE vec vec_dup(const uint8_t *p) { return block_load(p); }
INLINE vec vec_dup0(vec v) { return v; }
INLINE vec vec_u64x2(uint64_t lo, uint64_t hi) { return _mm_set_epi64x((long long)hi, (long long)lo); }
INLINE vec vec_dup_low(uint64_t x) { return _mm_set1_epi64x((long long)x); }
INLINE vec vec_lane(vec v, size_t i) { (void)i; return v; }
INLINE vec vec_dup_lane(vec v, unsigned i) { (void)i; return v; }
INLINE vec vec_sum_lanes(vec v) { return v; }

INLINE vec vec_load_n(const uint8_t *p, size_t n)
{
    if (n == 16)
        return block_load(p);
    struct u64x2 x = load_part(p, n);
    return vec_u64x2(x.lo, x.hi);
}

INLINE void vec_store_n(uint8_t *p, vec v, size_t n)
{
    if (n == 16)
        block_store(p, v);
    else
        store_part(p, (struct u64x2){(uint64_t)_mm_cvtsi128_si64(v), (uint64_t)_mm_extract_epi64(v, 1)}, n);
}

INLINE vec vec_keep(vec v, size_t n)
{
    const vec index = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm_and_si128(v, _mm_cmpgt_epi8(_mm_set1_epi8((char)n), index));
}

INLINE vec vec_load_up(const uint8_t *p, size_t n) { (void)p; (void)n; return vec_zero(); }
INLINE void vec_store_up(uint8_t *p, vec v, size_t n) { (void)p; (void)v; (void)n; }
INLINE vec vec_at_lane(vec v, size_t i) { (void)i; return v; }

INLINE vec vec_put_first(vec v, vec x) { (void)v; return x; }
INLINE int vec_is_zero(vec v) { return _mm_test_all_zeros(v, v); }
INLINE vec vec_xor(vec a, vec b) { return _mm_xor_si128(a, b); }
INLINE vec vec_and(vec a, vec b) { return _mm_and_si128(a, b); }
INLINE vec vec_xor3(vec a, vec b, vec c) { return vec_xor(vec_xor(a, b), c); }
INLINE void vec_tie(vec *a, const vec *b) { (void)a; (void)b; } /* no register to spare for order */
INLINE vec vec_swap64(vec v) { return _mm_shuffle_epi32(v, 0x4e); }
INLINE vec vec_byterev(vec v)
{
    return _mm_shuffle_epi8(v, _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

INLINE vec vec_join(vec a, vec b, const unsigned k) { (void)b; (void)k; return a; }
INLINE vec vec_low_halves(const vec *x, unsigned i) { return _mm_unpacklo_epi64(x[2 * i], x[2 * i + 1]); }
INLINE vec vec_lane_numbers(void) { return vec_zero(); }
INLINE vec vec_dup_u32(uint32_t x) { return _mm_setr_epi32((int)x, 0, 0, 0); }
INLINE vec vec_be_count(vec v) { return vec_byterev(v); }
INLINE vec vec_be_count_of(uint32_t n) { return vec_dup_u32(n); }
INLINE uint32_t vec_be_count_first(vec v) { return (uint32_t)_mm_cvtsi128_si32(v); }
INLINE vec vec_last_bytes(const unsigned n) { return _mm_setr_epi32(0, 0, 0, (int)(n << 24)); }
INLINE vec vec_counts_after_1(const unsigned k) { return _mm_setr_epi32(0, 0, 0, (int)(((k + 1) ^ 1) << 24)); }
INLINE vec vec_add32(vec a, vec b) { return _mm_add_epi32(a, b); }

INLINE vec aes_first(vec x, vec k) { return vec_xor(x, k); }
INLINE vec aes_round(vec x, vec k_prev, vec k) { (void)k_prev; return _mm_aesenc_si128(x, k); }
INLINE vec aes_last(vec x, vec k_prev, vec k) { (void)k_prev; return _mm_aesenclast_si128(x, k); }

INLINE vec clmul_00(vec a, vec b) { return _mm_clmulepi64_si128(a, b, 0x00); }
INLINE vec clmul_01(vec a, vec b) { return _mm_clmulepi64_si128(a, b, 0x01); }
INLINE vec clmul_10(vec a, vec b) { return _mm_clmulepi64_si128(a, b, 0x10); }
INLINE vec clmul_11(vec a, vec b) { return _mm_clmulepi64_si128(a, b, 0x11); }

#include "kernel_body.h"

const struct kernel kernel_aesni = {
    .name = "aesni",
    .tier = HWAEAD_TIER_AESNI,
    .gcm_key_init = gcm_setup_key,
    .ghash = gcm_ghash,
    .gcm_seal = gcm_seal_whole,
    .gcm_open = gcm_open_whole,
    .gcm_encrypt = gcm_encrypt_text,
    .gcm_decrypt = gcm_decrypt_text,
    .gcm_encrypt_alone = gcm_encrypt_alone,
    .gcm_decrypt_alone = gcm_decrypt_alone,
    .gcm_alone = GCM_FEW_BYTES,
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
