/* SPDX-License-Identifier: Apache-2.0
 *
 * What tier vaes512 does with short messages: 256-bit vectors, with AVX-512's masks and registers.
 */
#include "bytes.h"
#include "kernel.h"
#include "secret.h"
#include "verbs_ymm.h"

INLINE __mmask32 first_bytes(size_t n) { return (__mmask32)(~UINT64_C(0) >> (64 - n)); } /* n = 1..32 */

INLINE vec vec_load_n(const uint8_t *p, size_t n) { return _mm256_maskz_loadu_epi8(first_bytes(n), p); }
INLINE vec vec_keep(vec v, size_t n)
{
    return n == 0 ? vec_zero() : _mm256_maskz_mov_epi8(first_bytes(n), v);
}
INLINE void vec_store_n(uint8_t *p, vec v, size_t n) { _mm256_mask_storeu_epi8(p, first_bytes(n), v); }

INLINE __mmask16 bytes_up(size_t n) { return (__mmask16)((UINT32_C(1) << n) - 1); } /* n = 0..16 */
INLINE vec vec_load_up(const uint8_t *p, size_t n)
{
    return _mm256_inserti128_si256(vec_zero(), _mm_maskz_loadu_epi8(bytes_up(n), p), 1);
}
INLINE void vec_store_up(uint8_t *p, vec v, size_t n)
{
    _mm_mask_storeu_epi8(p, bytes_up(n), _mm256_extracti128_si256(v, 1));
}

INLINE vec vec_xor3(vec a, vec b, vec c) { return _mm256_ternarylogic_epi64(a, b, c, 0x96); }
INLINE void vec_tie(vec *a, const vec *b) { __asm__ volatile("" : "+v"(*a) : "v"(*b)); }

enum { AMID = 5, REGISTERS = 32 };

#include "kernel_body.h"

const struct kernel kernel_vaes512_short = {
    .name = "vaes512",
    .tier = HWAEAD_TIER_VAES512,
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
