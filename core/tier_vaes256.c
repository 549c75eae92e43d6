/* SPDX-License-Identifier: Apache-2.0
 *
 * Tier vaes256: VAES and VPCLMULQDQ on 256-bit vectors.
 */
#include "bytes.h"
#include "kernel.h"
#include "secret.h"
#include "verbs_ymm.h"

INLINE __m128i block_load_part(const uint8_t *p, size_t n)
{
    struct u64x2 x = load_part(p, n);
    return _mm_set_epi64x((long long)x.hi, (long long)x.lo);
}

INLINE vec vec_load_n(const uint8_t *p, size_t n)
{
    if (n == 32)
        return vec_load(p);
    if (n < 16)
        return from_block(block_load_part(p, n));
    return _mm256_inserti128_si256(vec_load1(p), block_load_part(p + 16, n - 16), 1);
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

INLINE void block_store_part(uint8_t *p, __m128i x, size_t n)
{
    store_part(p, (struct u64x2){(uint64_t)_mm_cvtsi128_si64(x), (uint64_t)_mm_extract_epi64(x, 1)}, n);
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

INLINE void vec_store_up(uint8_t *p, vec v, size_t n)
{
    if (n == 16)
        block_store(p, _mm256_extracti128_si256(v, 1));
    else
        block_store_part(p, _mm256_extracti128_si256(v, 1), n);
}

INLINE vec vec_xor3(vec a, vec b, vec c) { return vec_xor(vec_xor(a, b), c); }
INLINE void vec_tie(vec *a, const vec *b) { (void)a; (void)b; } /* no register to spare for order */

enum { AMID = 0, REGISTERS = 16 };

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
