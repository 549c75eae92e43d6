/* SPDX-License-Identifier: Apache-2.0
 *
 * Tier armv8_sha3: the same, and EOR3 of the SHA3 extension.
 */
#include "verbs_armv8.h"

INLINE vec vec_xor3(vec a, vec b, vec c) { return veor3q_u8(a, b, c); }

#include "kernel_body.h"

const struct kernel kernel_armv8_sha3 = {
    .name = "armv8_sha3",
    .tier = HWAEAD_TIER_ARMV8_SHA3,
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
